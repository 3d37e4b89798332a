//===- Remarks.h - What passes say of their choices -------------*- C++ -*-===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef EMBER_LIB_PIPELINES_REMARKS_H
#define EMBER_LIB_PIPELINES_REMARKS_H

#include <string>
#include <vector>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace ember {

/// From now on, what passes in `context` remark is added to `lines`, which must
/// outlive it: "bag.mlir:12:5: remark: this load moves to the access unit".
void collectRemarks(mlir::MLIRContext &context,
                    std::vector<std::string> &lines);

} // namespace ember

#endif // EMBER_LIB_PIPELINES_REMARKS_H
