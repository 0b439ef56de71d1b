/// Optimisations of generated code that can be disabled to measure their gain.
#pragma once

#include <string>
#include <vector>

namespace covenant::compiler {

/// Results are the same without them.
struct Optimisations {
  bool vectorise = true;  ///< use nodes that work on vectors; otherwise only those that work on one element at a time
  bool pack = true;       ///< put several instructions into a packet
  bool unroll = true;     ///< unroll and jam loops; otherwise every loop runs over the smallest tiles
  bool pipeline = true;   ///< overlap the iterations of loops
  bool operator==(const Optimisations&) const = default;
};

/// Names of the disabled optimisations.
inline std::vector<std::string> left_out(const Optimisations& chosen) {
  std::vector<std::string> names;
  if (!chosen.vectorise) names.emplace_back("vectorise");
  if (!chosen.pack) names.emplace_back("pack");
  if (!chosen.unroll) names.emplace_back("unroll");
  if (!chosen.pipeline) names.emplace_back("pipeline");
  return names;
}

}  // namespace covenant::compiler
