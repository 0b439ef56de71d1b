/// When a local is alive, and which engines share it: what decides whether two locals can use one channel.
#pragma once

#include <map>
#include <string>

#include "compiler/codelet/codelet.h"

namespace covenant::compiler::stream {

/// Operations are numbered in the order in which they are written. A local that is used within a loop below its scope
/// is alive to the end of that loop.
struct Lifetime {
  size_t first = 0;     ///< operation that makes it
  size_t last = 0;      ///< operation after which it is not used any more
  std::string filler;   ///< node, or "FROM->TO" of a transfer
  std::string emptier;  ///< the same of the last reader

  bool is_before(const Lifetime& other) const { return last < other.first; }
};

/// Of all locals of a tiled codelet, by name.
std::map<std::string, Lifetime> lifetimes(const codelet::Codelet& codelet);

}  // namespace covenant::compiler::stream
