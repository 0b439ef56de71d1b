/// Identifiers made from names: distinct, legal, and different from the generator's own.
#include "rtl/gen/common/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <set>

#include "acg/lang/load.h"
#include "rtl/gen/generate.h"
#include "tests/support/acg/renamed.h"

namespace covenant::rtl {
namespace {

using Names = std::vector<std::string>;

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char character : text) {
    if (character == '_') {
      words.emplace_back();
    } else {
      words.back() += character;
    }
  }
  return words;
}

bool is_own(const std::string& word) {
  return std::binary_search(own_words().begin(), own_words().end(), std::string_view(word));
}

TEST(Identifiers, KeepOrdinaryNames) {
  EXPECT_EQ(identifiers(Names{"SA", "DRAM->IBUF", "VMEM1->DRAM", "IBUF", "Core.PE"}),
            (Names{"sa", "dram_to_ibuf", "vmem1_to_dram", "ibuf", "core_pe"}));
}

TEST(Identifiers, TellApartWhatLowerCaseDoesNot) {
  EXPECT_EQ(identifiers(Names{"DRAM->IBUF", "DRAM_to_IBUF", "IBUF", "ibuf", "iBuf", "A_B", "A.B"}),
            (Names{"dram_to_ibuf", "dram_to_ibuf_alt1", "ibuf", "ibuf_alt1", "ibuf_alt2", "a_b", "a_b_alt1"}));
}

TEST(Identifiers, HaveOneUnderscoreAtATimeAndNoneAtTheEnds) {
  EXPECT_EQ(identifiers(Names{"__A__B_", "_", "__", "_1", "_A->B_"}), (Names{"a_b", "n", "n_alt1", "n1", "a_to_b"}));
}

TEST(Identifiers, MarkWordsOfTheGeneratorAndOfTheRule) {
  EXPECT_EQ(identifiers(Names{"FETCH", "SA_SEQUENCER", "IBUF_alt1", "STATUS", "alternate"}),
            (Names{"fetch_alt1", "sa_sequencer_alt1", "ibuf_alt1_alt1", "status_alt1", "alternate"}));
}

TEST(Identifiers, AreBoundedInLength) {
  const std::string stem(300, 'Q');
  const Names made = identifiers(Names{stem + "1", stem + "2", stem});
  EXPECT_EQ(made[0], std::string(kLongestIdentifier, 'q'));
  EXPECT_EQ(made[1], made[0] + "_alt1");
  EXPECT_EQ(made[2], made[0] + "_alt2");
}

TEST(Comments, AreNoOrdersToVerilator) {
  EXPECT_EQ(comment_of("Verilator"), "`Verilator`");
  EXPECT_EQ(comment_of("verilator->IBUF"), "`verilator->IBUF`");
  EXPECT_EQ(comment_of("DRAM->IBUF"), "DRAM->IBUF");
}

/// A name of few letters and words, so that names meet one another and the generator's.
std::string random_name(std::mt19937& random) {
  static const std::vector<std::string> kParts{"A",  "a",    "b",     "_",    "__",   "_to_", "1",     "alt1",
                                               "->", "read", "valid", "path", "data", ".",    "FETCH", "u_"};
  std::string name;
  for (size_t i = 1 + random() % 5; i > 0; --i) name += kParts[random() % kParts.size()];
  if (random() % 16 == 0) name += std::string(60, 'z') + name;
  return name;
}

TEST(Identifiers, AreDistinctWhateverTheNames) {
  constexpr uint32_t kSeed = 20261122;
  SCOPED_TRACE(fmt::format("seed {}", kSeed));
  std::mt19937 random(kSeed);
  const std::regex legal("[a-z][a-z0-9]*(_[a-z0-9]+)*");
  for (int trial = 0; trial < 500; ++trial) {
    std::set<std::string> distinct;
    for (size_t i = 0; i < 40; ++i) distinct.insert(random_name(random));
    Names names(distinct.begin(), distinct.end());
    std::shuffle(names.begin(), names.end(), random);
    const Names made = identifiers(names);
    ASSERT_EQ(made, identifiers(names));
    std::set<std::string> all;  // with what the generator puts around them
    for (size_t i = 0; i < made.size(); ++i) {
      ASSERT_TRUE(std::regex_match(made[i], legal)) << names[i] << " gives " << made[i];
      ASSERT_LE(made[i].size(), kLongestIdentifier + 8);
      ASSERT_TRUE(all.insert(made[i]).second) << made[i];
      for (const std::string_view own : own_words()) {
        for (const std::string_view prefix : {"", "u_", "unused_", "bus_"}) {
          const std::string text = fmt::format("{}{}_{}", prefix, made[i], own);
          ASSERT_TRUE(all.insert(text).second) << names[i] << " gives " << text << " again";
        }
      }
    }
  }
}

/// Lower-case identifiers that a generated file declares or uses in its own scope. Left out: modules and packages of
/// ours, ports of instances, numbers.
std::set<std::string> made_identifiers(const std::string& text) {
  static const std::regex other("//[^\n]*|\\.[a-z0-9_]+(?=\\s*\\()|'[a-z][0-9]+"), identifier("\\b[a-z][a-z0-9_]*\\b");
  const std::string code = std::regex_replace(text, other, "");
  std::set<std::string> found;
  for (auto at = std::sregex_iterator(code.begin(), code.end(), identifier); at != std::sregex_iterator(); ++at) {
    const std::string word = at->str();
    if (!word.starts_with("covenant_") && !word.starts_with("always_")) found.insert(word);
  }
  return found;
}

TEST(Identifiers, KnowEveryWordOfTheGenerator) {
  static const std::set<std::string> kKeywords{"module", "endmodule", "input",   "output",  "logic",  "assign", "begin",
                                               "end",    "case",      "default", "endcase", "unique", "bind"};
  const acg::Machine machine = test::renamed_genesys({{"IBUF", "QZ1"},
                                                      {"WBUF", "QZ2"},
                                                      {"BBUF", "QZ3"},
                                                      {"OBUF", "QZ4"},
                                                      {"VMEM1", "QZ5"},
                                                      {"VMEM2", "QZ6"},
                                                      {"SA", "QZ7"},
                                                      {"SIMD", "QZ8"},
                                                      {"DRAM", "QZ9"}},
                                                     "QZ0");
  const auto files = generate(machine);
  ASSERT_TRUE(files) << render(files.error());
  const std::regex name("qz[0-9](_to_qz[0-9])?");
  for (const std::string file : {"covenant_top.sv", "covenant_observer.sv"}) {
    for (const std::string& identifier : made_identifiers(files->at(file))) {
      // In the observer only instances have names of the machine.
      if (kKeywords.contains(identifier) || (file != "covenant_top.sv" && !identifier.starts_with("u_"))) continue;
      for (const std::string& word : words_of(std::regex_replace(identifier, name, ""))) {
        EXPECT_TRUE(word.empty() || is_own(word)) << word << " of " << identifier << " in " << file;
      }
    }
  }
}

}  // namespace
}  // namespace covenant::rtl
