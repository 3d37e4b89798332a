//===- Remarks.h - What the decoupling says of itself -----------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_CONVERSION_SCFTOSLC_REMARKS_H
#define EMBER_LIB_CONVERSION_SCFTOSLC_REMARKS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

namespace ember {

/// The options of a remark `name` on `nest`: category `decouple`, and the
/// function around it. Valid as long as the function's name is.
mlir::remark::RemarkOpts getRemarkOptions(llvm::StringRef name,
                                          mlir::scf::ForOp nest);

/// "'memref.store' at bag.mlir:12:5".
std::string describe(mlir::Operation *op);

} // namespace ember

#endif // EMBER_LIB_CONVERSION_SCFTOSLC_REMARKS_H
