//===- SlcKernel.cpp - Assembly and checks of slc.kernel ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules that hold for a kernel as a whole: which operations stand outside
// callbacks, which values they may use, and one role for each buffer.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ember::slc;

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments,
                      ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag, std::string &) {
    return builder.getFunctionType(arguments, results);
  };
  return function_interface_impl::parseFunctionOp(
      parser, state, /*allowVariadic=*/false,
      getFunctionTypeAttrName(state.name), buildType,
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
}

void KernelOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

std::string KernelOp::getArgumentName(unsigned index) {
  if (auto name = getArgAttrOfType<StringAttr>(index, "ember.name"))
    return name.str();
  return std::to_string(index);
}

namespace {

/// Checks one kernel. Reports the first violation of each operation.
class KernelVerifier {
public:
  explicit KernelVerifier(KernelOp kernel) : kernel(kernel) {}

  LogicalResult verify() {
    if (!kernel.getResultTypes().empty())
      return kernel.emitOpError("has no results: it writes to its arguments");
    if (failed(verifyBlock(kernel.getBody().front())))
      return failure();
    return verifyRoles();
  }

private:
  /// Operations that stand outside callbacks, in a kernel, a loop or an if.
  LogicalResult verifyBlock(Block &block) {
    for (Operation &op : block) {
      if (matchPattern(&op, m_Constant()) || isa<ReturnOp, YieldOp>(op))
        continue;
      if (!isa<SlcDialect>(op.getDialect()))
        return op.emitOpError("is code of the core: it belongs in a "
                              "slc.callback");
      if (auto callback = dyn_cast<CallbackOp>(op)) {
        noteMemory(callback);
        continue;
      }
      if (failed(verifyAccessOperands(&op)))
        return failure();
      if (auto loop = dyn_cast<ForOp>(op)) {
        auto [first, isNew] = labels.try_emplace(loop.getLabel(), loop);
        if (!isNew) {
          InFlightDiagnostic diagnostic = op.emitOpError("has the label @")
                                          << loop.getLabel()
                                          << " of another loop";
          diagnostic.attachNote(first->second.getLoc()) << "the other loop";
          return diagnostic;
        }
      }
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(verifyBlock(inner)))
            return failure();
    }
    return success();
  }

  /// Positions, bounds and scalars of the access side are streams, kernel
  /// arguments or constants; a value the core computes would have to travel
  /// the wrong way.
  LogicalResult verifyAccessOperands(Operation *op) {
    OperandRange operands = op->getOperands();
    if (auto loop = dyn_cast<ForOp>(op))
      operands = operands.drop_back(loop.getInits().size());
    for (Value operand : operands) {
      if (isAccessType(operand.getType()) || isGlobal(operand))
        continue;
      InFlightDiagnostic diagnostic =
          op->emitOpError("depends on a value the core computes; the access "
                          "side uses streams, kernel arguments and constants");
      diagnostic.attachNote(operand.getLoc()) << "the value is computed here";
      return diagnostic;
    }
    if (isa<MemStreamOp, BufferStreamOp>(op))
      streamed.try_emplace(op->getOperand(0), op);
    if (auto store = dyn_cast<StoreStreamOp>(op))
      stored.try_emplace(store.getMemref(), op);
    return success();
  }

  /// Whether both sides see `value`: a kernel argument or a constant.
  bool isGlobal(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() == &kernel.getBody().front();
    return matchPattern(value, m_Constant());
  }

  void noteMemory(CallbackOp callback) {
    callback.getBody().walk([&](Operation *op) {
      MemoryUse use = getMemoryUse(op);
      for (Value buffer : use.writes)
        written.try_emplace(buffer, op);
      for (Value buffer : use.reads)
        read.try_emplace(buffer, op);
    });
  }

  /// A buffer is read only, or belongs to callbacks, or to store streams.
  LogicalResult verifyRoles() {
    return success(
        succeeded(verifyRole(streamed, written,
                             "reads a buffer that a callback of the kernel "
                             "writes; the access unit runs ahead of the core",
                             "it is written here")) &&
        succeeded(verifyRole(stored, streamed,
                             "writes a buffer that the kernel streams; reads "
                             "run ahead of writes",
                             "it is read here")) &&
        succeeded(verifyRole(stored, written,
                             "writes a buffer that a callback of the kernel "
                             "writes; the access unit runs ahead of the core",
                             "it is written here")) &&
        succeeded(verifyRole(stored, read,
                             "writes a buffer that a callback of the kernel "
                             "reads; the access unit runs ahead of the core",
                             "it is read here")));
  }

  using Users = llvm::MapVector<Value, Operation *>;

  /// Fails if a buffer is in both `users` and `others`.
  LogicalResult verifyRole(const Users &users, const Users &others,
                           StringRef problem, StringRef note) {
    for (auto [buffer, user] : users) {
      auto other = others.find(buffer);
      if (other == others.end())
        continue;
      InFlightDiagnostic diagnostic = user->emitOpError(problem);
      diagnostic.attachNote(other->second->getLoc()) << note;
      return diagnostic;
    }
    return success();
  }

  KernelOp kernel;
  llvm::StringMap<ForOp> labels;
  /// The first stream, store stream, and read and write by a callback, of each
  /// buffer.
  Users streamed, stored, read, written;
};

} // namespace

LogicalResult KernelOp::verifyRegions() {
  return KernelVerifier(*this).verify();
}
