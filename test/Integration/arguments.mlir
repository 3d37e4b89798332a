// What ember-sim says of a wrong command line.

// RUN: rm -rf %t && mkdir %t
// RUN: %npy write %t/table.npy f32 2x3 1 2 3 10 20 30
// RUN: %npy write %t/wide.npy f64 2x3 1
// RUN: %npy write %t/columns.npy f32 2x4 1
// RUN: %npy write %t/indices.npy i64 3 1 0 1
// RUN: echo "no array" > %t/text.npy

// DEFINE: %{flags} =
// DEFINE: %{run} = not ember-sim %s %{flags} 2>&1

// REDEFINE: %{flags} = --arg indices=%t/indices.npy
// RUN: %{run} | FileCheck %s --check-prefix=MISSING
// MISSING: error: argument 'table' has no value; give --arg table=file.npy
// REDEFINE: %{flags} = --arg tables=%t/table.npy --arg indices=%t/indices.npy
// RUN: %{run} | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: --arg tables={{.*}}: there is no such name; names are: table, indices
// REDEFINE: %{flags} = --arg table=%t/table.npy --arg table=%t/wide.npy
// RUN: %{run} | FileCheck %s --check-prefix=TWICE
// TWICE: error: --arg table={{.*}}wide.npy: table is {{.*}}table.npy already
// REDEFINE: %{flags} = --arg table --arg indices=%t/indices.npy
// RUN: %{run} | FileCheck %s --check-prefix=FORM
// FORM: error: --arg table: expected name=file.npy
// REDEFINE: %{flags} = --arg table=%t/none.npy --arg indices=%t/indices.npy
// RUN: %{run} | FileCheck %s --check-prefix=NONE
// NONE: none.npy: No such file
// REDEFINE: %{flags} = --arg table=%t/text.npy --arg indices=%t/indices.npy
// RUN: %{run} | FileCheck %s --check-prefix=TEXT
// TEXT: text.npy: not a .npy file
// REDEFINE: %{flags} = --arg table=%t/wide.npy --arg indices=%t/indices.npy
// RUN: %{run} | FileCheck %s --check-prefix=TYPE
// TYPE: error: argument 'table' is f64[2x3]; expected f32[?x3]
// REDEFINE: %{flags} = --arg table=%t/columns.npy --arg indices=%t/indices.npy
// RUN: %{run} | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: argument 'table' is f32[2x4]; expected f32[?x3]
// REDEFINE: %{flags} = --arg table=%t/table.npy --arg indices=%t/indices.npy --out results=%t/r.npy
// RUN: %{run} | FileCheck %s --check-prefix=OUT
// OUT: error: --out results={{.*}}: there is no such name; names are: result
// REDEFINE: %{flags} = --level=5
// RUN: %{run} | FileCheck %s --check-prefix=LEVEL
// LEVEL: error: level 5 does not exist; the levels are 0 to 4
// REDEFINE: %{flags} = --machine=pdp-11
// RUN: %{run} | FileCheck %s --check-prefix=MACHINE
// MACHINE: error: unknown machine 'pdp-11'; expected one of {{.*}}dae-hbm2
// REDEFINE: %{flags} = --set caches.l2.mshr=0
// RUN: %{run} | FileCheck %s --check-prefix=SET
// SET: error: dae-hbm2: caches.l2.mshr: 0 is not allowed; expected a whole number from 1
// REDEFINE: %{flags} = --entry=bags
// RUN: %{run} | FileCheck %s --check-prefix=ENTRY
// ENTRY: error: there is no public function 'bags'; the module holds: lookup
// REDEFINE: %{flags} = --arg table=%t/table.npy --arg indices=%t/indices.npy --cycle-limit=10
// RUN: %{run} | FileCheck %s --check-prefix=LIMIT
// LIMIT: error: the run was stopped at the limit of 10 cycles
func.func @lookup(%table: tensor<?x3xf32> {ember.name = "table"},
                  %indices: tensor<?xi64> {ember.name = "indices"})
    -> (tensor<?x3xf32> {ember.name = "result"}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %indices, %c0 : tensor<?xi64>
  %out = tensor.empty(%n) : tensor<?x3xf32>
  %r = emb.lookup ins(%table, %indices : tensor<?x3xf32>, tensor<?xi64>)
      outs(%out : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}
