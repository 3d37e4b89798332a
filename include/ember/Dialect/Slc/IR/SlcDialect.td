//===- SlcDialect.td - The slc dialect ---------------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_SLC_IR_SLCDIALECT_TD
#define EMBER_DIALECT_SLC_IR_SLCDIALECT_TD

include "mlir/IR/OpBase.td"

def Slc_Dialect : Dialect {
  let name = "slc";
  let summary = "Structured lookup-compute: what is looked up, and what is computed with it";
  let description = [{
    A kernel (`slc.kernel`) is a loop nest cut in two by type:

    - The *access side* holds loop counters, streams (`!slc.stream<T>`: one value
      an iteration of the loop it stands in) and chunks (`!slc.chunk<100xf32>`:
      a whole row). Loop bounds and conditions are access values only.
    - The *execute side* holds ordinary values: results of `slc.callback`,
      `iter_args` and results of `slc.for` and `slc.if`, and the memory of
      `slc.local`.

    A stream reaches the core only as an operand of a callback, and is sent where
    that callback stands. Kernel arguments and constants are visible on both
    sides. Each buffer is either read only, by both sides, or written by
    callbacks and then read by callbacks alone: the two sides speak through
    queues, so results cannot depend on timing.
  }];
  let cppNamespace = "::ember::slc";
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
}

class Slc_Op<string mnemonic, list<Trait> traits = []>
    : Op<Slc_Dialect, mnemonic, traits>;

#endif // EMBER_DIALECT_SLC_IR_SLCDIALECT_TD
