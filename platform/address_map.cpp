#include "platform/address_map.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace covenant::sc {

namespace {

std::string text_of(const Region& region) {
  return fmt::format("{} [{:#x}, {:#x}]", region.name, region.base, region.last());
}

Diagnostic invalid(const Region& region, std::string message, std::string offending, std::string fix) {
  Diagnostic diagnostic;
  diagnostic.code = "SIM0100";
  diagnostic.subject = region.name;
  diagnostic.message = std::move(message);
  diagnostic.offending = std::move(offending);
  diagnostic.fix = std::move(fix);
  return diagnostic;
}

Status check_alone(const Region& region) {
  if (region.name.empty()) return invalid(region, "a region has no name", "\"\"", "give it one");
  if (region.bytes == 0) return invalid(region, "a region has no bytes", "0", "leave it out, or give it bytes");
  if (region.base + (region.bytes - 1) < region.base) {
    return invalid(region, "a region ends past the addresses of 64 bits",
                   fmt::format("base {:#x} with {:#x} bytes", region.base, region.bytes), "lower its base");
  }
  if (region.target_base + (region.bytes - 1) < region.target_base) {
    return invalid(region, "a region ends past the addresses of its target",
                   fmt::format("base {:#x} with {:#x} bytes", region.target_base, region.bytes),
                   "lower its target's base");
  }
  if (region.beat_bytes == 0) {
    return invalid(region, "the beats of a region have no bytes", "0", "say how many bytes its path moves at a time");
  }
  return Done{};
}

Status check_names(const std::vector<Region>& regions) {
  for (size_t i = 0; i < regions.size(); ++i) {
    const auto same = [&](const Region& other) { return other.name == regions[i].name; };
    const auto before = regions.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::any_of(regions.begin(), before, same)) {
      return invalid(regions[i], "two regions have one name", regions[i].name, "rename one of them");
    }
  }
  return Done{};
}

Status check_overlap(const Region& lower, const Region& higher) {
  if (lower.last() < higher.base) return Done{};
  Diagnostic diagnostic;
  diagnostic.code = "SIM0101";
  diagnostic.subject = higher.name;
  diagnostic.message = "two regions of the address map overlap";
  diagnostic.offending = text_of(lower) + " and " + text_of(higher);
  diagnostic.fix = "move one of them, or make it smaller";
  return diagnostic;
}

}  // namespace

std::optional<std::pair<uint64_t, uint64_t>> Region::seen(uint64_t first, uint64_t last) const {
  const uint64_t target_last = target_base + (bytes - 1);
  if (last < target_base || first > target_last) return std::nullopt;
  return std::pair{base + (std::max(first, target_base) - target_base),
                   base + (std::min(last, target_last) - target_base)};
}

Result<AddressMap> AddressMap::of(std::vector<Region> regions) {
  for (const Region& region : regions) {
    if (Status alone = check_alone(region); !alone) return alone.error();
  }
  if (Status names = check_names(regions); !names) return names.error();
  AddressMap map;
  map.regions_ = std::move(regions);
  map.by_base_.resize(map.regions_.size());
  std::iota(map.by_base_.begin(), map.by_base_.end(), 0U);
  std::stable_sort(map.by_base_.begin(), map.by_base_.end(),
                   [&](uint32_t a, uint32_t b) { return map.regions_[a].base < map.regions_[b].base; });
  for (size_t i = 1; i < map.by_base_.size(); ++i) {
    Status apart = check_overlap(map.regions_[map.by_base_[i - 1]], map.regions_[map.by_base_[i]]);
    if (!apart) return apart.error();
  }
  return map;
}

std::optional<uint32_t> AddressMap::find(uint64_t address) const {
  const auto after = std::upper_bound(by_base_.begin(), by_base_.end(), address,
                                      [&](uint64_t wanted, uint32_t i) { return wanted < regions_[i].base; });
  if (after == by_base_.begin()) return std::nullopt;
  const uint32_t found = *std::prev(after);
  if (address > regions_[found].last()) return std::nullopt;
  return found;
}

}  // namespace covenant::sc
