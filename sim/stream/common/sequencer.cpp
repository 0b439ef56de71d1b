#include "sim/stream/common/sequencer.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/common/fault.h"
#include "sim/stream/common/operands.h"

namespace covenant::sim {

void Sequencer::start(size_t words) {
  words_ = words;
  position_ = 0;
  open_.clear();
  indices_.fill(0);
}

void Sequencer::open(const acg::Instruction& loop) {
  const uint32_t level = operand::unsigned_value(loop, operand::kLoopLevel);
  if (level >= acg::kTileLoops) {
    raise("SIM0010", "there is no such tile loop", fmt::format("level {}", level), {"0..6"}, "use levels 0..6");
  }
  if (std::any_of(open_.begin(), open_.end(), [level](const Open& o) { return o.level == level; })) {
    raise("SIM0010", "the loop is already open", fmt::format("level {}", level), {}, "nest loops of different levels");
  }
  ++position_;
  open_.push_back(
      {level, operand::count_value(loop, operand::kLoopLast), loop.operands[operand::kLoopReduction] != 0, position_});
}

void Sequencer::close(const acg::Instruction& end) {
  const uint32_t level = operand::unsigned_value(end, operand::kLoopLevel);
  if (open_.empty() || open_.back().level != level) {
    raise("SIM0011", "end does not close the innermost open loop", fmt::format("level {}", level),
          {open_.empty() ? std::string("no loop is open") : fmt::format("level {}", open_.back().level)},
          "close loops in the reverse order of opening");
  }
  if (indices_[level] < open_.back().last) {
    ++indices_[level];
    position_ = open_.back().body;
    return;
  }
  indices_[level] = 0;
  open_.pop_back();
  ++position_;
}

void Sequencer::check_closed() const {
  if (open_.empty()) return;
  raise("SIM0012", "the group ends inside a loop", fmt::format("level {}", open_.back().level), {},
        "close every loop before the group ends");
}

bool Sequencer::at_first_reduction() const {
  return std::all_of(open_.begin(), open_.end(),
                     [this](const Open& o) { return !o.is_reduction || indices_[o.level] == 0; });
}

}  // namespace covenant::sim
