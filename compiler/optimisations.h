/// What makes code faster, and can be left out to see what it gains.
#pragma once

#include <string>
#include <vector>

namespace covenant::compiler {

/// Values are the same without them.
struct Optimisations {
  bool vectorise = true;  ///< nodes that work on vectors are used; else those that work on one element at a time
  bool pack = true;       ///< several instructions in a packet
  bool unroll = true;     ///< loops are written out and jammed; else every loop turns, over the smallest tiles
  bool pipeline = true;   ///< trips of loops overlap
  bool operator==(const Optimisations&) const = default;
};

/// Names of those that are left out.
inline std::vector<std::string> left_out(const Optimisations& chosen) {
  std::vector<std::string> names;
  if (!chosen.vectorise) names.emplace_back("vectorise");
  if (!chosen.pack) names.emplace_back("pack");
  if (!chosen.unroll) names.emplace_back("unroll");
  if (!chosen.pipeline) names.emplace_back("pipeline");
  return names;
}

}  // namespace covenant::compiler
