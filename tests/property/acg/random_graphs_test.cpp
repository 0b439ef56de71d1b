#include <fmt/format.h>
#include <gtest/gtest.h>

#include "acg/base/failure.h"
#include "acg/lang/json.h"
#include "acg/lang/parser.h"
#include "acg/lang/print.h"
#include "acg/validate/validate.h"
#include "tests/property/acg/random_graph.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::RandomSource;

void expect_lossless(const Machine& machine) {
  const Result<Machine> text = parse_machine(print(machine), "printed.acg");
  ASSERT_TRUE(text) << render(text.error()) << "\n" << print(machine);
  ASSERT_EQ(*text, machine) << print(machine);
  ASSERT_EQ(print(*text), print(machine));
  const Result<Machine> json = from_json(to_json(machine));
  ASSERT_TRUE(json) << render(json.error());
  ASSERT_EQ(*json, machine) << print(machine);
  ASSERT_EQ(to_json(*json), to_json(machine));
}

TEST(RandomGraphs, TextAndJsonAreLossless) {
  RandomSource random(11);
  size_t memories = 0, computes = 0, edges = 0;
  for (int repeat = 0; repeat < 10'000; ++repeat) {
    const Machine machine = testing::random_graph(random);
    const Status valid = validate(machine);
    ASSERT_TRUE(valid) << render(valid.error()) << "\n" << print(machine);
    ASSERT_NO_FATAL_FAILURE(expect_lossless(machine));
    memories += machine.memories.size();
    computes += machine.computes.size();
    edges += machine.edges.size();
  }
  std::cout << "10000 graphs: " << memories << " memories, " << computes << " compute nodes, " << edges << " edges\n";
  EXPECT_GT(edges, 10'000U) << "the graphs are too poor to show anything";
}

TEST(EveryBuiltin, TextAndJsonAreLossless) {
  size_t checked = 0;
  for (const std::string& name : builtin_machines()) {
    std::vector<std::string> specs{name};
    for (const std::string& preset : builtin_presets(name)) specs.push_back(fmt::format("{}:{}", name, preset));
    for (const std::string& spec : specs) {
      const Result<Machine> machine = load_machine(spec);
      ASSERT_TRUE(machine) << spec << ": " << render(machine.error());
      ++checked;
      ASSERT_NO_FATAL_FAILURE(expect_lossless(*machine)) << spec;
    }
  }
  EXPECT_GE(checked, builtin_machines().size() + builtin_presets("genesys").size());
}

lang::MachineSpec spec_of(const std::string& text) {
  const Result<lang::MachineSpec> spec = guarded<lang::MachineSpec>([&] { return lang::parse_spec(text, "f"); });
  if (spec) return *spec;
  ADD_FAILURE() << render(spec.error()) << "\n" << text;
  return {};
}

/// The same document with comments, spaces and line ends where they may stand.
std::string disarranged(const lang::MachineSpec& spec, RandomSource& random, std::vector<std::string>& comments) {
  std::string text;
  for (size_t i = 0; i + 1 < spec.document.tokens.size(); ++i) {
    const lang::LexedToken& token = spec.document.tokens[i];
    text += token.kind == lang::TokenKind::kString ? '"' + token.text + '"' : token.text;
    const int64_t choice = random.between(0, 9);
    if (choice == 0) {
      comments.push_back("# remark " + std::to_string(comments.size()));
      text += comments.back();
    }
    text += choice < 3 ? std::string(static_cast<size_t>(random.between(1, 4)), '\n') : " ";
  }
  return text;
}

TEST(RandomDocuments, CommentsAndMeaningAreKept) {
  RandomSource random(12);
  for (int repeat = 0; repeat < 500; ++repeat) {
    const Machine machine = testing::random_graph(random);
    std::vector<std::string> comments;
    const std::string text = disarranged(spec_of(print(machine)), random, comments);
    const lang::MachineSpec spec = spec_of(text);
    const std::string once = print(spec);
    ASSERT_EQ(print(spec_of(once)), once) << text;
    const Result<Machine> again = parse_machine(once, "once.acg");
    ASSERT_TRUE(again) << render(again.error()) << "\n" << once;
    ASSERT_EQ(*again, machine);
    const lang::LexedText lexed = lang::lex(once, "once.acg");
    ASSERT_EQ(lexed.comments.size(), comments.size());
    for (size_t i = 0; i < comments.size(); ++i) ASSERT_EQ(lexed.comments[i].text, comments[i]);
  }
}

}  // namespace
}  // namespace covenant::acg
