// What MLIR's pass manager offers works through the pipelines, also inside the
// part of it that the machine decides.

// RUN: ember-opt %s --ember-compile --mlir-print-ir-after-all 2>&1 >/dev/null | FileCheck %s --check-prefix=PRINT
// PRINT: IR Dump After EmberAttachTarget (ember-attach-target)
// PRINT: IR Dump After EmberBufferize (ember-bufferize)
// PRINT: IR Dump After ConvertEmbToSCF (convert-emb-to-scf)
// PRINT: IR Dump After ConvertSCFToSLC (convert-scf-to-slc)
// PRINT: IR Dump After SlcFormChunks (slc-form-chunks)
// PRINT: IR Dump After ConvertSLCToDLC (convert-slc-to-dlc)
// PRINT: IR Dump After DlcSplit (dlc-split)
// PRINT: IR Dump After EmberLowerKernels (ember-lower-kernels)

// RUN: ember-opt %s --ember-compile --mlir-timing 2>&1 >/dev/null | FileCheck %s --check-prefix=TIME
// TIME: Execution time report
// TIME: ConvertEmbToSCF
// TIME: SlcVectorize
// TIME: EmberLowerKernels
// TIME: DlcSplit

// A reproducer holds the module and the pipeline from the pass that failed.
// RUN: not ember-opt %s --ember-compile --slc-optimize=level=0 --dlc-split --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: FileCheck %s --check-prefix=REPRODUCER < %t.mlir
// RUN: not ember-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: 'builtin.module' op is nested in the module to split
// REPRODUCER: emb.lookup
// REPRODUCER: pipeline: "builtin.module(ember-attach-target{machine=dae-hbm2
// REPRODUCER-SAME: dlc-split

func.func @lookup(%table: tensor<8x4xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
  %out = tensor.empty() : tensor<2x4xf32>
  %rows = emb.lookup ins(%table, %i : tensor<8x4xf32>, tensor<2xi64>)
      outs(%out : tensor<2x4xf32>) -> tensor<2x4xf32>
  return %rows : tensor<2x4xf32>
}
