#include "compiler/families/vliw/addresses.h"

#include <algorithm>
#include <array>

#include "acg/base/check.h"

namespace covenant::compiler::vliw {
namespace {

/// Bytes of a trip that the trip before it, `step` bytes back, has not read.
int64_t fresh_bytes(const Intervals& trip, int64_t step) {
  return while_turning(trip, std::array{Stride{step, 2}}).bytes() - trip.bytes();
}

}  // namespace

bool Address::is_aligned(int64_t bytes) const {
  return first % bytes == 0 && std::all_of(steps.begin(), steps.end(), [&](int64_t step) { return step % bytes == 0; });
}

void Addresses::open(uint32_t trips) {
  if (!loops_.empty()) loops_.back().has_loops = true;
  loops_.push_back({trips, false, {}});
}

void Addresses::touch(const Address& address, int64_t bytes, const void* site, bool is_read) {
  auto known = std::find_if(touched_.begin(), touched_.end(), [&](const Touched& one) { return one.site == site; });
  if (known == touched_.end()) {
    known = touched_.insert(known, {site, is_read, {}, {}, false});
    for (size_t i = 0; i < loops_.size(); ++i) known->loops.push_back({address.steps[i], loops_[i].trips});
  }
  known->intervals.add(address.first, address.first + bytes);
}

std::vector<Addresses::Block> Addresses::blocks(const Asking& asking) {
  const size_t depth = loops_.size() - 1;
  std::vector<Block> blocks;
  const int64_t beside = bytes_of_all(depth + 1);
  // Data requested by the enclosing loop would be evicted before it is read.
  const bool is_last = depth == 0 || bytes_of_all(depth) > asking.kept;
  for (Touched& one : touched_) {
    if (!one.is_read || one.is_said || one.loops.size() <= depth) continue;
    const Intervals trip = lines_of(one, depth + 1);
    const int64_t step = loops_.back().has_loops && !is_asked_for_at_once(one, asking) ? one.loops[depth].bytes : 0;
    const int64_t fresh = asking.ahead > 1 || step == 0 ? 0 : fresh_bytes(trip, step);
    if (depth > 0 && fresh < (is_last ? asking.least : asking.enough)) continue;
    one.is_said = true;
    blocks.push_back(block_of(one, step != 0 ? trip : lines_of(one, depth), {step, asking.ahead}));
    blocks.back().beside = beside;
  }
  return blocks;
}

bool Addresses::is_asked_for_at_once(const Touched& read, const Asking& asking) const {
  if (loops_.size() > 1 || lines_of(read, 0).bytes() > asking.kept) return false;
  return asking.ahead > 1 || fresh_bytes(lines_of(read, 1), read.loops[0].bytes) < asking.least;
}

int64_t Addresses::bytes_of_all(size_t depth) const {
  int64_t sum = 0;
  for (const Touched& one : touched_) sum += one.loops.size() < depth ? 0 : lines_of(one, depth).bytes();
  return sum;
}

Intervals Addresses::lines_of(const Touched& touched, size_t depth) const {
  return whole_lines(while_turning(touched.intervals, std::span(touched.loops).subspan(depth)), line_bytes_);
}

Addresses::Block Addresses::block_of(const Touched& read, const Intervals& intervals, const Stride& first) const {
  std::vector<int64_t> steps;
  for (const Stride& loop : read.loops) steps.push_back(loop.bytes);
  const auto pointer = std::find_if(pointers_.begin(), pointers_.end(),
                                    [&](const Pointer& one) { return one.site == read.site && one.steps == steps; });
  check(pointer != pointers_.end(), "what is read has a pointer");
  const auto from_pointer = [&](const Intervals& all) {
    ReadRows rows = rows_of(all);
    rows.begin -= pointer->first;
    return rows;
  };
  return {pointer->name, from_pointer(intervals), from_pointer(while_turning(intervals, {&first, 1})), first.bytes, 0};
}

Addresses::Place Addresses::at(const Address& address, int64_t unit, int64_t reach, const void* site) {
  check(address.steps.size() == loops_.size(), "an address has a step for every open loop");
  const auto reaches = [&](const Pointer& one) {
    const int64_t offset = address.first - one.first;
    return one.site == site && one.steps == address.steps && offset % unit == 0 && offset >= -reach && offset < reach;
  };
  auto pointer = std::find_if(pointers_.begin(), pointers_.end(), reaches);
  if (pointer == pointers_.end()) {
    for (OpenLoop& loop : loops_) loop.pointers.push_back(pointers_.size());
    // Tiles are accessed from their first element on, so the pointer is placed as far ahead as offsets reach back.
    const int64_t first = address.first + reach;
    pointers_.push_back({writer_.scalar(static_cast<int32_t>(first)), site, first, address.steps});
    pointer = pointers_.end() - 1;
  }
  return {pointer->name, static_cast<int32_t>(address.first - pointer->first)};
}

Addresses::Place Addresses::made_at(const Address& address, int64_t bytes, int64_t reach, const void* site,
                                    std::vector<CodeStep>& to) {
  constexpr int64_t kReachOfSum = 1 << 15;
  const auto moves_alike = [&](const Pointer& one) {
    const int64_t apart = address.first - one.first;
    return one.site == site && one.steps == address.steps && apart >= -kReachOfSum && apart < kReachOfSum;
  };
  const auto pointer = std::find_if(pointers_.begin(), pointers_.end(), moves_alike);
  if (pointer == pointers_.end()) return at(address, bytes, reach, site);
  const int64_t apart = address.first - pointer->first;
  if (apart % bytes == 0 && apart >= -reach && apart < reach) return {pointer->name, static_cast<int32_t>(apart)};
  const Name made = writer_.make(acg::RegisterFile::kScalar);
  writer_.add(to, acg::VliwOperation::kA2Addi, {made, pointer->name, static_cast<int32_t>(apart)});
  return {made, 0};
}

void Addresses::close(std::vector<CodeStep>& body) {
  const size_t depth = loops_.size() - 1;
  for (const size_t index : loops_.back().pointers) {
    const Pointer& pointer = pointers_[index];
    // Steps of the inner loop were added in all of its trips.
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
