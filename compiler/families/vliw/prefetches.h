/// Generates prefetches of data that loops will read.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/families/vliw/addresses.h"

namespace covenant::compiler::vliw {

/// Bytes of a line of the cache next to off-chip memory; 1 without a cache.
int64_t last_line_bytes(const acg::Machine& machine);

class Prefetches {
 public:
  /// Keeps no reference to the machine.
  Prefetches(const acg::Machine& machine, Writer& writer, Addresses& addresses);

  /// For the innermost open loop: prepends to `body` the prefetches of each trip, and appends to `before` those before
  /// the loop begins. Nothing on a machine without such instructions or without a cache.
  void write(int64_t trips, std::vector<CodeStep>& body, std::vector<CodeStep>& before);

 private:
  void ask_for(Name pointer, const ReadRows& read, std::vector<CodeStep>& to);

  Writer& writer_;
  Addresses& addresses_;
  int64_t cache_bytes_;  ///< 0: prefetching is disabled
};

}  // namespace covenant::compiler::vliw
