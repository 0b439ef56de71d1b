#include "sim/vliw/address_space.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/common/fault.h"

namespace covenant::sim::vliw {

namespace {
constexpr uint64_t kAddresses = uint64_t{1} << 32;
}  // namespace

void AddressSpace::add(std::string name, uint32_t address, std::span<uint8_t> content) {
  const uint64_t end = address + content.size();
  if (end > kAddresses) {
    raise("SIM0080", "a range of memory that ends past the address space",
          fmt::format("{} of {} bytes at 0x{:x}", name, content.size(), address), {"0x0..0xffffffff"},
          "put it lower, or make it smaller");
  }
  for (const Range& other : ranges_) {
    if (other.content.empty() || end <= other.first || address >= other.first + other.content.size()) continue;
    raise("SIM0080", fmt::format("two ranges of memory overlap: {} and {}", other.name, name),
          fmt::format("0x{:x}..0x{:x}", address, end - 1), described(), "move one of them");
  }
  if (!content.empty()) ranges_.push_back({std::move(name), address, content});
}

void AddressSpace::add_zeros(std::string name, uint32_t address, uint64_t bytes) {
  owned_.emplace_back(bytes);
  add(std::move(name), address, owned_.back());
}

std::vector<std::string> AddressSpace::described() const {
  std::vector<std::string> texts;
  for (const Range& range : ranges_) {
    if (range.content.empty()) continue;
    texts.push_back(fmt::format("0x{:x}..0x{:x} {}", range.first, range.first + range.content.size() - 1, range.name));
  }
  return texts;
}

void AddressSpace::check_protected(uint32_t address, uint32_t bytes) const {
  for (const Protected& range : protected_) {
    if (address >= range.end || uint64_t{address} + bytes <= range.first) continue;
    raise("SIM0088", "a store into memory that is only to be read", fmt::format("{} bytes at 0x{:x}", bytes, address),
          {fmt::format("other addresses than 0x{:x}..0x{:x}", range.first, range.end - 1)},
          "keep what is written in a segment of the file that may be written");
  }
}

uint8_t* AddressSpace::find(uint32_t address, uint32_t bytes) {
  for (size_t i = 0; i < ranges_.size(); ++i) {
    const Range& range = ranges_[i];
    if (address < range.first || address + uint64_t{bytes} > range.first + range.content.size()) continue;
    last_ = i;
    return range.content.data() + (address - range.first);
  }
  raise_of_memory(address, "SIM0081", fmt::format("no memory for an access to {} bytes", bytes),
                  fmt::format("0x{:x}", address), described(), "check the address, or give the program more memory");
}

}  // namespace covenant::sim::vliw
