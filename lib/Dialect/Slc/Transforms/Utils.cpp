//===- Utils.cpp - Rebuild kernels in slc form ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Slc/Transforms/Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// Values that leave a callback
//===----------------------------------------------------------------------===//

/// Appends `values`, defined in `callback`, to its results.
static CallbackOp addResults(CallbackOp callback, ArrayRef<Value> values) {
  OpBuilder builder(callback);
  auto yield = cast<YieldOp>(callback.getBody().front().getTerminator());
  yield->insertOperands(yield->getNumOperands(), values);
  SmallVector<Type> types(callback.getResultTypes());
  llvm::append_range(types, ValueRange(values).getTypes());
  OperationState state(callback.getLoc(), CallbackOp::getOperationName());
  state.addOperands(callback.getOperands());
  state.addTypes(types);
  state.addAttributes(callback->getAttrs());
  state.addRegion()->takeBody(callback.getBody());
  auto result = cast<CallbackOp>(builder.create(state));
  callback->replaceAllUsesWith(
      result->getResults().take_front(callback->getNumResults()));
  callback->erase();
  return result;
}

void ember::slc::yieldEscapingValues(KernelOp kernel) {
  SmallVector<CallbackOp> callbacks;
  kernel.walk([&](CallbackOp callback) { callbacks.push_back(callback); });
  for (CallbackOp callback : callbacks) {
    auto isOutside = [&](OpOperand &use) {
      return !callback.getBody().isAncestor(use.getOwner()->getParentRegion());
    };
    SmallVector<Value> escaping;
    for (BlockArgument argument : callback.getBody().getArguments())
      if (llvm::any_of(argument.getUses(), isOutside))
        escaping.push_back(argument);
    for (Operation &op : callback.getBody().front())
      for (Value result : op.getResults())
        if (llvm::any_of(result.getUses(), isOutside))
          escaping.push_back(result);
    if (escaping.empty())
      continue;
    callback = addResults(callback, escaping);
    ResultRange results = callback->getResults().take_back(escaping.size());
    for (auto [inside, outside] : llvm::zip(escaping, results))
      inside.replaceUsesWithIf(outside, isOutside);
  }
}

//===----------------------------------------------------------------------===//
// Streams that callbacks use
//===----------------------------------------------------------------------===//

/// The operation, outside all callbacks, at which the core uses a stream by
/// `use`; null if the use belongs to the access side.
static Operation *getExecuteSite(OpOperand &use) {
  Operation *owner = use.getOwner();
  Operation *site = nullptr;
  for (Operation *op = owner; op && !isa<KernelOp>(op); op = op->getParentOp())
    if (isa<CallbackOp>(op))
      site = op;
  // An operand of the callback itself is already in order.
  if (site)
    return site == owner ? nullptr : site;
  if (auto loop = dyn_cast<ForOp>(owner))
    return llvm::is_contained(loop.getInits(), use.get()) &&
                   use.getOperandNumber() >=
                       loop->getNumOperands() - loop.getInits().size()
               ? owner
               : nullptr;
  return isa<YieldOp>(owner) ? owner : nullptr;
}

/// The loop whose iterations the operations of `block` run once in.
static Operation *getLoop(Block *block) {
  Operation *parent = block->getParentOp();
  while (isa<IfOp>(parent))
    parent = parent->getParentOp();
  return parent;
}

/// Where to take a stream defined in `home`: the operation, in the innermost
/// block of the home loop that holds all `sites`, before which it is first
/// used.
static Operation *findAnchor(Block *home, ArrayRef<Operation *> sites) {
  Block *block = sites.front()->getBlock();
  auto isCommon = [&](Block *block) {
    return llvm::all_of(sites, [&](Operation *site) {
      return block->findAncestorOpInBlock(*site) != nullptr;
    });
  };
  while (block != home && (getLoop(block) != getLoop(home) || !isCommon(block)))
    block = block->getParentOp()->getBlock();
  Operation *anchor = nullptr;
  for (Operation *site : sites) {
    Operation *op = block->findAncestorOpInBlock(*site);
    if (!anchor || op->isBeforeInBlock(anchor))
      anchor = op;
  }
  return anchor;
}

namespace {
/// A stream and its uses by the core.
struct Take {
  Value stream;
  SmallVector<OpOperand *> uses;
};
} // namespace

static void replaceUses(const Take &take, Value value) {
  for (OpOperand *use : take.uses)
    use->set(value);
}

void ember::slc::takeStreams(KernelOp kernel) {
  SmallVector<Value> streams;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto loop = dyn_cast<ForOp>(op))
      streams.push_back(loop.getCounter());
    for (Value result : op->getResults())
      if (isAccessType(result.getType()))
        streams.push_back(result);
  });

  // Streams that need a callback of their own, by the place of the callback.
  llvm::MapVector<Operation *, SmallVector<Take>> shared;
  for (Value stream : streams) {
    Take take{stream, {}};
    llvm::SetVector<Operation *> sites;
    for (OpOperand &use : stream.getUses())
      if (Operation *site = getExecuteSite(use)) {
        sites.insert(site);
        take.uses.push_back(&use);
      }
    if (sites.empty())
      continue;
    Operation *anchor =
        findAnchor(stream.getParentBlock(), sites.getArrayRef());
    auto callback = dyn_cast<CallbackOp>(anchor);
    if (!callback || sites.size() != 1) {
      shared[anchor].push_back(take);
      continue;
    }
    callback->insertOperands(callback->getNumOperands(), stream);
    replaceUses(
        take, callback.getBody().addArgument(
                  getCallbackArgumentType(stream.getType()), stream.getLoc()));
  }

  for (auto &[anchor, takes] : shared) {
    SmallVector<Value> operands;
    SmallVector<Type> types;
    for (const Take &take : takes) {
      operands.push_back(take.stream);
      types.push_back(getCallbackArgumentType(take.stream.getType()));
    }
    OpBuilder builder(anchor);
    auto callback = CallbackOp::create(builder, takes.front().stream.getLoc(),
                                       types, operands);
    builder.setInsertionPointToEnd(&callback.getBody().front());
    YieldOp::create(builder, callback.getLoc(),
                    callback.getBody().getArguments());
    for (auto [take, result] : llvm::zip(takes, callback.getResults()))
      replaceUses(take, result);
  }
}

//===----------------------------------------------------------------------===//
// Neighbouring callbacks
//===----------------------------------------------------------------------===//

/// Whether two operands of callbacks of one block bring the same: kernels do
/// not write what they stream.
static bool isSame(Value a, Value b) {
  if (a == b)
    return true;
  auto first = a.getDefiningOp<BufferStreamOp>();
  auto second = b.getDefiningOp<BufferStreamOp>();
  return first && second && a.getType() == b.getType() &&
         first.getMemref() == second.getMemref() &&
         first.getIndices() == second.getIndices() &&
         first.getLength() == second.getLength();
}

/// The operands of `first`, and those of `second` that bring something else.
static SmallVector<Value> uniteOperands(CallbackOp first, CallbackOp second) {
  SmallVector<Value> operands(first.getOperands());
  for (Value operand : second.getOperands())
    if (llvm::none_of(operands, [&](Value v) { return isSame(v, operand); }))
      operands.push_back(operand);
  return operands;
}

static int64_t getChunkBytes(ArrayRef<Value> operands) {
  int64_t bytes = 0;
  for (Value operand : operands)
    if (auto chunk = dyn_cast<ChunkType>(operand.getType()))
      bytes += chunk.getSize() *
               (chunk.getElementType().isIndex()
                    ? 8
                    : llvm::divideCeil(
                          chunk.getElementType().getIntOrFloatBitWidth(), 8));
  return bytes;
}

/// Makes one callback, where `second` stands, of it and of `first`, which
/// stands before it in the same block.
static CallbackOp join(CallbackOp first, CallbackOp second) {
  OpBuilder builder(second);
  Block *body = &first.getBody().front();
  Block *rest = &second.getBody().front();
  // The second sees what the first computed without a detour over its results.
  for (auto [result, value] :
       llvm::zip(first.getResults(), body->getTerminator()->getOperands()))
    result.replaceUsesWithIf(value, [&](OpOperand &use) {
      return second.getBody().isAncestor(use.getOwner()->getParentRegion());
    });

  SmallVector<Value> operands = uniteOperands(first, second);
  SmallVector<Value> results, yielded;
  for (CallbackOp callback : {first, second}) {
    Operation *yield = callback.getBody().front().getTerminator();
    for (auto [result, value] :
         llvm::zip(callback.getResults(), yield->getOperands()))
      if (!result.use_empty()) {
        results.push_back(result);
        yielded.push_back(value);
      }
    yield->erase();
  }
  auto joined = CallbackOp::create(
      builder, builder.getFusedLoc({first.getLoc(), second.getLoc()}),
      TypeRange(ValueRange(results)), operands);
  Block *block = &joined.getBody().front();
  block->clear();
  // A yield that hands on an argument hands on the joined callback's.
  for (CallbackOp callback : {first, second})
    for (auto [argument, operand] :
         llvm::zip(callback.getBody().getArguments(), callback.getOperands())) {
      auto at =
          llvm::find_if(operands, [&](Value v) { return isSame(v, operand); });
      Value united = block->getArgument(at - operands.begin());
      argument.replaceAllUsesWith(united);
      llvm::replace(yielded, Value(argument), united);
    }
  block->getOperations().splice(block->end(), body->getOperations());
  block->getOperations().splice(block->end(), rest->getOperations());
  builder.setInsertionPointToEnd(block);
  YieldOp::create(builder, joined.getLoc(), yielded);
  for (auto [from, to] : llvm::zip(results, joined.getResults()))
    from.replaceAllUsesWith(to);
  first.erase();
  second.erase();
  return joined;
}

void ember::slc::joinCallbacks(KernelOp kernel, int64_t bytes) {
  SmallVector<Block *> blocks;
  kernel.walk([&](Operation *op) {
    if (isa<KernelOp, ForOp, IfOp>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
  });
  for (Block *block : blocks) {
    CallbackOp previous;
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      if (isa<ForOp, IfOp>(op))
        previous = nullptr;
      auto callback = dyn_cast<CallbackOp>(op);
      if (!callback)
        continue;
      bool fits =
          previous && getChunkBytes(uniteOperands(previous, callback)) <= bytes;
      previous = fits ? join(previous, callback) : callback;
    }
  }
}

//===----------------------------------------------------------------------===//
// Clean-up
//===----------------------------------------------------------------------===//

/// Makes `callback` yield only what is used.
static CallbackOp dropUnusedResults(CallbackOp callback) {
  if (llvm::none_of(callback.getResults(),
                    [](OpResult result) { return result.use_empty(); }))
    return callback;
  Operation *yield = callback.getBody().front().getTerminator();
  SmallVector<Value> used;
  for (OpResult result : callback.getResults()) {
    if (!result.use_empty())
      used.push_back(result);
    else
      yield->eraseOperand(used.size());
  }
  OpBuilder builder(callback);
  OperationState state(callback.getLoc(), CallbackOp::getOperationName());
  state.addOperands(callback.getOperands());
  state.addTypes(ValueRange(used).getTypes());
  state.addAttributes(callback->getAttrs());
  state.addRegion()->takeBody(callback.getBody());
  auto result = cast<CallbackOp>(builder.create(state));
  for (auto [from, to] : llvm::zip(used, result.getResults()))
    from.replaceAllUsesWith(to);
  callback.erase();
  return result;
}

void ember::slc::eraseDeadCode(KernelOp kernel) {
  // In reverse, so that what only dead code used is seen dead in its turn.
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (op == kernel)
      return;
    if (isOpTriviallyDead(op)) {
      op->erase();
      return;
    }
    // What a callback does not look at need not be sent.
    if (auto callback = dyn_cast<CallbackOp>(op)) {
      callback = dropUnusedResults(callback);
      Block &body = callback.getBody().front();
      for (unsigned index = callback.getNumOperands(); index-- > 0;)
        if (body.getArgument(index).use_empty()) {
          body.eraseArgument(index);
          callback->eraseOperand(index);
          if (ArrayAttr queues = callback.getQueuesAttr()) {
            SmallVector<Attribute> kinds(queues.getValue());
            kinds.erase(kinds.begin() + index);
            callback.setQueuesAttr(
                ArrayAttr::get(callback.getContext(), kinds));
          }
        }
    }
  });
}

ConstantPool::ConstantPool(KernelOp kernel) : body(&kernel.getBody().front()) {
  for (Operation &op : *body) {
    Attribute value;
    if (matchPattern(&op, m_Constant(&value)))
      pool.try_emplace({value, op.getResult(0).getType()}, op.getResult(0));
  }
}

Value ConstantPool::get(Operation *constant) {
  Attribute value;
  matchPattern(constant, m_Constant(&value));
  Value &entry = pool[{value, constant->getResult(0).getType()}];
  if (!entry) {
    OpBuilder builder = OpBuilder::atBlockBegin(body);
    entry = builder.clone(*constant)->getResult(0);
  }
  return entry;
}

Value ConstantPool::get(TypedAttr value) {
  Value &entry = pool[{value, value.getType()}];
  if (!entry) {
    OpBuilder builder = OpBuilder::atBlockBegin(body);
    entry = arith::ConstantOp::create(builder, body->getParentOp()->getLoc(),
                                      value);
  }
  return entry;
}

SmallVector<Value> ConstantPool::get(ArrayRef<TypedAttr> values) {
  return llvm::map_to_vector(values,
                             [&](TypedAttr value) { return get(value); });
}

Value ConstantPool::getIndex(int64_t value) {
  return get(IntegerAttr::get(IndexType::get(body->getParentOp()->getContext()),
                              value));
}
