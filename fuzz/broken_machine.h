/// Machines that contradict themselves, lack something that every program needs, or are malformed text.
///
/// Each is a random machine (random_machine.h) with one thing broken by one of many rules. A rule always breaks the
/// machine that it is given: the result is refused when it is read, or when one of `probe_networks` is compiled for it
/// (refusal.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace covenant::runtime {

struct BrokenMachine {
  std::string rule;  ///< what was broken; one of `breaking_rules`
  std::string text;  ///< an `.acg` file; JSON if it begins with a brace
};

/// All rules, in the order in which they are used.
std::vector<std::string_view> breaking_rules();

/// Machine `index` of `seed`, or a later one if it has not what the rule breaks, broken by rule `index` modulo their
/// number; equal arguments give equal texts, everywhere.
BrokenMachine broken_machine(uint64_t seed, uint64_t index);

}  // namespace covenant::runtime
