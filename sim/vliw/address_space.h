/// The flat 32-bit memory of a vliw_core: ranges with content, and gaps between them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "acg/base/result.h"

namespace covenant::sim::vliw {

class AddressSpace {
 public:
  AddressSpace() = default;
  // A copy would show what the original owns.
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  AddressSpace(AddressSpace&&) = default;
  AddressSpace& operator=(AddressSpace&&) = default;
  ~AddressSpace() = default;

  /// Adds a borrowed range of memory, which must outlive this. Fault SIM0080 if it overlaps another one or does not fit
  /// 32 bits. `name` is for messages.
  void add(std::string name, uint32_t address, std::span<uint8_t> content);
  /// From now on calls `bring` before every access, which loads the bytes of that range.
  void bring_with(std::function<void(uint32_t address, uint32_t bytes)> bring) { bring_ = std::move(bring); }
  /// Adds a range of memory that it owns, filled with zeros.
  void add_zeros(std::string name, uint32_t address, uint64_t bytes);

  /// Nothing may be stored into these bytes from now on.
  void protect(uint32_t address, uint64_t bytes) { protected_.push_back({address, address + bytes}); }
  /// Fault SIM0088: some of the bytes are protected.
  void check_store(uint32_t address, uint32_t bytes) const {
    if (!protected_.empty()) check_protected(address, bytes);
  }

  /// The bytes from `address` on. Fault SIM0081: not all of them are memory.
  uint8_t* at(uint32_t address, uint32_t bytes) {
    if (bring_) [[unlikely]]
      bring_(address, bytes);
    const Range& range = ranges_[last_];
    const uint64_t from = uint64_t{address} - range.first;
    if (from + bytes <= range.content.size() && address >= range.first) [[likely]]
      return range.content.data() + from;
    return find(address, bytes);
  }

  /// "0x20000..0x23fff code", for messages.
  std::vector<std::string> described() const;

 private:
  struct Range {
    std::string name;
    uint32_t first = 0;
    std::span<uint8_t> content;
  };
  /// Addresses from `first` on, up to before `end`.
  struct Protected {
    uint64_t first = 0;
    uint64_t end = 0;
  };
  uint8_t* find(uint32_t address, uint32_t bytes);
  void check_protected(uint32_t address, uint32_t bytes) const;

  std::vector<Range> ranges_{1};  ///< an empty one first: no access finds it
  std::vector<std::vector<uint8_t>> owned_;
  std::vector<Protected> protected_;
  size_t last_ = 0;  ///< the range of the access before
  std::function<void(uint32_t, uint32_t)> bring_;
};

}  // namespace covenant::sim::vliw
