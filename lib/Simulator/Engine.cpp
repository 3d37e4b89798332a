//===- Engine.cpp - One clock for the whole machine -----------------------===//
//
// Part of Ember, under the Apache License v2.0 with LLVM Exceptions.
//
//===----------------------------------------------------------------------===//

#include "ember/Simulator/Engine.h"

#include <algorithm>

using namespace ember::sim;

Engine::Engine() : buckets(numBuckets) {}

// A heap keeps its largest element first, so "larger" is "due sooner".
template <typename Late>
static bool dueLater(const Late &a, const Late &b) {
  return a.when != b.when ? a.when > b.when : a.order > b.order;
}

void Engine::sendLater(const LateMessage &late) {
  lateMessages.push_back(late);
  std::push_heap(lateMessages.begin(), lateMessages.end(),
                 dueLater<LateMessage>);
}

// Runs whenever the clock moves, so a late message enters its bucket before
// any message that was sent to that cycle directly: the order of sending holds.
void Engine::admitLateMessages() {
  while (!lateMessages.empty() &&
         lateMessages.front().when - currentCycle < numBuckets) {
    const LateMessage &late = lateMessages.front();
    unsigned bucket = late.when % numBuckets;
    buckets[bucket].push_back(late.message);
    occupied[bucket / 64] |= uint64_t(1) << (bucket % 64);
    std::pop_heap(lateMessages.begin(), lateMessages.end(),
                  dueLater<LateMessage>);
    lateMessages.pop_back();
  }
}

Cycle Engine::nextMessage() const {
  constexpr unsigned numWords = numBuckets / 64;
  unsigned start = currentCycle % numBuckets;
  unsigned word = start / 64;
  uint64_t bits = occupied[word] & (~uint64_t(0) << (start % 64));
  // One word more than there are: the first is looked at twice, from its
  // middle and from its beginning.
  for (unsigned i = 0; i <= numWords; ++i) {
    if (bits) {
      unsigned bucket = word * 64 + __builtin_ctzll(bits);
      return currentCycle + (bucket - start) % numBuckets;
    }
    word = (word + 1) % numWords;
    bits = occupied[word];
  }
  return lateMessages.empty() ? never : lateMessages.front().when;
}

bool Engine::allFinished() const {
  return std::all_of(agents.begin(), agents.end(),
                     [](const Agent *agent) { return agent->finished(); });
}

std::string Engine::describeAgents() const {
  std::string report;
  for (const Agent *agent : agents) {
    if (agent->finished())
      continue;
    if (!report.empty())
      report += '\n';
    report += agent->describe();
  }
  return report;
}

RunResult Engine::run(Cycle limit) {
  while (!allFinished()) {
    Cycle next = nextMessage();
    for (const Agent *agent : agents)
      next = std::min(next, agent->nextTick);
    if (next == never)
      return {RunStatus::Deadlock, currentCycle, describeAgents()};
    if (next > limit)
      return {RunStatus::CycleLimit, limit, describeAgents()};
    currentCycle = next;
    admitLateMessages();

    unsigned index = next % numBuckets;
    std::vector<Message> &bucket = buckets[index];
    // Messages sent to this cycle while it is delivered join the end.
    for (size_t i = 0; i < bucket.size(); ++i) {
      Message message = bucket[i];
      message.to->receive(message.kind, message.payload);
    }
    bucket.clear();
    occupied[index / 64] &= ~(uint64_t(1) << (index % 64));

    agentPhase = true;
    for (Agent *agent : agents) {
      if (agent->nextTick > next)
        continue;
      agent->nextTick = never;
      agent->tick(next);
    }
    agentPhase = false;
  }
  return {RunStatus::Finished, currentCycle, ""};
}
