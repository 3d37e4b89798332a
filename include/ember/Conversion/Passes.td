//===- Passes.td - Conversions between Ember's dialects -----*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_CONVERSION_PASSES_TD
#define EMBER_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertEmbToSCF : Pass<"convert-emb-to-scf"> {
  let summary = "Lower emb operations on memrefs to loops";
  let description = [{
    Replaces each operation by its host part, which checks what the loops would
    not notice (sizes, padding, offsets), and by its scalar loop nest. The
    outermost `scf.for` of a nest carries `ember.kernel`, the name of the kernel
    it becomes, and `ember.parallel` if its iterations are independent. Bad data
    is reported by `dlc.fault`, and the nest then does not run; row indices are
    not checked, that is left to whatever reads the rows.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::ember::dlc::DlcDialect"];
}

#endif // EMBER_CONVERSION_PASSES_TD
