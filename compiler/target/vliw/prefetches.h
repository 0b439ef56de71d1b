/// What loops ask the cache for before they read it.
#pragma once

#include <vector>

#include "acg/graph/graph.h"
#include "compiler/target/vliw/addresses.h"

namespace covenant::compiler::vliw {

/// Bytes of a line of the cache in front of off-chip memory; 1 without one.
int64_t last_line_bytes(const acg::Machine& machine);

class Prefetches {
 public:
  /// Keeps no reference to the machine.
  Prefetches(const acg::Machine& machine, Writer& writer, Addresses& addresses);

  /// For the innermost loop that is open: puts in front of `body` what each trip asks for, and to the end of `before`
  /// what is asked for before the loop begins. Nothing on a machine without such instructions, or a cache.
  void write(int64_t trips, std::vector<Step>& body, std::vector<Step>& before);

 private:
  void ask_for(Name pointer, const ReadRows& read, std::vector<Step>& to);

  Writer& writer_;
  Addresses& addresses_;
  int64_t cache_bytes_;  ///< 0: there is nothing to ask ahead
};

}  // namespace covenant::compiler::vliw
