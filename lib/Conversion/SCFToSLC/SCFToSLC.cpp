//===- SCFToSLC.cpp - Decouple loop nests ---------------------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
// Outlines each loop nest that looks data up into a kernel, and cuts it in two:
// loads from buffers the nest only reads move to the access side, with the
// loops, conditionals and integer arithmetic that lead to them; the rest
// becomes callbacks.
//
//   func.func @bag(...) {                    func.func @bag(...) {
//     scf.for %b = %c0 to %B step %c1 {        slc.launch @bag_kernel(...)
//       %lo = memref.load %off[%b]           }
//       ...                                  slc.kernel @bag_kernel(...) {
//       scf.for %p = %lo to %hi {              slc.for @l0 %b = ... {
//         %i = memref.load %idx[%p]   ==>        %lo = slc.mem_stream %off[%b]
//         scf.for %d = %c0 to %c64 {             %bv = slc.callback(%v = %b) {
//         yield %v }
//           %r = memref.load %T[%i, %d]          slc.for @l1 %p = %lo to %hi {
//           %a = memref.load %out[%b, %d]          %i = slc.mem_stream %idx[%p]
//           %s = arith.addf %a, %r                 slc.for @l2 %d = ... {
//           memref.store %s, %out[%b, %d]            %r = slc.mem_stream %T[%i,
//           %d]
//         } } }                                      slc.callback(%rv = %r, %dv
//         = %d) {
//   }                                                  out[%bv, %dv] += %rv } }
//   } }
//
//===----------------------------------------------------------------------===//

#include "Decoupling.h"
#include "Prepare.h"
#include "Remarks.h"

#include "ember/Conversion/Passes.h"
#include "ember/Dialect/Slc/Transforms/Utils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace ember {
#define GEN_PASS_DEF_CONVERTSCFTOSLC
#include "ember/Conversion/Passes.h.inc"
} // namespace ember

using namespace mlir;
using namespace ember;

namespace {

/// Builds the kernel of one nest and replaces the nest by its launch.
class KernelBuilder {
public:
  KernelBuilder(scf::ForOp nest, const Decoupling &sides, SymbolTable &symbols)
      : nest(nest), sides(sides), symbols(symbols), builder(nest.getContext()) {
  }

  void build() {
    dropImpliedChecks();
    createKernel();
    Block *body = &kernel.getBody().front();
    builder.setInsertionPointToEnd(body);
    buildLoop(nest);
    slc::ReturnOp::create(builder, nest.getLoc());
    slc::yieldEscapingValues(kernel);
    slc::takeStreams(kernel);
    slc::eraseDeadCode(kernel);
    nest.erase();
  }

private:
  void dropImpliedChecks();
  void createKernel();
  std::string chooseName();
  StringAttr getUserName(Value value);

  void buildLoop(scf::ForOp loop);
  void buildIf(scf::IfOp branch);
  void buildBlock(Block &block);
  void buildStream(Operation *op, slc::CallbackOp before);
  void buildLocal(memref::AllocaOp alloca);
  void cloneIntoCallback(Operation *op, slc::CallbackOp callback);

  scf::ForOp nest;
  const Decoupling &sides;
  SymbolTable &symbols;
  OpBuilder builder;
  slc::KernelOp kernel;
  /// From values of the nest to values of the kernel. While building, a
  /// callback may use a stream, or a value of another callback, directly.
  IRMapping mapping;
  unsigned loops = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// The kernel and its arguments
//===----------------------------------------------------------------------===//

std::string KernelBuilder::chooseName() {
  std::string name;
  if (auto given = nest->getAttrOfType<StringAttr>("ember.kernel"))
    name = given.str();
  else
    name = nest->getParentOfType<func::FuncOp>().getName().str();
  return symbols.lookup(name) ? name + "_kernel" : name;
}

/// The name under which the user passes `value` to the function or gets it
/// back, if there is one. An argument without a name goes by its number.
StringAttr KernelBuilder::getUserName(Value value) {
  value = slc::getRootBuffer(value);
  auto function = nest->getParentOfType<func::FuncOp>();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != &function.getBody().front())
      return {};
    unsigned number = argument.getArgNumber();
    auto name = function.getArgAttrOfType<StringAttr>(number, "ember.name");
    return name ? name : builder.getStringAttr(std::to_string(number));
  }
  for (OpOperand &use : value.getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      return function.getResultAttrOfType<StringAttr>(use.getOperandNumber(),
                                                      "ember.name");
  return {};
}

/// The program's own checks of positions at which the access unit reads.
void KernelBuilder::dropImpliedChecks() {
  nest.walk([&](cf::AssertOp check) {
    if (!sides.isCheckedByUnit(check.getArg(), check))
      return;
    Operation *condition = check.getArg().getDefiningOp();
    check.erase();
    if (nest->isAncestor(condition) && isOpTriviallyDead(condition))
      condition->erase();
  });
}

void KernelBuilder::createKernel() {
  // What the nest uses from outside, in order of first use. Constants are made
  // again inside.
  llvm::SetVector<Value> captured;
  SmallVector<Operation *> constants;
  auto capture = [&](Value value) {
    Operation *definition = value.getDefiningOp();
    if (definition && matchPattern(definition, m_Constant())) {
      constants.push_back(definition);
      return;
    }
    captured.insert(value);
  };
  nest->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (matchPattern(op, m_Constant()))
      constants.push_back(op);
    for (Value operand : op->getOperands())
      if (!nest->isAncestor(operand.getParentBlock()->getParentOp()))
        capture(operand);
  });

  Location loc = nest.getLoc();
  SmallVector<Type> types(ValueRange(captured.getArrayRef()).getTypes());
  SmallVector<Attribute> attributes;
  for (Value value : captured) {
    SmallVector<NamedAttribute> named;
    if (StringAttr name = getUserName(value))
      named.push_back(builder.getNamedAttr("ember.name", name));
    attributes.push_back(builder.getDictionaryAttr(named));
  }
  kernel = slc::KernelOp::create(
      builder, loc, builder.getStringAttr(chooseName()),
      TypeAttr::get(builder.getFunctionType(types, {})),
      /*sym_visibility=*/StringAttr(), builder.getArrayAttr(attributes),
      /*res_attrs=*/ArrayAttr());
  auto function = nest->getParentOfType<func::FuncOp>();
  symbols.insert(kernel, ++Block::iterator(function));
  builder.setInsertionPoint(nest);
  slc::LaunchOp::create(builder, loc, kernel.getSymName(),
                        captured.getArrayRef());

  Block *body = builder.createBlock(&kernel.getBody());
  for (Value value : captured)
    mapping.map(value, body->addArgument(types[body->getNumArguments()],
                                         value.getLoc()));
  slc::ConstantPool pool(kernel);
  for (Operation *constant : constants)
    mapping.map(constant->getResult(0), pool.get(constant));
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

void KernelBuilder::buildLoop(scf::ForOp loop) {
  SmallVector<Value> inits;
  for (Value init : loop.getInitArgs())
    inits.push_back(mapping.lookup(init));
  auto given = loop->getAttrOfType<StringAttr>("ember.label");
  std::string label = given ? given.str() : "l" + std::to_string(loops);
  ++loops;
  auto access = slc::ForOp::create(
      builder, loop.getLoc(), label, mapping.lookup(loop.getLowerBound()),
      mapping.lookup(loop.getUpperBound()), mapping.lookup(loop.getStep()),
      inits, loop->hasAttr("ember.parallel"));
  mapping.map(loop.getInductionVar(), access.getCounter());
  for (auto [from, to] :
       llvm::zip(loop.getRegionIterArgs(), access.getIterArgs()))
    mapping.map(from, to);
  mapping.map(loop.getResults(), access.getResults());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&access.getBody().front());
  buildBlock(*loop.getBody());
}

void KernelBuilder::buildIf(scf::IfOp branch) {
  Value condition = mapping.lookup(branch.getCondition());
  if (!slc::isAccessType(condition.getType())) {
    auto type = slc::StreamType::get(builder.getContext(), condition.getType());
    condition = slc::AluStreamOp::create(builder, branch.getLoc(), type,
                                         slc::AluOpcode::Or,
                                         ValueRange{condition, condition});
  }
  auto access =
      slc::IfOp::create(builder, branch.getLoc(), branch.getResultTypes(),
                        condition, !branch.getElseRegion().empty());
  mapping.map(branch.getResults(), access.getResults());
  for (auto [from, to] :
       llvm::zip(branch->getRegions(), access->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&to.front());
    buildBlock(from.front());
  }
}

void KernelBuilder::buildBlock(Block &block) {
  slc::CallbackOp callback;
  for (Operation &op : block.without_terminator()) {
    if (matchPattern(&op, m_Constant()))
      continue;
    if (sides.isStructure(&op)) {
      callback = nullptr;
      if (auto loop = dyn_cast<scf::ForOp>(op))
        buildLoop(loop);
      else
        buildIf(cast<scf::IfOp>(op));
    } else if (sides.runsOnAccessSide(&op)) {
      buildStream(&op, callback);
    } else if (sides.isLocal(&op)) {
      buildLocal(cast<memref::AllocaOp>(op));
    } else {
      if (!callback)
        callback = slc::CallbackOp::create(builder, op.getLoc(), TypeRange{},
                                           ValueRange{});
      cloneIntoCallback(&op, callback);
    }
  }
  Operation *terminator = block.getTerminator();
  if (!terminator->getNumOperands())
    return;
  SmallVector<Value> results;
  for (Value operand : terminator->getOperands())
    results.push_back(mapping.lookup(operand));
  slc::YieldOp::create(builder, terminator->getLoc(), results);
}

//===----------------------------------------------------------------------===//
// Operations of each side
//===----------------------------------------------------------------------===//

/// Streams depend on streams alone, so one may stand before a callback that
/// collects code from both sides of it.
void KernelBuilder::buildStream(Operation *op, slc::CallbackOp before) {
  OpBuilder::InsertionGuard guard(builder);
  if (before)
    builder.setInsertionPoint(before);
  auto type =
      slc::StreamType::get(builder.getContext(), op->getResult(0).getType());
  Value stream;
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    SmallVector<Value> indices;
    for (Value index : load.getIndices())
      indices.push_back(mapping.lookup(index));
    stream = slc::MemStreamOp::create(builder, op->getLoc(), type,
                                      mapping.lookup(load.getMemRef()), indices,
                                      /*valid=*/IntegerAttr());
  } else {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(mapping.lookup(operand));
    stream = slc::AluStreamOp::create(builder, op->getLoc(), type,
                                      *getAluOpcode(op), operands);
  }
  mapping.map(op->getResult(0), stream);
}

/// A buffer of the nest is undefined when it is allocated, so one for the whole
/// kernel serves every iteration.
void KernelBuilder::buildLocal(memref::AllocaOp alloca) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().front());
  MemRefType type = alloca.getType();
  auto local = MemRefType::get(type.getShape(), type.getElementType(),
                               MemRefLayoutAttrInterface(),
                               slc::LocalSpaceAttr::get(builder.getContext()));
  mapping.map(
      alloca.getResult(),
      slc::LocalOp::create(builder, alloca.getLoc(), local).getResult());
}

void KernelBuilder::cloneIntoCallback(Operation *op, slc::CallbackOp callback) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(callback.getBody().front().getTerminator());
  IRMapping inner(mapping);
  // Operations other than plain accesses may spell the memory space in their
  // results, so they see a local as ordinary memory.
  op->walk([&](Operation *user) {
    if (isa<memref::LoadOp, memref::StoreOp>(user))
      return;
    for (Value operand : user->getOperands()) {
      auto alloca = operand.getDefiningOp<memref::AllocaOp>();
      if (alloca && sides.isLocal(alloca) && mapping.contains(operand) &&
          inner.lookup(operand) == mapping.lookup(operand))
        inner.map(operand, memref::MemorySpaceCastOp::create(
                               builder, op->getLoc(), alloca.getType(),
                               mapping.lookup(operand)));
    }
  });
  Operation *clone = builder.clone(*op, inner);
  for (auto [from, to] : llvm::zip(op->getResults(), clone->getResults()))
    mapping.map(from, to);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertSCFToSLC : ember::impl::ConvertSCFToSLCBase<ConvertSCFToSLC> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    Aliasing aliasing(getOperation());
    for (auto function :
         llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      SmallVector<scf::ForOp> nests;
      for (Block &block : function.getBody())
        collectNests(block, nests);
      for (scf::ForOp nest : nests) {
        hoistInvariants(nest, aliasing);
        Decoupling sides(nest, aliasing);
        switch (sides.run()) {
        case Decoupling::Outcome::Kernel:
          sides.explainLoads();
          KernelBuilder(nest, sides, symbols).build();
          break;
        case Decoupling::Outcome::Host:
          break;
        case Decoupling::Outcome::Error:
          return signalPassFailure();
        }
      }
    }
  }

  /// Whether a loop inside `op` was made to be a kernel.
  static bool holdsKernel(Operation &op) {
    return op
        .walk([&](scf::ForOp loop) {
          return loop != &op && loop->hasAttr("ember.kernel")
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// The outermost loops of host code, also under its control flow. A loop
  /// around a kernel belongs to the host, with the checks it makes each time.
  static void collectNests(Block &block, SmallVectorImpl<scf::ForOp> &nests) {
    for (Operation &op : block) {
      auto loop = dyn_cast<scf::ForOp>(op);
      if (loop && !holdsKernel(op)) {
        nests.push_back(loop);
        continue;
      }
      if (isa<scf::SCFDialect>(op.getDialect()))
        for (Region &region : op.getRegions())
          for (Block &inner : region)
            collectNests(inner, nests);
    }
  }
};
} // namespace
