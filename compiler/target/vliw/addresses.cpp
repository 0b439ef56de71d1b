#include "compiler/target/vliw/addresses.h"

#include <algorithm>

#include "acg/base/check.h"

namespace covenant::compiler::vliw {
namespace {

int64_t floor_divide(int64_t value, int64_t divisor) { return value / divisor - (value % divisor < 0 ? 1 : 0); }

}  // namespace

bool Address::is_aligned(int64_t bytes) const {
  return first % bytes == 0 && std::all_of(steps.begin(), steps.end(), [&](int64_t step) { return step % bytes == 0; });
}

void Addresses::open(uint32_t trips) {
  if (!loops_.empty()) loops_.back().has_loops = true;
  loops_.push_back({trips, false, {}});
}

void Addresses::read(const Address& address, int64_t bytes, const void* site) {
  const auto known = std::find_if(reads_.begin(), reads_.end(), [&](const Read& one) { return one.site == site; });
  if (known != reads_.end()) {
    known->least = std::min(known->least, address.first);
    known->most = std::max(known->most, address.first + bytes);
    return;
  }
  Read made{site, address.first, address.first + bytes, address.steps, {}, false};
  for (const OpenLoop& loop : loops_) made.trips.push_back(loop.trips);
  reads_.push_back(std::move(made));
}

std::pair<int64_t, int64_t> Addresses::span(const Read& read, size_t depth) {
  int64_t least = read.least, most = read.most;
  for (size_t loop = depth; loop < read.steps.size(); ++loop) {
    const int64_t way = read.steps[loop] * (int64_t{read.trips[loop]} - 1);
    (way < 0 ? least : most) += way;
  }
  return {least, most};
}

std::vector<Addresses::Block> Addresses::blocks(int64_t least_bytes) {
  const size_t depth = loops_.size() - 1;
  std::vector<Block> blocks;
  int64_t beside = 0;
  for (Read& one : reads_) {
    if (one.steps.size() <= depth) continue;
    const auto [begin, end] = span(one, depth + 1);
    beside += end - begin;
    const bool is_moved = loops_.back().has_loops && one.steps[depth] != 0;
    if (one.is_said || (depth > 0 && (!is_moved || end - begin < least_bytes))) continue;
    one.is_said = true;
    const auto [least, most] = span(one, is_moved ? depth + 1 : depth);
    const auto pointer = std::find_if(known_.begin(), known_.end(), [&](const auto& entry) {
      return std::get<0>(entry.first) == one.site && std::get<1>(entry.first) == one.steps;
    });
    check(pointer != known_.end(), "what is read has a pointer");
    blocks.push_back({pointers_[pointer->second].name, least - std::get<2>(pointer->first), most - least,
                      is_moved ? one.steps[depth] : 0, 0});
  }
  for (Block& block : blocks) block.beside = beside;
  return blocks;
}

Addresses::Place Addresses::at(const Address& address, int64_t unit, int64_t reach, const void* site) {
  check(address.steps.size() == loops_.size(), "an address has a step for every open loop");
  // Windows of 2 * reach bytes, each with its pointer in the middle.
  const int64_t skew = address.first - floor_divide(address.first, unit) * unit;
  const int64_t middle = (2 * floor_divide(address.first, 2 * reach) + 1) * reach + skew;
  const auto [known, is_new] = known_.emplace(Key{site, address.steps, middle}, pointers_.size());
  if (is_new) {
    for (OpenLoop& loop : loops_) loop.pointers.push_back(pointers_.size());
    pointers_.push_back({writer_.scalar(static_cast<int32_t>(middle)), address.steps});
  }
  return {pointers_[known->second].name, static_cast<int32_t>(address.first - middle)};
}

void Addresses::close(std::vector<Step>& body) {
  const size_t depth = loops_.size() - 1;
  for (const size_t index : loops_.back().pointers) {
    const Pointer& pointer = pointers_[index];
    // What the loop within has added, it has added in all of its trips.
    int64_t step = pointer.steps[depth];
    if (depth + 1 < pointer.steps.size()) step -= pointer.steps[depth + 1] * inner_trips_.at(index);
    if (step != 0) {
      writer_.add(body, acg::VliwOperation::kA2Addi, {pointer.name, pointer.name, static_cast<int32_t>(step)});
    }
    inner_trips_[index] = loops_.back().trips;
  }
  loops_.pop_back();
}

}  // namespace covenant::compiler::vliw
