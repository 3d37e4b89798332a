//===- Widen.cpp - Elementwise code on vectors ----------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "Widen.h"

#include "RowLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ember::slc;

//===----------------------------------------------------------------------===//
// What may be widened
//===----------------------------------------------------------------------===//

std::optional<Widening> Widening::create(Block &code, ValueRange counters,
                                         ValueRange elements) {
  Widening widening(code);
  for (Value counter : counters) {
    widening.varying.insert(counter);
    widening.consecutive.insert(counter);
  }
  for (Value element : elements) {
    widening.varying.insert(element);
    widening.addType(element.getType());
  }
  for (Operation &op : code.without_terminator())
    if (!widening.analyze(op))
      return std::nullopt;
  if (!widening.isIndependent())
    return std::nullopt;
  return widening;
}

void Widening::addType(Type type) {
  bits = std::max(bits, getElementBits(type));
}

bool Widening::analyze(Operation &op) {
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (!analyzeAccess(op, load.getMemRef(), load.getIndices(), false))
      return false;
    if (llvm::any_of(load.getIndices(),
                     [&](Value v) { return isVarying(v); })) {
      varying.insert(load.getResult());
      addType(load.getType());
    }
    return true;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    addType(store.getValueToStore().getType());
    return analyzeAccess(op, store.getMemRef(), store.getIndices(), true);
  }
  // Speculatable, because lanes beyond the last iteration compute too.
  if (op.getNumRegions() != 0 || !isPure(&op))
    return false;
  if (llvm::none_of(op.getOperands(), [&](Value v) { return isVarying(v); }))
    return true;
  auto isScalar = [](Type type) { return type.isIntOrIndexOrFloat(); };
  if (op.getNumResults() != 1 || !OpTrait::hasElementwiseMappableTraits(&op) ||
      !isScalar(op.getResult(0).getType()) ||
      !llvm::all_of(op.getOperandTypes(), isScalar))
    return false;
  Value result = op.getResult(0);
  varying.insert(result);
  auto add = dyn_cast<arith::AddIOp>(op);
  if (add && ((isConsecutive(add.getLhs()) && !isVarying(add.getRhs())) ||
              (isConsecutive(add.getRhs()) && !isVarying(add.getLhs())))) {
    consecutive.insert(result);
    return true;
  }
  addType(result.getType());
  for (Value operand : op.getOperands())
    addType(operand.getType());
  return true;
}

bool Widening::analyzeAccess(Operation &op, Value memref, ValueRange indices,
                             bool writes) {
  if (isVarying(memref))
    return false;
  accesses.push_back({memref, SmallVector<Value>(indices), writes});
  bool varies = llvm::any_of(indices, [&](Value v) { return isVarying(v); });
  // A store at one place keeps the last iteration's value.
  if (!varies)
    return !writes;
  return isConsecutive(indices.back()) &&
         llvm::none_of(indices.drop_back(),
                       [&](Value v) { return isVarying(v); }) &&
         liesAsVector(cast<MemRefType>(memref.getType()));
}

/// Buffers of a kernel do not overlap when one is written, so only accesses to
/// the same buffer can meet. Those do no harm that name the same element in one
/// iteration, and another in any other.
bool Widening::isIndependent() const {
  auto isKnown = [](Value buffer) {
    auto argument = dyn_cast<BlockArgument>(buffer);
    return argument
               ? isa<KernelOp, CallbackOp>(argument.getOwner()->getParentOp())
               : isa<LocalOp>(buffer.getDefiningOp());
  };
  auto isSame = [&](Value a, Value b) {
    auto isCounter = [&](Value v) {
      return isConsecutive(v) && isa<BlockArgument>(v);
    };
    return a == b || (isCounter(a) && isCounter(b));
  };
  for (const Access &write : accesses) {
    if (!write.writes)
      continue;
    Value buffer = getRootBuffer(write.memref);
    if (!isKnown(buffer))
      return false;
    for (const Access &other : accesses) {
      Value root = getRootBuffer(other.memref);
      if (!isKnown(root))
        return false;
      if (root == buffer &&
          (other.memref != write.memref ||
           !llvm::equal(write.indices, other.indices, isSame)))
        return false;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The widened code
//===----------------------------------------------------------------------===//

class Widening::Emitter {
public:
  Emitter(const Widening &widening, OpBuilder &builder, Value base,
          int64_t lanes, int64_t valid, IRMapping vectors)
      : widening(widening), builder(builder), base(base), lanes(lanes),
        valid(valid), vectors(std::move(vectors)) {}

  void emit(Operation &op) {
    Location loc = op.getLoc();
    if (auto store = dyn_cast<memref::StoreOp>(op))
      return emitStore(store);
    if (auto load = dyn_cast<memref::LoadOp>(op);
        load && widening.isVarying(load.getResult()))
      return emitLoad(load);
    if (op.getNumResults() != 1 || !widening.isVarying(op.getResult(0))) {
      builder.clone(op, scalars);
      return;
    }
    if (widening.isConsecutive(op.getResult(0)))
      return; // Built where it is used.
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(getVector(loc, operand));
    OperationState state(loc, op.getName());
    state.addOperands(operands);
    state.addTypes(getType(op.getResult(0).getType()));
    state.addAttributes(op.getAttrs());
    vectors.map(op.getResult(0), builder.create(state)->getResult(0));
  }

private:
  VectorType getType(Type element) { return VectorType::get(lanes, element); }

  Value getMask(Location loc) {
    return vector::ConstantMaskOp::create(
        builder, loc, getType(builder.getI1Type()), ArrayRef<int64_t>{valid});
  }

  /// What `value`, the same in all lanes or counting up, is in lane 0.
  Value getFirst(Location loc, Value value) {
    if (!widening.isConsecutive(value))
      return scalars.lookupOrDefault(value);
    auto add = value.getDefiningOp<arith::AddIOp>();
    if (!add)
      return base;
    return builder.createOrFold<arith::AddIOp>(loc, getFirst(loc, add.getLhs()),
                                               getFirst(loc, add.getRhs()));
  }

  Value getVector(Location loc, Value value) {
    if (Value vector = vectors.lookupOrNull(value))
      return vector;
    Value vector = vector::BroadcastOp::create(
        builder, loc, getType(value.getType()), getFirst(loc, value));
    if (widening.isConsecutive(value)) {
      Value step =
          vector::StepOp::create(builder, loc, getType(builder.getIndexType()));
      vector = arith::AddIOp::create(builder, loc, vector, step);
      vectors.map(value, vector);
    }
    return vector;
  }

  SmallVector<Value> getIndices(Location loc, ValueRange indices) {
    SmallVector<Value> mapped;
    for (Value index : indices)
      mapped.push_back(getFirst(loc, index));
    return mapped;
  }

  /// A chunk is padded with zeros, so its last vector can be read whole.
  bool isPadded(MemRefType type, Value index) {
    APInt position;
    return isa_and_nonnull<QueueSpaceAttr>(type.getMemorySpace()) &&
           matchPattern(index, m_ConstantInt(&position)) &&
           position.getSExtValue() + lanes <= type.getDimSize(0);
  }

  void emitLoad(memref::LoadOp load) {
    Location loc = load.getLoc();
    VectorType type = getType(load.getType());
    Value memref = scalars.lookupOrDefault(load.getMemRef());
    SmallVector<Value> indices = getIndices(loc, load.getIndices());
    Value vector;
    if (valid == lanes || isPadded(load.getMemRefType(), indices.back())) {
      vector = vector::LoadOp::create(builder, loc, type, memref, indices);
    } else {
      Value zero =
          arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
      vector = vector::MaskedLoadOp::create(builder, loc, type, memref, indices,
                                            getMask(loc), zero);
    }
    vectors.map(load.getResult(), vector);
  }

  void emitStore(memref::StoreOp store) {
    Location loc = store.getLoc();
    Value vector = getVector(loc, store.getValueToStore());
    Value memref = scalars.lookupOrDefault(store.getMemRef());
    SmallVector<Value> indices = getIndices(loc, store.getIndices());
    if (valid == lanes)
      vector::StoreOp::create(builder, loc, vector, memref, indices);
    else
      vector::MaskedStoreOp::create(builder, loc, memref, indices, getMask(loc),
                                    vector);
  }

  const Widening &widening;
  OpBuilder &builder;
  Value base;
  int64_t lanes, valid;
  /// Values the same in all lanes, and vectors of those that are not.
  IRMapping scalars, vectors;
};

void Widening::emit(OpBuilder &builder, Value base, int64_t lanes,
                    int64_t valid, IRMapping vectors) {
  Emitter emitter(*this, builder, base, lanes, valid, std::move(vectors));
  for (Operation &op : code->without_terminator())
    emitter.emit(op);
}
