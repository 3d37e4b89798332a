//===- SLCToSCF.cpp - Kernels as loops of one processor -------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// For machines without access units: puts each kernel where it is launched, as
// scf loops in which streams are loads and callbacks ordinary code. An access
// unit checks indices; here the loop does, reports the first bad one and skips
// what depends on it. Rows of later indices are prefetched.
//
//   slc.for @l1 %p = %lo to %hi step %c1 {
//     %i = slc.mem_stream %idx[%p]
//     %r = slc.buffer_stream %T[%i, %c0] length 64
//     slc.callback(%c = %r : memref<64xf32, #slc.queue>) { ... vector.load
//     %c[%d] ... }
//   }
//     ==>
//   scf.for %p = %lo to %hi step %c1 {
//     %i = memref.load %idx[%p]
//     memref.prefetch %T[%idx[%p + 8], ...]
//     %ok = arith.cmpi ult, %i, %rows
//     scf.if %ok { ... vector.load %T[%i, %d] ... }
//     else { dlc.fault index_out_of_range argument "indices" (%p, %i, %rows) }
//   }
//
//===----------------------------------------------------------------------===//

#include "Coupled.h"

#include "ember/Conversion/Passes.h"
#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/Transforms/Arithmetic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTSLCTOSCF
#include "ember/Conversion/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

namespace {

/// Builds the loops of one launch.
class LaunchInliner {
public:
  LaunchInliner(slc::LaunchOp launch, slc::KernelOp kernel, int64_t distance)
      : launch(launch), kernel(kernel), builder(launch),
        prefetches(kernel, distance) {
    map.map(kernel.getArguments(), launch.getOperands());
    extents.emplace(builder, kernel, map);
  }

  LogicalResult run() {
    Block &body = kernel.getBody().front();
    SmallVector<Value> results;
    return emit(body.begin(), body, {}, results);
  }

private:
  LogicalResult emit(Block::iterator from, Block &block, ValueRange fallback,
                     SmallVectorImpl<Value> &results);
  LogicalResult emitGuarded(ArrayRef<Access> accesses, Block::iterator stream,
                            Block &block, ValueRange fallback,
                            SmallVectorImpl<Value> &results);
  LogicalResult emitLoop(slc::ForOp loop);
  LogicalResult emitLoopGuarded(ArrayRef<Access> accesses, slc::ForOp loop,
                                SmallVectorImpl<Value> &results);
  LogicalResult emitIf(slc::IfOp branch);
  LogicalResult emitCallback(slc::CallbackOp callback);
  void emitMemory(Operation *stream);
  void emitLoad(Operation *load);
  void emitStore(slc::StoreStreamOp store);
  void emitLocal(slc::LocalOp local);
  SmallVector<Value> mapAll(ValueRange values);
  /// A condition, and the results of what it guards or of the other case.
  LogicalResult
  emitChoice(Location loc, Value condition, TypeRange types,
             function_ref<LogicalResult(SmallVectorImpl<Value> &)> then,
             function_ref<LogicalResult(SmallVectorImpl<Value> &)> other,
             SmallVectorImpl<Value> &results);

  static std::tuple<Value, unsigned, Value, int64_t> getKey(Access access) {
    return {access.getMemRef(), access.dimension, access.getIndex(),
            access.getCount()};
  }

  slc::LaunchOp launch;
  slc::KernelOp kernel;
  OpBuilder builder;
  IRMapping map;
  std::optional<Extents> extents;
  Prefetches prefetches;
  llvm::DenseMap<Value, ChunkPlace> chunks;
  /// Accesses that a check before the current loops covers: buffer, dimension,
  /// index and count of elements.
  llvm::DenseSet<std::tuple<Value, unsigned, Value, int64_t>> covered;
};

} // namespace

LogicalResult LaunchInliner::emitChoice(
    Location loc, Value condition, TypeRange types,
    function_ref<LogicalResult(SmallVectorImpl<Value> &)> then,
    function_ref<LogicalResult(SmallVectorImpl<Value> &)> other,
    SmallVectorImpl<Value> &results) {
  auto branch =
      scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/true,
                        /*addElseBlock=*/static_cast<bool>(other));
  auto fill = [&](Block &block,
                  function_ref<LogicalResult(SmallVectorImpl<Value> &)> content)
      -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    // An if without results is made with its terminators.
    if (!block.empty())
      block.back().erase();
    builder.setInsertionPointToEnd(&block);
    SmallVector<Value> yielded;
    if (failed(content(yielded)))
      return failure();
    scf::YieldOp::create(builder, loc, yielded);
    return success();
  };
  if (failed(fill(*branch.thenBlock(), then)) ||
      (other && failed(fill(*branch.elseBlock(), other))))
    return failure();
  llvm::append_range(results, branch.getResults());
  return success();
}

/// Emits the operations of `block` from `from` on. `results` are what its
/// terminator hands on, or `fallback` after bad data.
LogicalResult LaunchInliner::emit(Block::iterator from, Block &block,
                                  ValueRange fallback,
                                  SmallVectorImpl<Value> &results) {
  for (auto it = from; it != block.end(); ++it) {
    Operation *op = &*it;
    LogicalResult done = success();
    if (matchPattern(op, m_Constant())) {
      builder.clone(*op, map);
    } else if (auto alu = dyn_cast<slc::AluStreamOp>(op)) {
      map.map(alu.getStream(),
              slc::createArithmetic(builder, alu, mapAll(alu.getOperands())));
    } else if (isa<slc::MemStreamOp, slc::BufferStreamOp, slc::StoreStreamOp>(
                   op)) {
      SmallVector<Access> accesses = getUncheckedAccesses(op, map);
      llvm::erase_if(accesses, [&](Access access) {
        return covered.contains(getKey(access));
      });
      if (!accesses.empty())
        return emitGuarded(accesses, it, block, fallback, results);
      emitMemory(op);
    } else if (auto loop = dyn_cast<slc::ForOp>(op)) {
      done = emitLoop(loop);
    } else if (auto branch = dyn_cast<slc::IfOp>(op)) {
      done = emitIf(branch);
    } else if (auto callback = dyn_cast<slc::CallbackOp>(op)) {
      done = emitCallback(callback);
    } else if (auto local = dyn_cast<slc::LocalOp>(op)) {
      emitLocal(local);
    } else {
      for (Value operand : op->getOperands())
        results.push_back(map.lookup(operand));
    }
    if (failed(done))
      return failure();
  }
  return success();
}

LogicalResult LaunchInliner::emitGuarded(ArrayRef<Access> accesses,
                                         Block::iterator stream, Block &block,
                                         ValueRange fallback,
                                         SmallVectorImpl<Value> &results) {
  if (accesses.empty()) {
    emitMemory(&*stream);
    return emit(std::next(stream), block, fallback, results);
  }
  Access access = accesses.front();
  Value inside = createCheck(builder, access, map, *extents);
  return emitChoice(
      stream->getLoc(), inside, fallback.getTypes(),
      [&](SmallVectorImpl<Value> &yielded) {
        return emitGuarded(accesses.drop_front(), stream, block, fallback,
                           yielded);
      },
      [&](SmallVectorImpl<Value> &yielded) {
        createFault(builder, access, map, *extents);
        llvm::append_range(yielded, fallback);
        return success();
      },
      results);
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

LogicalResult LaunchInliner::emitLoop(slc::ForOp loop) {
  SmallVector<Value> results;
  SmallVector<Access> accesses = getLoopAccesses(loop, map);
  // What the checks before the loop cover, they cover inside it only.
  auto outside = covered;
  if (failed(emitLoopGuarded(accesses, loop, results)))
    return failure();
  covered = std::move(outside);
  map.map(loop.getResults(), results);
  return success();
}

LogicalResult LaunchInliner::emitLoopGuarded(ArrayRef<Access> accesses,
                                             slc::ForOp loop,
                                             SmallVectorImpl<Value> &results) {
  SmallVector<Value> inits;
  for (Value init : loop.getInits())
    inits.push_back(map.lookup(init));
  if (!accesses.empty()) {
    Access access = accesses.front();
    covered.insert(getKey(access));
    Value inside = createLoopCheck(builder, loop, access, map, *extents);
    return emitChoice(
        loop.getLoc(), inside, loop.getResultTypes(),
        [&](SmallVectorImpl<Value> &yielded) {
          return emitLoopGuarded(accesses.drop_front(), loop, yielded);
        },
        [&](SmallVectorImpl<Value> &yielded) {
          createLoopFault(builder, loop, access, map, *extents);
          llvm::append_range(yielded, inits);
          return success();
        },
        results);
  }
  auto host = scf::ForOp::create(
      builder, loop.getLoc(), map.lookup(loop.getLower()),
      map.lookup(loop.getUpper()), map.lookup(loop.getStep()), inits);
  host->setAttr("ember.label", loop.getLabelAttr());
  OpBuilder::InsertionGuard guard(builder);
  Block *body = host.getBody();
  if (!body->empty())
    body->back().erase();
  builder.setInsertionPointToEnd(body);
  map.map(loop.getBody().getArguments(), body->getArguments());
  SmallVector<Value> yielded;
  Block &from = loop.getBody().front();
  if (failed(emit(from.begin(), from, host.getRegionIterArgs(), yielded)))
    return failure();
  scf::YieldOp::create(builder, loop.getLoc(), yielded);
  llvm::append_range(results, host.getResults());
  return success();
}

LogicalResult LaunchInliner::emitIf(slc::IfOp branch) {
  Location loc = branch.getLoc();
  // After bad data results are not delivered; any value will do.
  SmallVector<Value> fallback;
  for (Type type : branch.getResultTypes()) {
    TypedAttr zero = builder.getZeroAttr(type);
    if (!zero)
      return branch.emitOpError(
                 "cannot be lowered to a coupled loop: there is no "
                 "value of type ")
             << type << " to go on with after bad data";
    fallback.push_back(arith::ConstantOp::create(builder, loc, zero));
  }
  SmallVector<Value> results;
  auto emitRegion = [&](Region &region) {
    return [&](SmallVectorImpl<Value> &yielded) {
      return emit(region.front().begin(), region.front(), fallback, yielded);
    };
  };
  auto then = emitRegion(branch.getThenRegion());
  auto other = emitRegion(branch.getElseRegion());
  using Content = function_ref<LogicalResult(SmallVectorImpl<Value> &)>;
  if (failed(emitChoice(
          loc, map.lookup(branch.getCondition()), branch.getResultTypes(), then,
          branch.getElseRegion().empty() ? Content() : Content(other),
          results)))
    return failure();
  map.map(branch.getResults(), results);
  return success();
}

//===----------------------------------------------------------------------===//
// Loads, stores, buffers and callbacks
//===----------------------------------------------------------------------===//

void LaunchInliner::emitMemory(Operation *stream) {
  if (auto store = dyn_cast<slc::StoreStreamOp>(stream))
    emitStore(store);
  else
    emitLoad(stream);
}

SmallVector<Value> LaunchInliner::mapAll(ValueRange values) {
  return llvm::map_to_vector(values,
                             [&](Value value) { return map.lookup(value); });
}

void LaunchInliner::emitLoad(Operation *load) {
  Location loc = load->getLoc();
  Value memref = map.lookup(getMemRef(load));
  SmallVector<Value> indices = mapAll(getIndices(load));
  if (auto buffer = dyn_cast<slc::BufferStreamOp>(load)) {
    chunks[buffer.getChunk()] = {memref, indices,
                                 static_cast<int64_t>(buffer.getLength())};
    return;
  }
  auto stream = cast<slc::MemStreamOp>(load);
  auto type =
      dyn_cast<VectorType>(stream.getStream().getType().getElementType());
  Value value;
  if (!type) {
    value = memref::LoadOp::create(builder, loc, memref, indices);
  } else if (!stream.getValid()) {
    value = vector::LoadOp::create(builder, loc, type, memref, indices);
  } else {
    Value mask = vector::ConstantMaskOp::create(
        builder, loc, type.clone(builder.getI1Type()),
        ArrayRef<int64_t>{static_cast<int64_t>(*stream.getValid())});
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    value = vector::MaskedLoadOp::create(builder, loc, type, memref, indices,
                                         mask, zero);
  }
  map.map(stream.getStream(), value);
  prefetches.create(builder, stream, map, *extents);
}

/// Vectors are stored as they are; of a chunk, which is still where it was read
/// from, and of a scalar, element by element.
void LaunchInliner::emitStore(slc::StoreStreamOp store) {
  Location loc = store.getLoc();
  Value memref = map.lookup(store.getMemref());
  SmallVector<Value> indices = mapAll(store.getIndices());
  auto chunk = chunks.find(store.getValue());
  Value value;
  if (chunk == chunks.end()) {
    value = map.lookup(store.getValue());
    auto type = dyn_cast<VectorType>(value.getType());
    if (type && !store.getLength()) {
      vector::StoreOp::create(builder, loc, value, memref, indices);
      return;
    }
    if (type) {
      Value mask = vector::ConstantMaskOp::create(
          builder, loc, type.clone(builder.getI1Type()),
          ArrayRef<int64_t>{store.getCount()});
      vector::MaskedStoreOp::create(builder, loc, memref, indices, mask, value);
      return;
    }
    if (store.getCount() == 1) {
      memref::StoreOp::create(builder, loc, value, memref, indices);
      return;
    }
  }
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value count = arith::ConstantIndexOp::create(builder, loc, store.getCount());
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  auto loop = scf::ForOp::create(builder, loc, zero, count, one);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value position = loop.getInductionVar();
  if (!value)
    value = loadElement(builder, loc, chunk->second, position);
  indices.back() =
      arith::AddIOp::create(builder, loc, indices.back(), position);
  memref::StoreOp::create(builder, loc, value, memref, indices);
}

/// `type` in the memory of the host: locals are ordinary buffers there.
static Type getHostType(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || !isa_and_nonnull<slc::LocalSpaceAttr, slc::QueueSpaceAttr>(
                     memref.getMemorySpace()))
    return type;
  return MemRefType::get(memref.getShape(), memref.getElementType(),
                         memref.getLayout());
}

/// One buffer for the whole launch, made outside the loops of the host.
void LaunchInliner::emitLocal(slc::LocalOp local) {
  OpBuilder::InsertionGuard guard(builder);
  auto function = launch->getParentOfType<FunctionOpInterface>();
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  map.map(local.getBuffer(),
          memref::AllocaOp::create(
              builder, local.getLoc(),
              cast<MemRefType>(getHostType(local.getBuffer().getType())))
              .getResult());
}

LogicalResult LaunchInliner::emitCallback(slc::CallbackOp callback) {
  Block &body = callback.getBody().front();
  // Chunks read in place once their users stand in the host.
  SmallVector<std::pair<UnrealizedConversionCastOp, ChunkPlace>> read;
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), callback.getOperands())) {
    if (!isa<slc::ChunkType>(operand.getType())) {
      map.map(argument, map.lookup(operand));
      continue;
    }
    auto stand = UnrealizedConversionCastOp::create(
        builder, callback.getLoc(), argument.getType(), ValueRange{});
    map.map(argument, stand.getResult(0));
    read.emplace_back(stand, chunks.at(operand));
  }
  for (Operation &op : body.without_terminator()) {
    Operation *clone = builder.clone(op, map);
    clone->walk([](Operation *inner) {
      for (Value result : inner->getResults())
        result.setType(getHostType(result.getType()));
    });
  }
  // Reading in place replaces loads, which the callback may yield.
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(map.lookup(value));
  auto kept = UnrealizedConversionCastOp::create(
      builder, callback.getLoc(), callback.getResultTypes(), yielded);
  for (auto [stand, place] : read) {
    if (failed(readChunkInPlace(stand.getResult(0), place)))
      return failure();
    stand.erase();
  }
  for (auto [result, value] :
       llvm::zip(callback.getResults(), kept.getInputs()))
    map.map(result, value);
  kept.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertSLCToSCF : ember::impl::ConvertSLCToSCFBase<ConvertSLCToSCF> {
  using ConvertSLCToSCFBase::ConvertSLCToSCFBase;

  void runOnOperation() override {
    if (prefetchDistance < 0) {
      getOperation().emitError(
          "prefetch-distance must not be negative, but is ")
          << prefetchDistance;
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    SmallVector<slc::LaunchOp> launches;
    getOperation().walk(
        [&](slc::LaunchOp launch) { launches.push_back(launch); });
    for (slc::LaunchOp launch : launches) {
      auto kernel = symbols.lookup<slc::KernelOp>(launch.getKernel());
      if (failed(LaunchInliner(launch, kernel, prefetchDistance).run()))
        return signalPassFailure();
      launch.erase();
    }
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<slc::KernelOp>()))
      kernel.erase();
  }
};
} // namespace
