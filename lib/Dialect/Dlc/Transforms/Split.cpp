//===- Split.cpp - Host, access unit and core get a module each -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//     dlc.kernel @k(%t: memref<?xf32>) queues <...> {
//       dlc.access { A }  dlc.execute { E } }
//     func.func @f(%t: memref<?xf32>) { dlc.launch @k(%t) ... }
//
// becomes
//
//     module @host {
//       func.func private @k_access(!llvm.ptr, memref<?xf32>)
//       func.func private @k_execute(!llvm.ptr, memref<?xf32>)
//       func.func private @ember_au_wait(!llvm.ptr)
//       func.func @f(%ctx: !llvm.ptr, %t: memref<?xf32>) {
//         call @k_access(%ctx, %t)  call @k_execute(%ctx, %t)
//         call @ember_au_wait(%ctx) ... } }
//     module @access {
//       func.func @k_access(%ctx: !llvm.ptr, %t: memref<?xf32>) {
//         calls of ember_au_* that say A } }
//     module @execute {
//       func.func @k_execute(%ctx: !llvm.ptr, %t: memref<?xf32>)
//           attributes {dlc.queues = #dlc.queues<...>} { E } }
//
//===----------------------------------------------------------------------===//

#include "AccessProgram.h"
#include "RunTimeChecks.h"

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Dlc/Transforms/Passes.h"
#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ember::dlc {
#define GEN_PASS_DEF_DLCSPLIT
#include "ember/Dialect/Dlc/Transforms/Passes.h.inc"
} // namespace ember::dlc

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

namespace {

class Splitter {
public:
  explicit Splitter(ModuleOp module)
      : module(module), builder(module.getContext()),
        contextType(LLVM::LLVMPointerType::get(module.getContext())) {}

  LogicalResult split() {
    if (failed(check()))
      return failure();
    SmallVector<Operation *> hostOps;
    SmallVector<KernelOp> kernels;
    for (Operation &op : *module.getBody()) {
      if (auto kernel = dyn_cast<KernelOp>(op))
        kernels.push_back(kernel);
      else
        hostOps.push_back(&op);
    }
    module.walk([&](LaunchOp launch) {
      launchers.try_emplace(
          launch.getKernel(),
          getUserName(launch->getParentOfType<func::FuncOp>()));
    });
    ModuleOp host = addPart("host");
    for (Operation *op : hostOps)
      op->moveBefore(host.getBody(), host.getBody()->end());
    if (!kernels.empty()) {
      ModuleOp access = addPart("access"), execute = addPart("execute");
      for (auto [number, kernel] : llvm::enumerate(kernels)) {
        emitAccess(kernel, number, access);
        emitExecute(kernel, execute);
      }
    }
    emitHost(host, kernels);
    host->setAttr(SiteAttr::tableName, builder.getArrayAttr(sites));
    for (KernelOp kernel : kernels)
      kernel.erase();
    return success();
  }

private:
  /// Refuses what is no input of this pass.
  LogicalResult check() {
    for (Operation &op : *module.getBody()) {
      if (isa<ModuleOp>(op))
        return op.emitOpError("is nested in the module to split; is it split "
                              "already?");
      if (isa<slc::KernelOp>(op))
        return op.emitOpError("is to be lowered to dlc before the module is "
                              "split");
      auto kernel = dyn_cast<KernelOp>(op);
      if (!kernel)
        continue;
      for (StringRef suffix : {"_access", "_execute"})
        if (Operation *other =
                module.lookupSymbol((kernel.getSymName() + suffix).str())) {
          auto diagnostic = other->emitOpError("has a name that the split of @")
                            << kernel.getSymName() << " needs";
          diagnostic.attachNote(kernel.getLoc()) << "the kernel";
          return diagnostic;
        }
    }
    return success();
  }

  ModuleOp addPart(StringRef name) {
    builder.setInsertionPointToEnd(module.getBody());
    return ModuleOp::create(builder, module.getLoc(), name);
  }

  /// The type of a kernel's functions: the context, then its arguments.
  FunctionType getPartType(KernelOp kernel) {
    SmallVector<Type> inputs{contextType};
    llvm::append_range(inputs, kernel.getArgumentTypes());
    return builder.getFunctionType(inputs, {});
  }

  func::FuncOp addFunction(KernelOp kernel, StringRef suffix, ModuleOp part) {
    builder.setInsertionPointToEnd(part.getBody());
    auto function = func::FuncOp::create(builder, kernel.getLoc(),
                                         (kernel.getSymName() + suffix).str(),
                                         getPartType(kernel));
    function.addEntryBlock();
    for (unsigned i = 0, e = kernel.getNumArguments(); i < e; ++i)
      function.setArgAttrs(1 + i,
                           function_interface_impl::getArgAttrs(kernel, i));
    nameForUser(function, getLauncher(kernel));
    return function;
  }

  /// The function of the user's that `function` is, or is a part of.
  static StringRef getUserName(func::FuncOp function) {
    auto name = function->getAttrOfType<StringAttr>(DlcDialect::userNameAttr);
    return name ? name.getValue() : function.getSymName();
  }

  /// Errors of the simulator name the function that the user knows.
  void nameForUser(func::FuncOp function, StringRef userName) {
    function->setAttr("passthrough",
                      builder.getArrayAttr(builder.getStrArrayAttr(
                          {"ember-function", userName})));
  }

  /// The function that launches `kernel`, or the kernel if none does.
  StringRef getLauncher(KernelOp kernel) {
    StringRef launcher = launchers.lookup(kernel.getSymName());
    return launcher.empty() ? kernel.getSymName() : launcher;
  }

  void finish(func::FuncOp function) {
    builder.setInsertionPointToEnd(&function.getBody().front());
    func::ReturnOp::create(builder, function.getLoc());
  }

  void emitAccess(KernelOp kernel, unsigned number, ModuleOp part) {
    func::FuncOp function = addFunction(kernel, "_access", part);
    SmallVector<Attribute> sites =
        emitAccessProgram(kernel, number, getLauncher(kernel), function);
    function->setAttr(SiteAttr::tableName, builder.getArrayAttr(sites));
    finish(function);
  }

  void emitExecute(KernelOp kernel, ModuleOp part) {
    func::FuncOp function = addFunction(kernel, "_execute", part);
    function->setAttr(QueuesAttr::attributeName, kernel.getQueues());
    builder.setInsertionPointToEnd(&function.getBody().front());
    IRMapping mapping;
    mapping.map(kernel.getBody().getArguments(),
                function.getArguments().drop_front());
    for (Operation &op : kernel.getBody().front())
      if (!isa<AccessOp, ExecuteOp>(op))
        builder.clone(op, mapping);
    for (Operation &op : kernel.getExecute().getBody().front())
      builder.clone(op, mapping);
    finish(function);
    addChecks(function, getLauncher(kernel));
  }

  //===--- Host -----------------------------------------------------------===//

  void emitHost(ModuleOp host, ArrayRef<KernelOp> kernels) {
    for (auto function : host.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      addContext(function);
      StringRef userName = getUserName(function);
      if (userName != function.getSymName())
        nameForUser(function, userName);
      addChecks(function, userName);
    }
    host.walk([&](func::CallOp call) { passContext(host, call); });
    host.walk([&](LaunchOp launch) { emitLaunch(launch); });
    builder.setInsertionPointToStart(host.getBody());
    for (KernelOp kernel : kernels)
      for (StringRef suffix : {"_access", "_execute"})
        func::FuncOp::create(builder, kernel.getLoc(),
                             (kernel.getSymName() + suffix).str(),
                             getPartType(kernel))
            .setPrivate();
    if (!kernels.empty())
      func::FuncOp::create(builder, host.getLoc(), waitName,
                           builder.getFunctionType(contextType, {}))
          .setPrivate();
  }

  void addContext(func::FuncOp function) {
    (void)function.insertArgument(0, contextType, {}, function.getLoc());
    if (function.isPublic())
      function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                        builder.getUnitAttr());
  }

  /// The context in the function around `op`.
  static Value getContext(Operation *op) {
    return op->getParentOfType<func::FuncOp>().getArgument(0);
  }

  static void passContext(ModuleOp host, func::CallOp call) {
    auto callee = host.lookupSymbol<func::FuncOp>(call.getCallee());
    if (callee && !callee.isExternal())
      call->insertOperands(0, getContext(call));
  }

  void emitLaunch(LaunchOp launch) {
    builder.setInsertionPoint(launch);
    SmallVector<Value> operands{getContext(launch)};
    llvm::append_range(operands, launch.getOperands());
    for (StringRef suffix : {"_access", "_execute"})
      func::CallOp::create(builder, launch.getLoc(),
                           (launch.getKernel() + suffix).str(), TypeRange(),
                           operands);
    // The unit may store when the core has nothing left to do.
    func::CallOp::create(builder, launch.getLoc(), waitName, TypeRange(),
                         ValueRange{getContext(launch)});
    launch.erase();
  }

  /// Adds the checks of the run time to `function`, and gives all reports in it
  /// their numbers. `userName` is the user's function it comes from.
  void addChecks(func::FuncOp function, StringRef userName) {
    addRunTimeChecks(function);
    function.walk([&](FaultOp fault) {
      fault.setSite(sites.size());
      sites.push_back(SiteAttr::get(fault.getContext(), fault.getKind(),
                                    userName, fault.getArgument(),
                                    LocationAttr(fault.getLoc())));
    });
  }

  /// Of the run time: waits for the access unit.
  static constexpr StringLiteral waitName = "ember_au_wait";

  ModuleOp module;
  OpBuilder builder;
  Type contextType;
  /// By kernel: the function that launches it.
  DenseMap<StringRef, StringRef> launchers;
  /// Of the reports in ordinary code.
  SmallVector<Attribute> sites;
};

struct DlcSplit : dlc::impl::DlcSplitBase<DlcSplit> {
  void runOnOperation() override {
    if (failed(Splitter(getOperation()).split()))
      signalPassFailure();
  }
};

} // namespace
