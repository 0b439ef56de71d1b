/// Pointers of scalar accesses: each has one of its own, which moves on as it is used.
#pragma once

#include <vector>

#include "compiler/target/vliw/addresses.h"

namespace covenant::compiler::vliw {

class ScalarPointers {
 public:
  explicit ScalarPointers(Writer& writer) : writer_(writer) {}

  /// A loop begins, of so many trips.
  void open(uint32_t trips) { loops_.push_back({trips, {}}); }
  /// The innermost loop ends: `body` gets the steps that no access takes itself.
  void close(std::vector<Step>& body);

  /// A pointer to `address` in all trips. Its access adds `step` to it.
  Name at(const Address& address, int64_t step);

 private:
  struct Pointer {
    Name name;
    std::vector<int64_t> steps;  ///< by loop around it, outermost first
    int64_t moved = 0;           ///< by what stands within the innermost loop that has not ended yet
  };
  struct OpenLoop {
    uint32_t trips = 1;
    std::vector<Pointer> pointers;  ///< that are used within it
  };

  Writer& writer_;
  std::vector<OpenLoop> loops_;
};

}  // namespace covenant::compiler::vliw
