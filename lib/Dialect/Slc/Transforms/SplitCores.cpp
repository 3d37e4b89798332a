//===- SplitCores.cpp - Share a kernel's outer loop among cores -----------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
//   slc.launch @k(%offsets, %n)
//   slc.kernel @k(%offsets, %n) {
//     slc.for @bags %b = %c0 to %n step %c1 parallel { ... } }
//     ==>
//   func.call @k_core(%c0, %offsets, %n) {dlc.cores = 4}
//   func.func private @k_core(%core, %offsets, %n) {
//     %begin, %end = (the core's part of [0, %n))
//     slc.launch @k(%offsets, %n, %begin, %end) }
//   slc.kernel @k(%offsets, %n, %begin, %end) {
//     slc.for @bags %b = %begin to %end step %c1 parallel { ... } }
//
// A loop whose inner loop runs from offsets[%b] to another offset is split by
// the work before each iteration, offsets[%b] + %b: an iteration counts as much
// as a lookup. Each core finds its part alone, by halving the cores and, with a
// binary search, the iterations; since every search stays within the part that
// the one before it left, the parts are disjoint and complete whatever is in
// the array. Other loops are split by iterations.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"
#include "ember/Dialect/Slc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

namespace ember::slc {
#define GEN_PASS_DEF_SLCSPLITCORES
#include "ember/Dialect/Slc/Transforms/Passes.h.inc"
} // namespace ember::slc

using namespace mlir;
using namespace ember;
using namespace ember::slc;
using arith::CmpIPredicate;

/// The loop whose iterations cores may share, or null.
static ForOp findSharedLoop(KernelOp kernel) {
  ForOp shared;
  for (Operation &op : kernel.getBody().front()) {
    if (op.hasTrait<OpTrait::ConstantLike>() || isa<LocalOp, ReturnOp>(op))
      continue;
    auto loop = dyn_cast<ForOp>(op);
    if (!loop || shared || !loop.getParallel() || loop->getNumResults() ||
        !matchPattern(loop.getStep(), m_One()))
      return {};
    shared = loop;
  }
  return shared;
}

/// The argument that `bound` is loaded from at a place that moves with the
/// counter, or null: arg[%i] or arg[%i + constant].
static BlockArgument findOffsets(Value bound, Value counter) {
  auto skip = [](Value value, AluOpcode opcode) {
    auto alu = value.getDefiningOp<AluStreamOp>();
    return alu && alu.getOpcode() == opcode ? alu.getOperands()[0] : value;
  };
  auto load = skip(bound, AluOpcode::IndexCast).getDefiningOp<MemStreamOp>();
  if (!load || load.getIndices().size() != 1 ||
      skip(load.getIndices()[0], AluOpcode::Add) != counter)
    return {};
  return dyn_cast<BlockArgument>(load.getMemref());
}

/// The array of offsets that says how much work each iteration has, or null.
static BlockArgument findOffsets(ForOp shared) {
  for (auto inner : shared.getBody().getOps<ForOp>()) {
    BlockArgument lower = findOffsets(inner.getLower(), shared.getCounter());
    if (lower && lower == findOffsets(inner.getUpper(), shared.getCounter()))
      return lower;
  }
  return {};
}

namespace {

/// Builds what a core does to find its part of a loop.
class PartBuilder {
public:
  using Range = std::pair<Value, Value>;

  PartBuilder(ImplicitLocOpBuilder &b, int64_t cores, Value core, Range loop)
      : b(b), cores(cores), core(core), loop(loop) {
    // A loop of no iterations may have bounds far apart in the wrong order.
    this->loop.second = max(loop.first, loop.second);
  }

  Range splitByCount() {
    Value count = sub(loop.second, loop.first);
    Value each = arith::DivUIOp::create(b, count, constant(cores));
    Value rest = arith::RemUIOp::create(b, count, constant(cores));
    auto begin = [&](Value number) {
      return add(loop.first, add(mul(each, number), min(number, rest)));
    };
    return {begin(core), begin(add(core, constant(1)))};
  }

  Range splitByWork(Value offsets) {
    Value size = memref::DimOp::create(b, offsets, constant(0)); // of the array
    Value last = sub(size, constant(1));
    auto workBefore = [&](Value iteration) -> Value {
      Value place = max(min(iteration, last), constant(0));
      Value offset = memref::LoadOp::create(b, offsets, place);
      if (!offset.getType().isIndex())
        offset = arith::IndexCastOp::create(b, b.getIndexType(), offset);
      return add(offset, iteration);
    };
    // An empty array has nothing to search.
    Value any = cmp(CmpIPredicate::sgt, size, constant(0));
    auto choice =
        scf::IfOp::create(b, TypeRange{b.getIndexType(), b.getIndexType()}, any,
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(choice.thenBlock());
    Range part = descend(workBefore);
    scf::YieldOp::create(b, ValueRange{part.first, part.second});
    b.setInsertionPointToStart(choice.elseBlock());
    part = splitByCount();
    scf::YieldOp::create(b, ValueRange{part.first, part.second});
    return {choice.getResult(0), choice.getResult(1)};
  }

private:
  /// Halves the cores, and with them the iterations, down to this core.
  Range descend(function_ref<Value(Value)> workBefore) {
    Value start = workBefore(loop.first);
    Value each = arith::DivUIOp::create(b, sub(workBefore(loop.second), start),
                                        constant(cores));
    auto levels = scf::ForOp::create(
        b, constant(0), constant(llvm::Log2_64_Ceil(cores)), constant(1),
        ValueRange{constant(0), constant(cores), loop.first, loop.second});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(levels.getBody());
    ValueRange state = levels.getRegionIterArgs();
    Value firstCore = state[0], endCore = state[1];
    Value middle = half(firstCore, endCore);
    Value target = add(start, mul(each, middle));
    Value at = search(state[2], state[3], [&](Value iteration) {
      return cmp(CmpIPredicate::slt, workBefore(iteration), target);
    });
    // Of a single core, `middle` is its number: it keeps all.
    Value alone = cmp(CmpIPredicate::eq, middle, firstCore);
    Value lower = cmp(CmpIPredicate::slt, core, middle);
    Value upper = cmp(CmpIPredicate::sge, core, middle);
    auto keep = [&](Value moves, Value to, Value from) -> Value {
      Value moved = arith::SelectOp::create(b, moves, to, from);
      return arith::SelectOp::create(b, alone, from, moved);
    };
    scf::YieldOp::create(b, ValueRange{keep(upper, middle, firstCore),
                                       keep(lower, middle, endCore),
                                       keep(upper, at, state[2]),
                                       keep(lower, at, state[3])});
    return {levels.getResult(2), levels.getResult(3)};
  }

  /// The first iteration of [begin, end) for which `isBefore` does not hold,
  /// or `end`, if those for which it holds come first.
  Value search(Value begin, Value end, function_ref<Value(Value)> isBefore) {
    Type index = b.getIndexType();
    auto loop = scf::WhileOp::create(
        b, TypeRange{index, index}, ValueRange{begin, end},
        [&](OpBuilder &, Location, ValueRange range) {
          Value open = cmp(CmpIPredicate::slt, range[0], range[1]);
          scf::ConditionOp::create(b, open, range);
        },
        [&](OpBuilder &, Location, ValueRange range) {
          Value middle = half(range[0], range[1]);
          Value before = isBefore(middle);
          Value next = add(middle, constant(1));
          Value begin = arith::SelectOp::create(b, before, next, range[0]);
          Value end = arith::SelectOp::create(b, before, range[1], middle);
          scf::YieldOp::create(b, ValueRange{begin, end});
        });
    return loop.getResult(0);
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, x, y); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(b, x, y); }
  Value cmp(CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, predicate, x, y);
  }
  /// The middle between two values, the lesser first.
  Value half(Value x, Value y) {
    Value distance = sub(y, x);
    return add(x, arith::ShRUIOp::create(b, distance, constant(1)));
  }

  ImplicitLocOpBuilder &b;
  int64_t cores;
  Value core;
  Range loop;
};

struct SplitCores : ember::slc::impl::SlcSplitCoresBase<SplitCores> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = dlc::TargetAttr::lookup(module);
    if (!target || target.getCores() == 1)
      return;
    SymbolTable symbols(module);
    for (auto kernel : llvm::to_vector(module.getOps<KernelOp>())) {
      ForOp shared = findSharedLoop(kernel);
      if (!shared) {
        kernel.emitRemark("runs on one core: it is not one loop with a step of "
                          "1 whose iterations are known to be independent");
        continue;
      }
      SmallVector<LaunchOp> launches;
      module.walk([&](LaunchOp launch) {
        if (launch.getKernel() == kernel.getSymName())
          launches.push_back(launch);
      });
      if (!launches.empty())
        split(kernel, shared, launches, target.getCores(), symbols);
    }
  }

  void split(KernelOp kernel, ForOp shared, ArrayRef<LaunchOp> launches,
             int64_t cores, SymbolTable &symbols) {
    Location loc = kernel.getLoc();
    OpBuilder outer(kernel);
    Type index = outer.getIndexType();
    SmallVector<Type> inputs{index};
    llvm::append_range(inputs, kernel.getArgumentTypes());
    auto function =
        func::FuncOp::create(outer, loc, (kernel.getSymName() + "_core").str(),
                             outer.getFunctionType(inputs, {}));
    function.setPrivate();
    auto user = launches.front()->getParentOfType<func::FuncOp>();
    function->setAttr(dlc::DlcDialect::userNameAttr, user.getSymNameAttr());
    symbols.insert(function);

    Block *entry = function.addEntryBlock();
    auto b = ImplicitLocOpBuilder::atBlockBegin(loc, entry);
    IRMapping arguments;
    arguments.map(kernel.getBody().getArguments(),
                  entry->getArguments().drop_front());
    auto onHost = [&](Value value) -> Value {
      if (Operation *constant = value.getDefiningOp())
        return b.clone(*constant)->getResult(0);
      return arguments.lookup(value);
    };
    PartBuilder parts(b, cores, entry->getArgument(0),
                      {onHost(shared.getLower()), onHost(shared.getUpper())});
    BlockArgument offsets = findOffsets(shared);
    auto [begin, end] =
        offsets ? parts.splitByWork(onHost(offsets)) : parts.splitByCount();

    SmallVector<Value> operands(entry->getArguments().drop_front());
    operands.append({begin, end});
    LaunchOp::create(b, kernel.getSymName(), operands);
    func::ReturnOp::create(b);

    unsigned numArguments = kernel.getNumArguments();
    for (unsigned i : {0, 1})
      (void)kernel.insertArgument(numArguments + i, index, {}, loc);
    shared.getLowerMutable().assign(kernel.getArgument(numArguments));
    shared.getUpperMutable().assign(kernel.getArgument(numArguments + 1));

    for (LaunchOp launch : launches) {
      OpBuilder host(launch);
      SmallVector<Value> operands{
          arith::ConstantIndexOp::create(host, launch.getLoc(), 0)};
      llvm::append_range(operands, launch.getOperands());
      auto call =
          func::CallOp::create(host, launch.getLoc(), function, operands);
      call->setAttr(dlc::DlcDialect::coresAttr, host.getI64IntegerAttr(cores));
      launch.erase();
    }
  }
};

} // namespace
