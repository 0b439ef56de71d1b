#include "compiler/families/stream/bus.h"

#include <algorithm>

#include "acg/base/check.h"

namespace covenant::compiler::stream {

void Bus::ask(size_t engine, uint64_t cycle, uint64_t beats, uint64_t burst) {
  check(beats > 0 && burst > 0, "a transfer moves something");
  const auto place = std::lower_bound(transfers_.begin(), transfers_.end(), engine,
                                      [](const Transfer& transfer, size_t other) { return transfer.engine < other; });
  if (place == transfers_.end() || place->engine != engine) {
    transfers_.insert(place, {engine, cycle, beats, burst});
    return;
  }
  check(place->beats == 0, "an engine makes one transfer after the other");
  *place = {engine, cycle, beats, burst};
}

size_t Bus::open() const {
  return static_cast<size_t>(
      std::count_if(transfers_.begin(), transfers_.end(), [](const Transfer& one) { return one.beats > 0; }));
}

std::optional<uint64_t> Bus::next() const {
  std::optional<uint64_t> earliest;
  for (const Transfer& transfer : transfers_) {
    if (transfer.beats > 0) earliest = std::min(earliest.value_or(UINT64_MAX), std::max(transfer.cycle, free_));
  }
  return earliest;
}

std::optional<Bus::Done> Bus::give(bool alone) {
  const uint64_t cycle = next().value();
  const auto asks = [&](const Transfer& transfer) { return transfer.beats > 0 && transfer.cycle <= cycle; };
  const auto after = std::find_if(transfers_.begin(), transfers_.end(), [&](const Transfer& transfer) {
    return last_ != SIZE_MAX && transfer.engine > last_ && asks(transfer);
  });
  Transfer& chosen = after != transfers_.end() ? *after : *std::find_if(transfers_.begin(), transfers_.end(), asks);
  const uint64_t beats = alone ? chosen.beats : std::min(chosen.beats, chosen.burst);
  chosen.beats -= beats;
  chosen.cycle = cycle + beats;
  free_ = cycle + beats;
  last_ = chosen.engine;
  return chosen.beats == 0 ? std::optional<Done>{{chosen.engine, free_}} : std::nullopt;
}

}  // namespace covenant::compiler::stream
