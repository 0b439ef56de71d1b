/// Draws a scenario, simulates it on all sides and compares them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace covenant::platforms {

struct Checked {
  std::string text;                ///< of the scenario
  std::vector<std::string> wrong;  ///< empty: all holds
  bool is_timed = false;
  uint64_t runs = 0;    ///< of each side
  uint64_t cycles = 0;  ///< of the RTL
  uint64_t bursts = 0;  ///< of all sides
  uint64_t acts = 0;    ///< that have happened
};

Checked check_scenario(uint64_t seed, uint64_t number);

}  // namespace covenant::platforms
