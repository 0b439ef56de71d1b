#include "sim/stream/channels.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/common/fault.h"
#include "sim/stream/common/operands.h"

namespace covenant::sim {

namespace {

constexpr uint32_t kCountersPerMemory = acg::kMaxChannels * 2;

}  // namespace

Channels::Channels(const acg::Machine& machine, uint32_t run_ahead)
    : counters_(machine.memories.size() * kCountersPerMemory) {
  for (uint32_t memory = 0; memory < machine.memories.size(); ++memory) {
    memory_names_.push_back(machine.memories[memory].name);
    const bool has_channels = machine.memories[memory].kind == acg::MemoryKind::kScratchpad;
    for (uint32_t k = 0; k < kCountersPerMemory; ++k) {
      Counter& counter = counters_[memory * kCountersPerMemory + k];
      counter.memory = memory;
      counter.buffers =
          has_channels && k / 2 < machine.memories[memory].channels ? machine.memories[memory].buffers : 0;
      counter.capacity = counter.buffers == 0 ? 0 : counter.buffers + run_ahead;
      counter.tokens.resize(counter.capacity);
      counter.take_issue.resize(counter.capacity);
    }
  }
  clear();
}

void Channels::clear() {
  for (uint32_t k = 0; k < counters_.size(); ++k) {
    Counter& counter = counters_[k];
    const bool is_free = k % 2 == static_cast<uint32_t>(acg::Token::kFree);
    counter.poster.reset();
    counter.waiter.reset();
    counter.taken = 0;
    counter.posted = is_free ? counter.buffers : 0;
    for (Token& token : counter.tokens) {
      token.visible = 0;
      token.initial = true;
    }
  }
}

uint32_t Channels::counter(const acg::Instruction& instruction) const {
  const uint32_t memory = operand::unsigned_value(instruction, operand::kTokenMemory);
  const uint32_t slot = operand::unsigned_value(instruction, operand::kTokenSlot);
  const uint32_t token = operand::unsigned_value(instruction, operand::kTokenState);
  if (slot >= acg::kMaxChannels || counters_[memory * kCountersPerMemory + slot * 2].buffers == 0) {
    raise("SIM0013", "there is no such channel", fmt::format("{} slot {}", memory_names_[memory], slot),
          {"slots 0..3 of scratchpads that do not say `channels`"}, "name a slot of a scratchpad");
  }
  return memory * kCountersPerMemory + slot * 2 + token;
}

void Channels::claim(uint32_t counter, uint32_t engine, bool posting) {
  std::optional<uint32_t>& owner = posting ? counters_[counter].poster : counters_[counter].waiter;
  if (!owner) owner = engine;
  if (*owner == engine) return;
  raise("SIM0014", fmt::format("a second engine {} this channel within one block", posting ? "posts to" : "waits at"),
        describe(counter), {}, "give every producer and consumer a slot of its own");
}

Channels::Taken Channels::take(uint32_t counter, uint64_t arrival) {
  Counter& c = counters_[counter];
  const Token& token = c.tokens[c.taken % c.capacity];
  const uint64_t issue = std::max(arrival, token.visible);
  if (c.posted > c.taken + c.buffers) {
    const uint64_t visible = c.tokens[(c.taken + c.buffers) % c.capacity].visible;
    if (issue >= visible) raise_overflow(counter, visible);
  }
  c.take_issue[c.taken % c.capacity] = issue;
  ++c.taken;
  return {issue, token.initial ? nullptr : &token.clock};
}

bool Channels::has_room(uint32_t counter) const {
  const Counter& c = counters_[counter];
  return c.posted - c.taken < c.capacity;
}

void Channels::post(uint32_t counter, uint64_t visible, const Clock& clock) {
  Counter& c = counters_[counter];
  // If the token whose buffer it gets is not taken yet, `take` looks at it.
  if (c.posted >= c.buffers && c.posted - c.buffers < c.taken &&
      c.take_issue[(c.posted - c.buffers) % c.capacity] >= visible) {
    raise_overflow(counter, visible);
  }
  Token& token = c.tokens[c.posted % c.capacity];
  token.visible = visible;
  token.clock = clock;
  token.initial = false;
  ++c.posted;
}

void Channels::raise_overflow(uint32_t counter, uint64_t cycle) const {
  raise("SIM0015", "a token too many: every buffer already has one",
        fmt::format("{} in cycle {}", describe(counter), cycle),
        {fmt::format("at most {}", counters_[counter].buffers)},
        "wait for the other token of the channel before posting this one");
}

std::string Channels::cause(uint32_t counter) const {
  return fmt::format("{}.{}", memory_names_[counters_[counter].memory], counter % 2 == 0 ? "full" : "free");
}

std::string Channels::describe(uint32_t counter) const {
  return fmt::format("{} slot {} {}", memory_names_[counters_[counter].memory], counter % kCountersPerMemory / 2,
                     counter % 2 == 0 ? "full" : "free");
}

void Channels::check_overflow() const {
  for (uint32_t k = 0; k < counters_.size(); ++k) {
    const Counter& c = counters_[k];
    if (c.posted <= c.taken + c.buffers) continue;
    raise_overflow(k, c.tokens[(c.taken + c.buffers) % c.capacity].visible);
  }
}

void Channels::check_balanced() const {
  check_overflow();
  for (uint32_t k = 0; k < counters_.size(); ++k) {
    const Counter& c = counters_[k];
    const uint64_t expected = k % 2 == static_cast<uint32_t>(acg::Token::kFree) ? c.buffers : 0;
    if (c.posted - c.taken == expected) continue;
    raise("SIM0016", "the block ends although a buffer was never given back",
          fmt::format("{}: {} tokens", describe(k), c.posted - c.taken), {fmt::format("{} tokens", expected)},
          "post one token for every one that is taken");
  }
}

}  // namespace covenant::sim
