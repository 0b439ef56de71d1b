#include <gtest/gtest.h>

#include "acg/lang/json.h"
#include "acg/lang/print.h"
#include "tests/property/acg/random_source.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg {
namespace {

using testing::RandomSource;

/// Whatever the text: a machine that prints to an equal one, or a diagnostic with a code, a place and a fix.
void expect_sane(const std::string& text) {
  const Result<Machine> machine = parse_machine(text, "hostile.acg");
  if (machine) {
    const Result<Machine> again = parse_machine(print(*machine), "printed.acg");
    ASSERT_TRUE(again) << render(again.error()) << "\n" << text;
    ASSERT_EQ(*again, *machine) << text;
    return;
  }
  const Diagnostic& said = machine.error();
  ASSERT_EQ(said.code.substr(0, 3), "ACG") << render(said);
  ASSERT_EQ(said.where.file, "hostile.acg") << render(said);
  ASSERT_GT(said.where.line, 0U) << render(said);
  ASSERT_GT(said.where.column, 0U) << render(said);
  ASSERT_FALSE(said.fix.empty()) << render(said);
}

TEST(HostileText, SmallEdits) {
  RandomSource random(6);
  constexpr std::string_view kLetters = "(){}[];=,.+-*/<>\"#09KMG_aZ \n\xff";
  for (int repeat = 0; repeat < 5000; ++repeat) {
    std::string text(testing::kSmallMachine);
    for (int64_t edits = random.between(1, 3); edits > 0; --edits) {
      const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(text.size()) - 1));
      const char letter = kLetters[static_cast<size_t>(random.between(0, static_cast<int64_t>(kLetters.size()) - 1))];
      const int64_t kind = random.between(0, 2);
      if (kind == 0) text[at] = letter;
      if (kind == 1) text.insert(at, 1, letter);
      if (kind == 2) text.erase(at, static_cast<size_t>(random.between(1, 8)));
    }
    ASSERT_NO_FATAL_FAILURE(expect_sane(text));
  }
}

/// Numbers of all sizes in every place that takes one.
TEST(HostileText, Numbers) {
  RandomSource random(7);
  const std::vector<std::string> values{"0",
                                        "1",
                                        "-1",
                                        "3",
                                        "7",
                                        "31",
                                        "32",
                                        "33",
                                        "4095",
                                        "65536",
                                        "2147483647",
                                        "2147483648",
                                        "4294967295",
                                        "4294967296",
                                        "1G",
                                        "8589934591G",
                                        "9223372036854775807",
                                        "(-9223372036854775807 - 1)",
                                        "M",
                                        "N * N",
                                        "1 / 0"};
  for (int repeat = 0; repeat < 5000; ++repeat) {
    std::string text(testing::kSmallMachine);
    std::vector<size_t> numbers;
    for (size_t i = 1; i < text.size(); ++i) {
      const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
      if (is_digit(text[i]) && (text[i - 1] == ' ' || text[i - 1] == '(')) numbers.push_back(i);
    }
    const size_t at = numbers[static_cast<size_t>(random.between(0, static_cast<int64_t>(numbers.size()) - 1))];
    const size_t end = text.find_first_not_of("0123456789KMG", at);
    text.replace(at, end - at, values[static_cast<size_t>(random.between(0, static_cast<int64_t>(values.size()) - 1))]);
    ASSERT_NO_FATAL_FAILURE(expect_sane(text));
  }
}

TEST(HostileText, EveryPrefix) {
  for (size_t size = 0; size < testing::kSmallMachine.size(); size += 3) {
    ASSERT_NO_FATAL_FAILURE(expect_sane(std::string(testing::kSmallMachine.substr(0, size))));
  }
}

TEST(HostileText, JsonWithChangedBytes) {
  RandomSource random(8);
  const std::string good = to_json(testing::parsed(testing::kSmallMachine));
  for (int repeat = 0; repeat < 2000; ++repeat) {
    std::string text = good;
    const auto at = static_cast<size_t>(random.between(0, static_cast<int64_t>(text.size()) - 1));
    text[at] = static_cast<char>(random.between(32, 126));
    const Result<Machine> machine = from_json(text);
    if (machine) {
      const Result<Machine> again = parse_machine(print(*machine), "printed.acg");
      ASSERT_TRUE(again) << render(again.error());
      ASSERT_EQ(*again, *machine);
    } else {
      ASSERT_FALSE(machine.error().code.empty());
    }
  }
}

}  // namespace
}  // namespace covenant::acg
