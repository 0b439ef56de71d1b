/// Machines that are broken on purpose: each is refused with a diagnostic, when it is read or when a small network is
/// compiled for it. About 200 of them; 2,000 with COVENANT_FULL=1.
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "compiler/driver/pipeline.h"
#include "fuzz/broken_machine.h"
#include "fuzz/random_machine.h"
#include "fuzz/refusal.h"

namespace covenant::runtime {
namespace {

uint64_t number(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(BrokenMachines, EqualDrawsAreEqual) {
  const size_t rules = breaking_rules().size();
  for (uint64_t index = 0; index < rules; ++index) {
    EXPECT_EQ(broken_machine(3, index).text, broken_machine(3, index).text);
    EXPECT_EQ(broken_machine(3, index).rule, breaking_rules()[index]);
  }
}

TEST(BrokenMachines, RulesHaveNamesOfTheirOwn) {
  const std::vector<std::string_view> rules = breaking_rules();
  EXPECT_EQ(std::set<std::string_view>(rules.begin(), rules.end()).size(), rules.size());
  EXPECT_GE(rules.size(), 100U);
}

/// Machines are valid before a rule breaks them: most random machines take every probe network.
TEST(BrokenMachines, WholeMachinesAreTaken) {
  size_t taken = 0;
  for (uint64_t index = 0; index < 10; ++index) {
    const Refusal refusal = refusal_of(random_machine(5, index, false).text);
    EXPECT_TRUE(refusal.fate == Fate::kAccepted || refusal.fate == Fate::kCompiled) << refusal.message;
    if (refusal.fate == Fate::kAccepted) ++taken;
  }
  EXPECT_GE(taken, 9U);
}

/// COVENANT_SEED, COVENANT_FIRST and COVENANT_MACHINES choose others.
TEST(BrokenMachines, AreRefusedBeforeTheyRun) {
  const uint64_t seed = number("COVENANT_SEED", 1);
  const uint64_t first = number("COVENANT_FIRST", 0);
  const uint64_t machines = number("COVENANT_MACHINES", std::getenv("COVENANT_FULL") == nullptr ? 200 : 2000);
  fmt::print("seed {}\n", seed);
  std::map<std::string, uint64_t> codes;
  for (uint64_t index = first; index < first + machines; ++index) {
    const BrokenMachine broken = broken_machine(seed, index);
    const Refusal refusal = refusal_of(broken.text);
    const bool is_refused = refusal.fate == Fate::kRead || refusal.fate == Fate::kCompiled;
    EXPECT_TRUE(is_refused) << fmt::format("machine {} of seed {} ({}): {} {}", index, seed, broken.rule,
                                           name(refusal.fate), refusal.message);
    ++codes[is_refused ? refusal.code : name(refusal.fate)];
  }
  for (const auto& [code, times] : codes) fmt::print("{:5} {}\n", times, code);
}

}  // namespace
}  // namespace covenant::runtime
