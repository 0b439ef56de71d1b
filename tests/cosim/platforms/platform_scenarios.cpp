/// Random scenarios on foreign platforms: platform_scenarios [--scenarios N] [--seed S] [--only NUMBER] [--json]
///
/// Each that fails is printed with what is wrong in it; exit code 1 then. `--only` runs the one with that number, and
/// prints it in any case. Needs Verilator.
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <string>

#include "tests/cosim/platforms/check.h"

int main(int argc, char** argv) {
  uint64_t scenarios = 200, seed = 1;
  std::optional<uint64_t> only;
  bool is_json = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--json") {
      is_json = true;
      continue;
    }
    if (i + 1 == argc) {
      fmt::print(stderr, "usage: platform_scenarios [--scenarios N] [--seed S] [--only NUMBER] [--json]\n");
      return 2;
    }
    const uint64_t value = std::strtoull(argv[++i], nullptr, 10);
    if (option == "--scenarios") scenarios = value;
    if (option == "--seed") seed = value;
    if (option == "--only") only = value;
  }
  std::map<std::string, uint64_t> sums;
  for (uint64_t number = only.value_or(0); number < (only ? *only + 1 : scenarios); ++number) {
    const covenant::platforms::Checked checked = covenant::platforms::check_scenario(seed, number);
    ++sums["scenarios"];
    sums["timed"] += checked.is_timed ? 1 : 0;
    sums["runs"] += checked.runs;
    sums["cycles"] += checked.cycles;
    sums["bursts"] += checked.bursts;
    sums["acts"] += checked.acts;
    sums["failed"] += checked.wrong.empty() ? 0 : 1;
    if (only || !checked.wrong.empty()) fmt::print(stderr, "{}", checked.text);
    for (const std::string& wrong : checked.wrong) fmt::print(stderr, "    {}\n", wrong);
  }
  std::string text;
  for (const auto& [name, value] : sums) {
    text += is_json ? fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", name, value)
                    : fmt::format("{:<10} {}\n", name, value);
  }
  fmt::print("{}", is_json ? "{" + text + "}\n" : text);
  return sums["failed"] == 0 ? 0 : 1;
}
