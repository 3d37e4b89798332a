//===- ABI.h - What generated code and the runtime agree on -----*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// A compiled kernel is three functions over one context:
//
//     host      checks its arguments, calls the other two, owns the results
//     access    programs the access unit (ember_au_*), then rings its doorbell
//     execute   pops what the access unit pushed, and computes
//
// This header is all they share. It is C, so that a runtime for hardware can
// be written without the compiler.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_RUNTIME_ABI_H
#define EMBER_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Queues ------------------------------------------------------------===*/

/* The queues of a context, in the order of ember_context::queue. */
enum ember_queue_kind {
  EMBER_QUEUE_DATA = 0,   /* vectors and chunks of rows */
  EMBER_QUEUE_SCALAR = 1, /* scalars, counts and flag words */
  EMBER_QUEUE_TOKEN = 2,  /* ITER and END of loops without a known count */
  EMBER_QUEUES = 3
};

enum {
  EMBER_QUEUE_RING_OFFSET = 128, /* of the ring in ember_queue, bytes */
  EMBER_QUEUE_ALIGN = 64         /* of ember_queue, bytes */
};

/* A ring between one producer and one consumer. `produced` and `consumed` are
 * bytes since the queue was made and never wrap in practice; the place of byte
 * n is ring[n % capacity]. The capacity is a power of two and known to both
 * sides when they are compiled, so it is not stored here.
 *
 * An element takes its size rounded up to 8 bytes. One that would straddle the
 * end of the ring starts at its beginning: with `at = n % capacity`, if
 * at + size > capacity then n += capacity - at, on both sides; the skipped
 * bytes count as produced and as consumed. (ember_queue_place is this rule.)
 *
 * A scalar takes 8 bytes, its value in the low bytes (little-endian); integers
 * are sign-extended, i1 is 0 or 1, floats are followed by zeros. A flag word is
 * a scalar i1. A token's low 8 bits are its kind, the rest is zero. */
struct ember_queue {
#ifdef __cplusplus
  alignas(64) uint64_t produced;
  alignas(64) uint64_t consumed;
  alignas(64) unsigned char ring[64]; /* really `capacity` bytes */
#else
  _Alignas(64) uint64_t produced;
  _Alignas(64) uint64_t consumed;
  _Alignas(64) unsigned char ring[64];
#endif
};

enum ember_token { EMBER_TOKEN_END = 0, EMBER_TOKEN_ITER = 1 };

/* Where an element of `bytes` (already a multiple of 8) begins, when the next
 * free byte is `position`. */
static inline uint64_t ember_queue_place(uint64_t position, uint64_t bytes,
                                         uint64_t capacity) {
  uint64_t at = position & (capacity - 1);
  return at + bytes > capacity ? position + (capacity - at) : position;
}

/* The context: the first argument of every function. What follows the queue
 * pointers belongs to the runtime. */
struct ember_context {
  struct ember_queue *queue[EMBER_QUEUES];
};

/* Waits until `produced` of the queue is at least `needed`, and returns it
 * (load-acquire). Elements become visible in the order they are pushed, over
 * all queues of the context, so what was pushed before the awaited element, in
 * this queue or another, is there too. Once the queue is closed by a fault it
 * returns `needed`, and the ring reads as zeros, so the consumer drains to its
 * end without unwinding: a zero token is END. The cold path of a pop; `needed`
 * must be at most `consumed` + capacity. */
uint64_t ember_queue_wait(void *ctx, struct ember_queue *queue,
                          uint64_t needed);

/*===-- Faults ------------------------------------------------------------===*/

/* Reports bad data found by the host part (or by a coupled kernel). `site` is
 * an index of the kernel's table of sites, which knows kind, argument and
 * source location; `limit` is what the value was held against. The first
 * report of a run wins. */
void ember_fault(void *ctx, int32_t site, int64_t position, int64_t value,
                 int64_t limit);

/*===-- Programming the access unit -------------------------------------===*/

/* The program is a tree of operations given in order: begin, operations,
 * start. Each operation with a result, and each store, has an id `dst`; ids are
 * dense from 0 within a kernel, in the order of the calls. Later operations
 * refer to results by them, and faults name an operation by its id.
 *
 * Every value is 64 bits. An integer of fewer bits is kept sign-extended, i1
 * as 0 or 1, a float as its bits. Operands must be in scope: defined before,
 * in this loop or branch or in one around it. */

/* Starts the program of kernel number `kernel` of the module. */
void ember_au_begin(void *ctx, int32_t kernel);

/* A constant, or a scalar argument of the kernel. */
void ember_au_const(void *ctx, int32_t dst, int64_t value);

/* for (dst = lower; dst < upper; dst += step), signed, up to its ember_au_end.
 * A `step` that is not positive is a fault. `token_queue`: -1 for a loop whose
 * trip count both sides know; otherwise the queue that takes an ITER token at
 * the start of each iteration and an END token after the last. If the body
 * holds an ember_au_if with a filter queue, the ITER token is sent by that
 * `if`, when taken. */
void ember_au_loop(void *ctx, int32_t dst, int32_t lower, int32_t upper,
                   int64_t step, int32_t token_queue);

enum ember_au_element {
  EMBER_AU_INT = 0,   /* sign-extended when read as a scalar */
  EMBER_AU_OPAQUE = 1 /* bits, zero-extended: floats */
};

/* Reads `count` elements of `elem_bytes` (1, 2, 4 or 8) from the memref at
 * `base`, at the indices given by the ember_au_dim calls that must follow, one
 * for each dimension from the outermost to the innermost. Elements after the
 * first are the next ones along the innermost dimension.
 *
 * count 1, padded 1: a scalar, which other operations may use. Otherwise a
 * vector or a chunk of a row, to be pushed: `padded` elements long, those from
 * `count` on zero and not read. A memref of rank 0 has one dimension here, of
 * extent 1, with a constant 0 as its index. */
void ember_au_mem(void *ctx, int32_t dst, const void *base, int32_t elem_bytes,
                  int32_t element /* ember_au_element */, int32_t count,
                  int32_t padded);

/* Writes `count` elements of `elem_bytes` to the memref at `base`, at the
 * indices given by the ember_au_dim calls that must follow, as for
 * ember_au_mem. `src` is a vector or chunk of at least `count` elements of that
 * size, or a scalar, whose low bytes every one of the `count` elements takes.
 * What a program writes it does not read; the core may look at it after
 * ember_au_wait only. */
void ember_au_store(void *ctx, int32_t dst, int32_t src, void *base,
                    int32_t elem_bytes, int32_t count);

/* One dimension of the ember_au_mem or ember_au_store before. The unit checks
 * 0 <= index and index + (count - 1 if innermost) < extent, signed and at 64
 * bits, before it multiplies by the stride in bytes. */
void ember_au_dim(void *ctx, int32_t index, int64_t extent,
                  int64_t stride_bytes);

/* Integer operations at `bits` bits (1, 8, 16, 32 or 64). Results wrap to
 * `bits` and are sign-extended again; comparisons give 0 or 1. Unused
 * operands are -1. */
enum ember_au_opcode {
  EMBER_AU_ADD = 0,
  EMBER_AU_SUB = 1,
  EMBER_AU_MUL = 2,
  EMBER_AU_MIN_S = 3,
  EMBER_AU_MAX_S = 4,
  EMBER_AU_AND = 5,
  EMBER_AU_OR = 6,
  EMBER_AU_XOR = 7,
  EMBER_AU_SELECT = 8,    /* a != 0 ? b : c */
  EMBER_AU_EXTEND = 9,    /* sign-extends a from `bits` to 64 bits */
  EMBER_AU_EXTEND_U = 10, /* zero-extends a from `bits` to 64 bits */
  EMBER_AU_TRUNC = 11,    /* a to `bits` bits */
  EMBER_AU_EQ = 16,
  EMBER_AU_NE = 17,
  EMBER_AU_SLT = 18,
  EMBER_AU_SLE = 19,
  EMBER_AU_SGT = 20,
  EMBER_AU_SGE = 21,
  EMBER_AU_ULT = 22,
  EMBER_AU_ULE = 23,
  EMBER_AU_UGT = 24,
  EMBER_AU_UGE = 25
};

void ember_au_alu(void *ctx, int32_t dst, int32_t opcode, int32_t bits,
                  int32_t a, int32_t b, int32_t c);

/* if (cond != 0) { ... } [else { ... }], up to its ember_au_end. With a
 * `filter_token_queue` (not -1) the `if` must stand directly in a loop with a
 * token queue and sends that loop's ITER token when taken; it may have no
 * else. With a `flag_queue` (not -1) it sends one flag word each time it is
 * reached. */
void ember_au_if(void *ctx, int32_t cond, int32_t filter_token_queue,
                 int32_t flag_queue);
void ember_au_else(void *ctx);

/* Ends the innermost open loop, if or else. */
void ember_au_end(void *ctx);

/* Pushes the value of `src` as an element of `bytes` bytes: 8 for scalars,
 * padded * elem_bytes rounded up to 8 for vectors and chunks. */
void ember_au_push(void *ctx, int32_t queue, int32_t src, int32_t bytes);

/* The doorbell: the program is complete, the unit starts. It runs beside the
 * caller, in the order of the calls if it is rung several times. */
void ember_au_start(void *ctx);

/* Waits until all programs started have ended and what they stored is visible
 * (load-acquire). The host part calls it when the execute code has returned:
 * before it reads what the unit wrote, writes what the unit read, or ends. */
void ember_au_wait(void *ctx);

/*===-- Several cores -----------------------------------------------------===*/

/* What a core is to do: `context` is its own, with its own queues and access
 * unit, `core` its number. */
typedef void ember_core_code(void *context, int64_t core, void *closure);

/* Calls code(context of the core, core, closure) on core `core`, from 1 on,
 * beside the caller, who is core 0. Until ember_join it may be called once for
 * each core; `closure` must last as long. What the caller wrote before, the
 * core sees. */
void ember_fork(void *ctx, int64_t core, ember_core_code *code, void *closure);

/* Waits until all cores have returned and what they wrote is visible. If some
 * met bad data, the report that counts is the caller's own, or else that of
 * the least core. */
void ember_join(void *ctx);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* EMBER_RUNTIME_ABI_H */
