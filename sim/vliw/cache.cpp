#include "sim/vliw/cache.h"

#include <algorithm>

namespace covenant::sim::vliw {

Cache::Cache(uint64_t bytes, uint32_t line_bytes, uint32_t latency)
    : line_(line_bytes),
      latency_(latency),
      sets_(std::max<uint64_t>(1, bytes / line_bytes / kWays)),
      lines_(sets_.by * kWays),
      last_(lines_.data()) {}

Cache::Line* Cache::look_for(uint64_t number) {
  Line* const set = set_of(number);
  Line* const found = std::find_if(set, set + kWays, [&](const Line& line) { return line.number == number; });
  if (found == set + kWays) return nullptr;
  found->used = ++uses_;
  last_ = found;
  return found;
}

Cache::Taken Cache::take(uint64_t number, uint64_t ready) {
  Line* const set = set_of(number);
  Line* const oldest =
      std::min_element(set, set + kWays, [](const Line& left, const Line& right) { return left.used < right.used; });
  const std::optional<uint64_t> leaving = oldest->is_dirty ? std::optional(oldest->number) : std::nullopt;
  *oldest = {number, ready, ++uses_, false};
  return {oldest, leaving};
}

void Cache::drop(uint64_t number) {
  if (Line* const line = find(number)) *line = {};
}

}  // namespace covenant::sim::vliw
