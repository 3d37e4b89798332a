//===- FormChunks.cpp - Send rows whole -----------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//   slc.for @l2 %d = %c0 to %c100 step %c1 {
//     %x = slc.mem_stream %T[%i, %d]
//     slc.callback(%v = %x : f32, %at = %d : index) {
//       ... memref.store %s, %acc[%at] } }
//     ==>
//   %r = slc.buffer_stream %T[%i, %c0] length 100 : ... -> !slc.chunk<112xf32>
//   slc.callback(%row = %r : memref<112xf32, #slc.queue>) {
//     scf.for %at = %c0 to %c100 step %c1 {
//       %v = memref.load %row[%at]
//       ... memref.store %s, %acc[%at] } }
//
// One push, one token, instead of one an element. The padding lets the core
// read whole vectors. A row longer than a callback may take (half the data
// queue less a line) is cut, so that the access unit can fetch one piece while
// the core works on another; so are rows of which the access unit cannot store
// one element of each stream.
//
// Neighbouring callbacks are then joined, and a row that several of them take
// is sent once:
//
//   %s = slc.for @dot %d = ... { %x = slc.mem_stream %T[%i, %d] ... }
//   slc.for @axpy %d = ... { %x = slc.mem_stream %T[%i, %d] ... }
//     ==>
//   %r = slc.buffer_stream %T[%i, %c0] length 64
//   slc.callback(%row = %r : ...) {
//     %s = scf.for ... { ... %row[%d] ... }
//     scf.for ... { ... %row[%d] ... } }
//
//===----------------------------------------------------------------------===//

#include "RowLoop.h"

#include "ember/Dialect/Slc/Transforms/Passes.h"
#include "ember/Dialect/Slc/Transforms/Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace ember::slc {
#define GEN_PASS_DEF_SLCFORMCHUNKS
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"
} // namespace ember::slc

using namespace mlir;
using namespace ember::slc;

namespace {

/// Bytes of one element of each row that `row` reads.
int64_t getElementBytes(const RowLoop &row) {
  int64_t bytes = 0;
  for (MemStreamOp load : row.rows)
    bytes += llvm::divideCeil(
        getElementBits(load.getStream().getType().getElementType()), 8);
  return bytes;
}

/// Elements of a piece: the whole row, or whole vectors of which those of all
/// its chunks fill at most `mostBytes`.
int64_t getPieceLength(const RowLoop &row, int64_t lanes, int64_t mostBytes) {
  int64_t most = mostBytes / getElementBytes(row);
  if (llvm::alignTo(row.getLength(), lanes) <= static_cast<uint64_t>(most))
    return row.getLength();
  return std::max(most / lanes * lanes, lanes);
}

/// Bytes that chunks of one row loop may take at once. A piece and the rest of
/// each row are elements that the access unit stores, which keeps a quarter of
/// its storage for other streams.
int64_t getPieceBytes(ArrayRef<RowLoop> rows, const TargetShape &target) {
  int64_t lanes = target.getLanes(32), most = target.getCallbackBytes();
  auto getStored = [&]() {
    int64_t stored = 0;
    for (const RowLoop &row : rows) {
      int64_t piece = getPieceLength(row, lanes, most);
      stored += getElementBytes(row) *
                (llvm::alignTo(piece, lanes) +
                 llvm::alignTo(row.getLength() % piece, lanes));
    }
    return stored;
  };
  while (most > target.vectorBits / 8 &&
         getStored() > target.storageBytes / 4 * 3)
    most /= 2;
  return most;
}

/// Rewrites one row loop.
class ChunkFormer {
public:
  ChunkFormer(RowLoop row, int64_t lanes, int64_t pieceBytes,
              ConstantPool &constants)
      : row(row), lanes(lanes), pieceBytes(pieceBytes), constants(constants),
        builder(row.loop) {}

  void run() {
    hoistInvariant(row);
    int64_t piece = getPieceLength(row, lanes, pieceBytes);
    int64_t whole = row.getLength() / piece * piece;
    SmallVector<Value> values(row.loop.getInits());
    if (whole > piece) {
      auto pieces = ForOp::create(
          builder, row.loop.getLoc(), row.loop.getLabel(), row.loop.getLower(),
          constants.getIndex(row.lower + whole), constants.getIndex(piece),
          values, row.loop.getParallel());
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&pieces.getBody().front());
      values = emitPiece(pieces.getCounter(), piece,
                         SmallVector<Value>(pieces.getIterArgs()));
      if (!values.empty())
        YieldOp::create(builder, pieces.getLoc(), values);
      values.assign(pieces.result_begin(), pieces.result_end());
    } else if (whole == piece) {
      values = emitPiece(row.loop.getLower(), piece, values);
    }
    if (int64_t rest = row.getLength() - whole)
      values = emitPiece(constants.getIndex(row.lower + whole), rest, values);
    row.loop->replaceAllUsesWith(values);
    row.loop.erase();
  }

private:
  /// Chunks of `length` elements from position `base` on, and the callback that
  /// runs the iterations of the loop on them. Returns the values the
  /// iterations carry on.
  SmallVector<Value> emitPiece(Value base, int64_t length,
                               SmallVector<Value> inits) {
    Location loc = row.callbacks.empty() ? row.loop.getLoc()
                                         : row.callbacks.front().getLoc();
    SmallVector<Value> chunks;
    for (MemStreamOp load : row.rows) {
      SmallVector<Value> indices(load.getIndices());
      indices.back() = base;
      auto type =
          ChunkType::get(builder.getContext(), llvm::alignTo(length, lanes),
                         load.getStream().getType().getElementType());
      chunks.push_back(BufferStreamOp::create(
          builder, load.getLoc(), type, load.getMemref(), indices, length));
    }
    auto callback =
        CallbackOp::create(builder, loc, TypeRange(ValueRange(inits)), chunks);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&callback.getBody().front());
    auto loop = scf::ForOp::create(
        builder, row.loop.getLoc(), constants.getIndex(0),
        constants.getIndex(length), constants.getIndex(1), inits);
    if (!inits.empty()) {
      builder.setInsertionPointToEnd(&callback.getBody().front());
      YieldOp::create(builder, loc, loop.getResults());
    }
    emitIteration(base, loop, callback);
    return SmallVector<Value>(callback.getResults());
  }

  /// The callbacks of one iteration, as the body of `loop`.
  void emitIteration(Value base, scf::ForOp loop, CallbackOp callback) {
    Location loc = callback.getLoc();
    Block *body = loop.getBody();
    if (body->mightHaveTerminator())
      body->getTerminator()->erase();
    builder.setInsertionPointToEnd(body);
    Value position = loop.getInductionVar();
    Value counter = position;
    if (!matchPattern(base, m_Zero()))
      counter = arith::AddIOp::create(builder, loc, position, base);
    IRMapping map;
    map.map(row.loop.getCounter(), counter);
    map.map(row.loop.getIterArgs(), loop.getRegionIterArgs());
    for (auto [load, chunk] :
         llvm::zip(row.rows, callback.getBody().getArguments()))
      map.map(load.getStream(),
              memref::LoadOp::create(builder, load.getLoc(), chunk, position)
                  .getResult());
    for (CallbackOp from : row.callbacks) {
      Block &block = from.getBody().front();
      for (auto [argument, operand] :
           llvm::zip(block.getArguments(), from.getOperands()))
        map.map(argument, map.lookupOrDefault(operand));
      for (Operation &op : block.without_terminator())
        builder.clone(op, map);
      for (auto [result, yielded] :
           llvm::zip(from.getResults(), block.getTerminator()->getOperands()))
        map.map(result, map.lookupOrDefault(yielded));
    }
    SmallVector<Value> yielded;
    for (Value value :
         row.loop.getBody().front().getTerminator()->getOperands())
      yielded.push_back(map.lookupOrDefault(value));
    scf::YieldOp::create(builder, loc, yielded);
  }

  RowLoop row;
  int64_t lanes, pieceBytes;
  ConstantPool &constants;
  OpBuilder builder;
};

struct FormChunks : ember::slc::impl::SlcFormChunksBase<FormChunks> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    TargetShape target = TargetShape::lookup(kernel);
    SmallVector<RowLoop> rows;
    kernel.walk([&](ForOp loop) {
      if (std::optional<RowLoop> row = matchRowLoop(loop))
        rows.push_back(*row);
    });
    ConstantPool constants(kernel);
    int64_t lanes = target.getLanes(32), bytes = getPieceBytes(rows, target);
    for (RowLoop row : rows)
      ChunkFormer(row, lanes, bytes, constants).run();
    takeStreams(kernel);
    joinCallbacks(kernel, target.getCallbackBytes());
    eraseDeadCode(kernel);
  }
};

} // namespace
