//===- InitAll.cpp - One call that registers all of Ember -----------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Pipelines/InitAll.h"

#include "ember/Conversion/Passes.h"
#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Dlc/Transforms/Passes.h"
#include "ember/Dialect/Emb/IR/Emb.h"
#include "ember/Dialect/Emb/Transforms/Passes.h"
#include "ember/Dialect/Slc/IR/Slc.h"
#include "ember/Dialect/Slc/Transforms/Passes.h"
#include "ember/Pipelines/Pipelines.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"

void ember::registerAllDialects(mlir::DialectRegistry &registry) {
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<emb::EmbDialect, slc::SlcDialect, dlc::DlcDialect>();
}

void ember::registerAllPasses() {
  mlir::registerAllPasses();
  registerEmberConversionPasses();
  emb::registerEmberEmbPasses();
  slc::registerEmberSlcPasses();
  slc::registerOptimizePipeline();
  dlc::registerEmberDlcPasses();
  registerPipelines();
}
