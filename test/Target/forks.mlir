// The call that happens on each core becomes calls of the run time.

// RUN: ember-opt %s --ember-compile="set=cores=3" | ember-translate --part=host | FileCheck %s

// CHECK-LABEL: define {{.*}}@copy(
// CHECK: call void @ember_fork(ptr %0, i64 1, ptr nonnull @[[FORKED:.*]], ptr nonnull %[[CLOSURE:.*]])
// CHECK: call void @ember_fork(ptr %0, i64 2, ptr nonnull @[[FORKED]], ptr nonnull %[[CLOSURE]])
// CHECK-NOT: @ember_fork
// CHECK: call void @{{.*}}_execute(ptr %0,
// CHECK: call void @ember_join(ptr %0)

// CHECK: define internal void @[[FORKED]](ptr %[[CONTEXT:.*]], i64 %[[CORE:.*]], ptr {{.*}})
// CHECK-SAME: #[[ATTRIBUTES:[0-9]+]]
// CHECK: call void @{{.*}}_access(ptr %[[CONTEXT]],
// CHECK: call void @{{.*}}_execute(ptr %[[CONTEXT]],
// CHECK: call void @ember_au_wait(ptr %[[CONTEXT]])
// CHECK: attributes #[[ATTRIBUTES]] = {{.*}}"ember-function"="copy"
func.func @copy(%table: tensor<?x64xf32>, %indices: tensor<?xi64>, %out: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %r = emb.lookup ins(%table, %indices : tensor<?x64xf32>, tensor<?xi64>) outs(%out : tensor<?x64xf32>) -> tensor<?x64xf32>
  return %r : tensor<?x64xf32>
}
