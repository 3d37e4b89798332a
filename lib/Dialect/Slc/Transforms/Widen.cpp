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
                                         ValueRange elements,
                                         ArrayRef<CarriedValue> carried) {
  Widening widening(code);
  for (CarriedValue value : carried)
    if (!widening.addReduction(value))
      return std::nullopt;
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

bool Widening::addReduction(CarriedValue carried) {
  Operation *combiner = carried.left.getDefiningOp();
  if (!combiner || combiner->getBlock() != code ||
      combiner->getNumOperands() != 2 || !carried.found.hasOneUse() ||
      !carried.left.hasOneUse())
    return false;
  OpOperand &use = *carried.found.use_begin();
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  if (use.getOwner() != combiner || !neutral)
    return false;
  reductions.push_back(
      {combiner, combiner->getOperand(1 - use.getOperandNumber()), *neutral});
  addType(carried.left.getType());
  return true;
}

bool Widening::analyze(Operation &op) {
  if (llvm::any_of(reductions,
                   [&](const Reduction &r) { return r.combiner == &op; }))
    return true;
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

/// What the reduction's operation makes of `a` and `b`, elements or vectors.
static Value combine(OpBuilder &builder, Operation *combiner, Value a,
                     Value b) {
  OperationState state(combiner->getLoc(), combiner->getName());
  state.addOperands({a, b});
  state.addTypes(a.getType());
  state.addAttributes(combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

static TypedAttr getSplat(TypedAttr element, int64_t lanes) {
  return DenseElementsAttr::get(VectorType::get(lanes, element.getType()),
                                Attribute(element));
}

class Widening::Emitter {
public:
  Emitter(const Widening &widening, OpBuilder &builder, Value base,
          int64_t lanes, int64_t valid, IRMapping vectors, ValueRange partial)
      : widening(widening), builder(builder), base(base), lanes(lanes),
        valid(valid), vectors(std::move(vectors)), partial(partial) {}

  SmallVector<Value> emit() {
    for (Operation &op : widening.code->without_terminator())
      if (llvm::none_of(widening.reductions,
                        [&](const Reduction &r) { return r.combiner == &op; }))
        emit(op);
    SmallVector<Value> next;
    for (const Reduction &reduction : widening.reductions)
      next.push_back(emitCombination(reduction, next.size()));
    return next;
  }

private:
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

  Value emitCombination(const Reduction &reduction, size_t index) {
    Location loc = reduction.combiner->getLoc();
    Value element = getVector(loc, reduction.element);
    if (valid != lanes) {
      Value neutral = arith::ConstantOp::create(
          builder, loc, getSplat(reduction.neutral, lanes));
      element =
          arith::SelectOp::create(builder, loc, getMask(loc), element, neutral);
    }
    if (partial.empty())
      return element;
    return combine(builder, reduction.combiner, partial[index], element);
  }

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
  ValueRange partial;
};

SmallVector<Value> Widening::emit(OpBuilder &builder, Value base, int64_t lanes,
                                  int64_t valid, IRMapping vectors,
                                  ValueRange partial) const {
  return Emitter(*this, builder, base, lanes, valid, std::move(vectors),
                 partial)
      .emit();
}

SmallVector<TypedAttr> Widening::getNeutral(int64_t lanes) const {
  return llvm::map_to_vector(reductions, [&](const Reduction &reduction) {
    return getSplat(reduction.neutral, lanes);
  });
}

SmallVector<Value> Widening::emitResults(OpBuilder &builder, ValueRange partial,
                                         ValueRange inits) const {
  SmallVector<Value> results;
  for (auto [reduction, vector, init] : llvm::zip(reductions, partial, inits)) {
    Location loc = reduction.combiner->getLoc();
    int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
    Value value = vector;
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
      auto slice = [&](int64_t from) -> Value {
        return vector::ExtractStridedSliceOp::create(
            builder, loc, value, ArrayRef<int64_t>{from},
            ArrayRef<int64_t>{half}, ArrayRef<int64_t>{1});
      };
      Value lower = slice(0), upper = slice(half);
      value = combine(builder, reduction.combiner, lower, upper);
    }
    value = vector::ExtractOp::create(builder, loc, value, int64_t(0));
    results.push_back(combine(builder, reduction.combiner, init, value));
  }
  return results;
}
