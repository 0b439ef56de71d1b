/// Ports: the named places of nodes where edges attach.
#pragma once

#include <cstdint>
#include <string>

namespace covenant::acg {

enum class PortDirection : uint8_t { kIn, kOut, kBoth };

/// A named place of a node where edges may attach (section 4.2 of Kinzer, "Enabling Cross-Domain Acceleration": input
/// and output ports of the hierarchical architecture graph).
struct Port {
  std::string name;
  PortDirection direction = PortDirection::kIn;
  uint32_t width = 0;  ///< bits per cycle; 0: unspecified
  bool operator==(const Port&) const = default;
};

}  // namespace covenant::acg
