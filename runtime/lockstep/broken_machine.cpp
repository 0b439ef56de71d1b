#include "runtime/lockstep/broken_machine.h"

#include "runtime/lockstep/breaking.h"
#include "runtime/lockstep/draw.h"
#include "runtime/lockstep/random_machine.h"

namespace covenant::runtime {
namespace {

constexpr uint64_t kBreaks = 0xB2EA4ULL;  // draws of their own: machines are those that random_machine makes

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
  return {std::string(rule.name), rule.apply(random_machine(seed, index, false).machine, draw)};
}

}  // namespace covenant::runtime
