/// A shadow of a memory, which records the command that wrote each value. Compiled into every model.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace covenant::rtl {

/// The last writer of each place, and the value. Pages are allocated when they are first written.
class Shadow {
 public:
  struct Cell {
    uint64_t writer = 0;  ///< number of the command, from 1
    uint32_t value = 0;
  };
  Cell& operator[](uint64_t address) {
    const uint64_t page = address / kPage;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = std::make_unique<std::array<Cell, kPage>>();
    return (*pages_[page])[address % kPage];
  }

 private:
  static constexpr uint64_t kPage = 4096;
  std::vector<std::unique_ptr<std::array<Cell, kPage>>> pages_;
};

}  // namespace covenant::rtl
