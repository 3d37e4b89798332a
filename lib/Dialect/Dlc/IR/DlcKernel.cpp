//===- DlcKernel.cpp - Assembly and checks of dlc.kernel ------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// The rules that hold for a kernel as a whole, save the comparison of its two
// sides (DlcMatch.cpp).
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/IR/Slc.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ember;
using namespace ember::dlc;

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(),
                             state.attributes))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true))
    return failure();
  SmallVector<Type> argumentTypes;
  for (OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  state.addAttribute(getFunctionTypeAttrName(state.name),
                     TypeAttr::get(parser.getBuilder().getFunctionType(
                         argumentTypes, /*results=*/{})));
  QueuesAttr queues;
  if (parser.parseKeyword("queues") ||
      parser.parseCustomAttributeWithFallback(queues))
    return failure();
  state.addAttribute(getQueuesAttrName(state.name), queues);
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  call_interface_impl::addArgAndResultAttrs(
      parser.getBuilder(), state, arguments, /*resultAttrs=*/{},
      getArgAttrsAttrName(state.name), getResAttrsAttrName(state.name));
  return parser.parseRegion(*state.addRegion(), arguments);
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) {
                          printer.printRegionArgument(
                              argument, function_interface_impl::getArgAttrs(
                                            *this, argument.getArgNumber()));
                        });
  printer << ") queues ";
  printer.printStrippedAttrOrType(getQueues());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getQueuesAttrName(),
       getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

std::string KernelOp::getArgumentName(unsigned index) {
  if (auto name = getArgAttrOfType<StringAttr>(index, "ember.name"))
    return name.str();
  return std::to_string(index);
}

AccessOp KernelOp::getAccess() { return *getBody().getOps<AccessOp>().begin(); }

ExecuteOp KernelOp::getExecute() {
  return *getBody().getOps<ExecuteOp>().begin();
}

bool ember::dlc::isAccessUnitArithmetic(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MinSIOp,
             arith::MaxSIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             arith::SelectOp, arith::CmpIOp, arith::IndexCastOp,
             arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp>(op) &&
         op->getResult(0).getType().isIntOrIndex();
}

namespace {

/// Checks one kernel but for the comparison of its sides.
class KernelVerifier {
public:
  explicit KernelVerifier(KernelOp kernel) : kernel(kernel) {}

  LogicalResult verify() {
    if (!kernel.getResultTypes().empty())
      return kernel.emitOpError("has no results: it writes to its arguments");
    return success(succeeded(verifyTop()) &&
                   succeeded(verifyAccess(kernel.getAccess().getBody())) &&
                   succeeded(verifyRoles()) && succeeded(verifyCapacity()));
  }

private:
  LogicalResult verifyTop() {
    unsigned numAccess = 0, numExecute = 0;
    for (Operation &op : kernel.getBody().front()) {
      if (isa<AccessOp>(op))
        ++numAccess;
      else if (isa<ExecuteOp>(op))
        ++numExecute;
      else if (!matchPattern(&op, m_Constant()))
        return op.emitOpError("is neither a side of the kernel nor a constant "
                              "that both sides see");
    }
    if (numAccess != 1 || numExecute != 1)
      return kernel.emitOpError(
          "needs one dlc.access and one dlc.execute region");
    return success();
  }

  LogicalResult verifyAccess(Region &region) {
    for (Operation &op : region.getOps()) {
      if (auto mem = dyn_cast<MemOp>(op)) {
        if (!isArgument(mem.getMemref()))
          return mem.emitOpError("reads a buffer that is not an argument of "
                                 "the kernel");
        used.try_emplace(mem.getMemref(), mem);
      } else if (auto store = dyn_cast<StoreOp>(op)) {
        if (!isArgument(store.getMemref()))
          return store.emitOpError("writes a buffer that is not an argument of "
                                   "the kernel");
        stored.try_emplace(store.getMemref(), store);
      } else if (auto loop = dyn_cast<LoopOp>(op)) {
        auto [first, isNew] = labels.try_emplace(loop.getLabel(), loop);
        if (!isNew) {
          auto diagnostic = loop.emitOpError("has the label @")
                            << loop.getLabel() << " of another loop";
          diagnostic.attachNote(first->second.getLoc()) << "the other loop";
          return diagnostic;
        }
        if (!isGlobal(loop.getStep()))
          return loop.emitOpError("needs a step that is an argument of the "
                                  "kernel or a constant");
      } else if (auto push = dyn_cast<PushOp>(op)) {
        Value value = push.getValue();
        if (!value.getType().isIntOrIndex() && !value.getDefiningOp<MemOp>())
          return push.emitOpError("sends a value that the access unit does not "
                                  "load and the core has already");
      } else if (!isa<IfOp>(op) && !matchPattern(&op, m_Constant()) &&
                 !isAccessUnitArithmetic(&op)) {
        return op.emitOpError("is not an operation of the access unit");
      }
      for (Region &inner : op.getRegions())
        if (failed(verifyAccess(inner)))
          return failure();
    }
    return success();
  }

  bool isArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && argument.getOwner() == &kernel.getBody().front();
  }

  /// Whether both sides see `value`: an argument of the kernel or a constant.
  bool isGlobal(Value value) {
    return isArgument(value) || matchPattern(value, m_Constant());
  }

  /// What the access unit writes, nobody reads or writes beside it: its reads
  /// run ahead, and the core runs behind.
  LogicalResult verifyRoles() {
    if (stored.empty())
      return success();
    ExecuteOp execute = kernel.getExecute();
    execute.walk([&](Operation *op) {
      slc::MemoryUse use = slc::getMemoryUse(op);
      for (Value buffer : llvm::concat<Value>(use.reads, use.writes))
        used.try_emplace(buffer, op);
    });
    for (auto [buffer, store] : stored) {
      auto other = used.find(buffer);
      if (other == used.end())
        continue;
      auto diagnostic = store->emitOpError(
          "writes a buffer that the kernel uses in another way");
      diagnostic.attachNote(other->second->getLoc()) << "it is used here";
      return diagnostic;
    }
    return success();
  }

  /// A queue holds what one take takes from it, and its largest element
  /// besides: an element that would straddle the end of the ring leaves less
  /// than its own size unused.
  LogicalResult verifyCapacity() {
    std::array<int64_t, 3> largest = {8, 8, 8};
    ExecuteOp execute = kernel.getExecute();
    execute.walk([&](TakeOp take) {
      for (auto [index, element] :
           llvm::enumerate(take.getBody().getArguments())) {
        int64_t &bytes = largest[static_cast<int>(take.getQueue(index))];
        bytes = std::max(bytes, getElementBytes(element.getType()));
      }
    });
    WalkResult result = execute.walk([&](TakeOp take) {
      std::array<int64_t, 3> taken = {0, 0, 0};
      for (auto [index, element] :
           llvm::enumerate(take.getBody().getArguments()))
        taken[static_cast<int>(take.getQueue(index))] +=
            getElementBytes(element.getType());
      for (auto queue :
           {QueueKind::Data, QueueKind::Scalar, QueueKind::Token}) {
        int64_t bytes = taken[static_cast<int>(queue)];
        int64_t capacity = kernel.getQueues().getCapacity(queue);
        int64_t needed = bytes + largest[static_cast<int>(queue)];
        if (bytes == 0 || needed <= capacity)
          continue;
        take.emitOpError("takes ")
            << bytes << " bytes from the " << stringifyQueueKind(queue)
            << " queue at once, which with its largest element needs " << needed
            << " bytes, but the queue has " << capacity;
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  KernelOp kernel;
  llvm::StringMap<LoopOp> labels;
  /// The first store to each buffer, and the first other use of it.
  llvm::MapVector<Value, Operation *> stored, used;
};

} // namespace

LogicalResult KernelOp::verifyRegions() {
  if (failed(KernelVerifier(*this).verify()))
    return failure();
  return verifySidesMatch(*this);
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto kernel =
      tables.lookupNearestSymbolFrom<KernelOp>(*this, getKernelAttr());
  if (!kernel)
    return emitOpError("launches @")
           << getKernel() << ", which is no dlc.kernel";
  if (TypeRange(getOperandTypes()) == TypeRange(kernel.getArgumentTypes()))
    return success();
  InFlightDiagnostic diagnostic = emitOpError("passes (")
                                  << getOperandTypes() << ") but @"
                                  << getKernel() << " expects ("
                                  << kernel.getArgumentTypes() << ")";
  diagnostic.attachNote(kernel.getLoc()) << "the kernel";
  return diagnostic;
}
