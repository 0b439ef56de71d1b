/// Lifetimes of locals and the engines that share them, which decide whether two locals can use one channel.
#pragma once

#include <map>
#include <string>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::stream {

/// Operations are numbered in the order in which they are written. A local that is used within a loop inside of its
/// scope is alive until the end of that loop.
struct LiveRange {
  size_t first = 0;     ///< operation that makes it
  size_t written = 0;   ///< first operation that writes it, after an allocation has made it
  size_t last = 0;      ///< last operation that uses it
  std::string filler;   ///< engine that fills it: a node, or "FROM->TO" for a transfer
  std::string emptier;  ///< the same for its last reader

  bool is_before(const LiveRange& other) const { return last < other.first; }
};

/// Lifetimes of all locals of a tiled codelet, by name.
std::map<std::string, LiveRange> live_ranges(const codelet::Codelet& codelet);

}  // namespace covenant::compiler::stream
