#include "fuzz/broken_machine.h"

#include <utility>

#include "acg/base/check.h"
#include "acg/lang/print.h"
#include "fuzz/breaking.h"
#include "fuzz/draw.h"
#include "fuzz/random_machine.h"

namespace covenant::runtime {
namespace {

constexpr uint64_t kBreaks = 0xB2EA4ULL;  // draws of their own: machines are those that random_machine makes
constexpr uint64_t kMostMachines = 50;
constexpr uint64_t kNext = uint64_t{1} << 32;

std::vector<breaking::Rule> all_rules() {
  std::vector<breaking::Rule> all;
  for (const auto& rules : {breaking::graph_rules(), breaking::offchip_rules(), breaking::number_rules(),
                            breaking::word_rules(), breaking::text_rules()}) {
    all.insert(all.end(), rules.begin(), rules.end());
  }
  return all;
}

}  // namespace

std::vector<std::string_view> breaking_rules() {
  std::vector<std::string_view> names;
  for (const breaking::Rule& rule : all_rules()) names.push_back(rule.name);
  return names;
}

BrokenMachine broken_machine(uint64_t seed, uint64_t index) {
  static const std::vector<breaking::Rule> rules = all_rules();
  const breaking::Rule& rule = rules[index % rules.size()];
  Draw draw(seed + kBreaks, index);
  // A machine without what the rule takes away is passed over.
  for (uint64_t i = 0; i < kMostMachines; ++i) {
    const acg::Machine machine = random_machine(seed, index + i * kNext, false).machine;
    std::string text = rule.apply(machine, draw);
    if (text != acg::print(machine)) return {std::string(rule.name), std::move(text)};
  }
  fail("no random machine has what the rule '" + std::string(rule.name) + "' breaks");
}

}  // namespace covenant::runtime
