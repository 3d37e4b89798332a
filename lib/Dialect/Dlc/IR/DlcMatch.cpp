//===- DlcMatch.cpp - Both sides of a kernel, compared --------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//
//
// Each side of a kernel is written as a term over all queues together:
//
//     term ::= (element queue:type | loop @label mode {term} | if {term}
//     {term})*
//
// Loops that touch no queue are left out. The kernel is right if both terms are
// equal: then the k-th element taken is the k-th pushed, and no order of
// waiting can stall the two sides. The walk is linear in the kernel.
//
//===----------------------------------------------------------------------===//

#include "ember/Dialect/Dlc/IR/Dlc.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace ember::dlc;

namespace {

struct Term;
using Sequence = std::vector<Term>;

/// One queue operation, or a loop or choice that holds some.
struct Term {
  enum Kind { Element, Loop, If } kind;
  Operation *op;
  Location loc;
  // Of an element.
  QueueKind queue = QueueKind::Data;
  Type type = {};
  // Of a loop.
  StringRef label = {};
  LoopMode mode = LoopMode::Counted;
  // Of a loop (body) or a choice (both).
  Sequence body = {}, otherwise = {};

  Term(Kind kind, Operation *op) : kind(kind), op(op), loc(op->getLoc()) {}
};

} // namespace

//===----------------------------------------------------------------------===//
// The access side as a term
//===----------------------------------------------------------------------===//

static FailureOr<Sequence> getAccessSequence(Block &block);
static LogicalResult appendTerms(Operation &op, Sequence &sequence);

/// The term of a loop whose iterations are filtered: what the filter sends.
static FailureOr<Sequence> getFilteredSequence(LoopOp loop, IfOp filter) {
  if (loop.getMode() != LoopMode::Until)
    return filter.emitOpError("filters the iterations of @")
           << loop.getLabel() << ", which sends no tokens";
  if (!filter.getElseRegion().empty() &&
      !filter.getElseRegion().front().empty())
    return filter.emitOpError(
        "filters the iterations of its loop, so it has no else region");
  for (Operation &op : loop.getBody().front()) {
    if (&op == filter)
      continue;
    Sequence beside;
    if (failed(appendTerms(op, beside)))
      return failure();
    if (beside.empty())
      continue;
    auto other = op.emitOpError("stands beside the filter of @")
                 << loop.getLabel()
                 << ", which must hold all that an iteration sends";
    other.attachNote(filter.getLoc()) << "the filter";
    return other;
  }
  return getAccessSequence(filter.getThenRegion().front());
}

static FailureOr<Sequence> getLoopSequence(LoopOp loop) {
  for (auto choice : loop.getBody().getOps<IfOp>())
    if (choice.getMode() == IfMode::Filter)
      return getFilteredSequence(loop, choice);
  return getAccessSequence(loop.getBody().front());
}

static LogicalResult appendChoice(IfOp choice, Sequence &sequence) {
  if (choice.getMode() == IfMode::Filter && !isa<LoopOp>(choice->getParentOp()))
    return choice.emitOpError("filters iterations, so it stands directly in "
                              "the loop whose iterations they are");
  Term term(Term::If, choice);
  auto body = getAccessSequence(choice.getThenRegion().front());
  if (failed(body))
    return failure();
  term.body = std::move(*body);
  if (!choice.getElseRegion().empty()) {
    auto otherwise = getAccessSequence(choice.getElseRegion().front());
    if (failed(otherwise))
      return failure();
    term.otherwise = std::move(*otherwise);
  }
  if (choice.getMode() == IfMode::Flag) {
    sequence.push_back(std::move(term));
    return success();
  }
  if (term.body.empty() && term.otherwise.empty())
    return success();
  const Term &inner = term.body.empty() ? term.otherwise[0] : term.body[0];
  auto diagnostic = choice.emitOpError(
      "sends no flag, so the core cannot know whether to follow what it holds");
  diagnostic.attachNote(inner.loc) << "a queue is used here";
  return diagnostic;
}

/// Appends what `op` sends.
static LogicalResult appendTerms(Operation &op, Sequence &sequence) {
  if (auto push = dyn_cast<PushOp>(op)) {
    Term &term = sequence.emplace_back(Term::Element, push);
    term.queue = push.getQueue();
    term.type = getTakenType(push.getValue().getType());
  } else if (auto loop = dyn_cast<LoopOp>(op)) {
    auto body = getLoopSequence(loop);
    if (failed(body))
      return failure();
    if (body->empty() && loop.getMode() == LoopMode::Counted)
      return success();
    Term &term = sequence.emplace_back(Term::Loop, loop);
    term.label = loop.getLabel();
    term.mode = loop.getMode();
    term.body = std::move(*body);
  } else if (auto choice = dyn_cast<IfOp>(op)) {
    return appendChoice(choice, sequence);
  }
  return success();
}

static FailureOr<Sequence> getAccessSequence(Block &block) {
  Sequence sequence;
  for (Operation &op : block)
    if (failed(appendTerms(op, sequence)))
      return failure();
  return sequence;
}

//===----------------------------------------------------------------------===//
// The execute side as a term
//===----------------------------------------------------------------------===//

static Sequence getExecuteSequence(Region &region) {
  Sequence sequence;
  if (region.empty())
    return sequence;
  for (Operation &op : region.front()) {
    if (auto take = dyn_cast<TakeOp>(op)) {
      for (auto [index, element] :
           llvm::enumerate(take.getBody().getArguments())) {
        Term &term = sequence.emplace_back(Term::Element, take);
        term.queue = take.getQueue(index);
        term.type = element.getType();
      }
    } else if (auto repeat = dyn_cast<RepeatOp>(op)) {
      Sequence body = getExecuteSequence(repeat.getBody());
      if (body.empty())
        continue;
      Term &term = sequence.emplace_back(Term::Loop, repeat);
      term.label = repeat.getLabel();
      term.body = std::move(body);
    } else if (auto until = dyn_cast<UntilOp>(op)) {
      Term &term = sequence.emplace_back(Term::Loop, until);
      term.label = until.getLabel();
      term.mode = LoopMode::Until;
      term.body = getExecuteSequence(until.getBody());
    } else if (auto times = dyn_cast<TimesOp>(op)) {
      Term &term = sequence.emplace_back(Term::Loop, times);
      term.label = times.getLabel();
      term.mode = LoopMode::Announced;
      term.body = getExecuteSequence(times.getBody());
    } else if (auto when = dyn_cast<WhenOp>(op)) {
      Term &term = sequence.emplace_back(Term::If, when);
      term.body = getExecuteSequence(when.getThenRegion());
      term.otherwise = getExecuteSequence(when.getElseRegion());
    }
  }
  return sequence;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// What the access unit does there, for a diagnostic.
static std::string describeSent(const Term &term) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (term.kind) {
  case Term::Element:
    os << "pushes '" << term.type << "' to the "
       << stringifyQueueKind(term.queue) << " queue";
    break;
  case Term::Loop:
    os << "runs the loop @" << term.label;
    break;
  case Term::If:
    os << "sends the flag of a choice";
    break;
  }
  return text;
}

/// What the core does there, for a diagnostic.
static std::string describeTaken(const Term &term) {
  std::string text;
  llvm::raw_string_ostream os(text);
  switch (term.kind) {
  case Term::Element:
    os << "takes '" << term.type << "' from the "
       << stringifyQueueKind(term.queue) << " queue";
    break;
  case Term::Loop:
    os << "follows the loop @" << term.label;
    break;
  case Term::If:
    os << "takes the flag of a choice";
    break;
  }
  return text;
}

static LogicalResult reportMismatch(const Term &sent, const Term &taken) {
  auto diagnostic = taken.op->emitOpError()
                    << "does not match the access side: the core "
                    << describeTaken(taken) << ", but the access unit "
                    << describeSent(sent);
  diagnostic.attachNote(sent.loc) << "the access unit does so here";
  return diagnostic;
}

/// How a loop of `mode` tells the core its trip count.
static StringRef describeCount(LoopMode mode) {
  switch (mode) {
  case LoopMode::Counted:
    return "nothing about its trip count";
  case LoopMode::Until:
    return "a token an iteration";
  case LoopMode::Announced:
    return "its trip count";
  }
  llvm_unreachable("all modes are listed");
}

/// Whether two bounds are one value on both sides.
static bool isSameBound(Value a, Value b) {
  return a == b ||
         isEqualConstantIntOrValue(getAsOpFoldResult(a), getAsOpFoldResult(b));
}

static LogicalResult compareLoopHeads(const Term &sent, const Term &taken) {
  if (sent.mode != taken.mode) {
    auto diagnostic = taken.op->emitOpError("of @")
                      << taken.label << " expects " << describeCount(taken.mode)
                      << ", but the access unit sends "
                      << describeCount(sent.mode);
    diagnostic.attachNote(sent.loc) << "the loop of the access unit";
    return diagnostic;
  }
  auto repeat = dyn_cast<RepeatOp>(taken.op);
  if (!repeat)
    return success();
  auto loop = cast<LoopOp>(sent.op);
  StringRef differing;
  if (!isSameBound(loop.getLower(), repeat.getLower()))
    differing = "lower bound";
  else if (!isSameBound(loop.getUpper(), repeat.getUpper()))
    differing = "upper bound";
  else if (!isSameBound(loop.getStep(), repeat.getStep()))
    differing = "step";
  if (differing.empty())
    return success();
  auto diagnostic = repeat.emitOpError("has another ")
                    << differing << " than the loop @" << loop.getLabel()
                    << " of the access unit, so their trip counts may differ";
  diagnostic.attachNote(sent.loc) << "the loop of the access unit";
  return diagnostic;
}

/// `sentParent` and `takenParent` are where a side stops early.
static LogicalResult compare(const Sequence &sent, const Sequence &taken,
                             Operation *sentParent, Operation *takenParent) {
  for (size_t i = 0, e = std::min(sent.size(), taken.size()); i < e; ++i) {
    const Term &s = sent[i], &t = taken[i];
    bool same = s.kind == t.kind && s.queue == t.queue && s.type == t.type &&
                s.label == t.label;
    if (!same)
      return reportMismatch(s, t);
    if (s.kind == Term::Element)
      continue;
    if (s.kind == Term::Loop && failed(compareLoopHeads(s, t)))
      return failure();
    if (failed(compare(s.body, t.body, s.op, t.op)) ||
        failed(compare(s.otherwise, t.otherwise, s.op, t.op)))
      return failure();
  }
  if (sent.size() > taken.size()) {
    const Term &extra = sent[taken.size()];
    auto diagnostic = extra.op->emitOpError()
                      << "does not match the execute side: the access unit "
                      << describeSent(extra) << ", which the core never takes";
    diagnostic.attachNote(takenParent->getLoc()) << "the core ends here";
    return diagnostic;
  }
  if (taken.size() > sent.size()) {
    const Term &extra = taken[sent.size()];
    auto diagnostic = extra.op->emitOpError()
                      << "does not match the access side: the core "
                      << describeTaken(extra)
                      << ", which the access unit never sends";
    diagnostic.attachNote(sentParent->getLoc()) << "the access unit ends here";
    return diagnostic;
  }
  return success();
}

LogicalResult ember::dlc::verifySidesMatch(KernelOp kernel) {
  AccessOp access = kernel.getAccess();
  ExecuteOp execute = kernel.getExecute();
  FailureOr<Sequence> sent = getAccessSequence(access.getBody().front());
  if (failed(sent))
    return failure();
  return compare(*sent, getExecuteSequence(execute.getBody()), access, execute);
}
