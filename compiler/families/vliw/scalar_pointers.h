/// Pointers of scalar accesses: each access has its own, which advances with each use.
#pragma once

#include <vector>

#include "compiler/families/vliw/addresses.h"

namespace covenant::compiler::vliw {

class ScalarPointers {
 public:
  explicit ScalarPointers(Writer& writer) : writer_(writer) {}

  /// Opens a loop of `trips` trips.
  void open(uint32_t trips) { loops_.push_back({trips, {}}); }
  /// Closes the innermost loop and appends to `body` the steps that no access includes.
  void close(std::vector<CodeStep>& body);

  /// A pointer to `address` in all trips. Its access adds `step` to it.
  Name at(const Address& address, int64_t step);

 private:
  struct Pointer {
    Name name;
    std::vector<int64_t> steps;  ///< by loop around it, outermost first
    int64_t moved = 0;           ///< advanced so far by the accesses in the innermost open loop
  };
  struct OpenLoop {
    uint32_t trips = 1;
    std::vector<Pointer> pointers;  ///< pointers that are used within it
  };

  Writer& writer_;
  std::vector<OpenLoop> loops_;
};

}  // namespace covenant::compiler::vliw
