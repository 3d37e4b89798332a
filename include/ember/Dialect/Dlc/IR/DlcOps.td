//===- DlcOps.td - Operations of the dlc dialect ------------*- tablegen -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_DIALECT_DLC_IR_DLCOPS_TD
#define EMBER_DIALECT_DLC_IR_DLCOPS_TD

include "ember/Dialect/Dlc/IR/DlcAttributes.td"
include "ember/Dialect/Dlc/IR/DlcDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Host
//===----------------------------------------------------------------------===//

def Dlc_FaultOp : Dlc_Op<"fault", [MemoryEffects<[MemWrite]>]> {
  let summary = "Reports bad data to the run time";
  let description = [{
    Host code that has found bad data reports it here; the run time turns the
    first report of a call into the user's error, naming the argument, the
    position, the value found there and the limit it was held against (number
    of rows, number of indices, previous offset, ...). Code after it goes on: the
    caller leaves out what must not happen. `site` is given by `dlc-split`, which
    lists all sites in a table.

    ```mlir
    dlc.fault index_out_of_range argument "indices" (%p, %i, %rows) : index, i64, index
    ```
  }];
  let arguments = (ins
    Dlc_FaultKindAttr:$kind,
    StrAttr:$argument,
    AnySignlessIntegerOrIndex:$position,
    AnySignlessIntegerOrIndex:$value,
    AnySignlessIntegerOrIndex:$limit,
    OptionalAttr<I32Attr>:$site);
  let assemblyFormat = [{
    $kind `argument` $argument ` ` `(` $position `,` $value `,` $limit `)`
    (`site` $site^)? attr-dict `:` type($position) `,` type($value) `,` type($limit)
  }];
}

#endif // EMBER_DIALECT_DLC_IR_DLCOPS_TD
