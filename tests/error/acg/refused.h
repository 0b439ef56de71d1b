/// Helpers for texts that must be refused with a given diagnostic.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "acg/lang/load.h"

namespace covenant::acg::testing {

struct Refusal {
  std::string code;
  uint32_t line = 0;
  uint32_t column = 0;
  std::string offending;
  std::string fix;
};

/// The text from a place on, for messages.
inline std::string text_at(std::string_view text, const SourceLocation& where) {
  for (uint32_t line = 1; line < where.line && !text.empty(); ++line) text.remove_prefix(text.find('\n') + 1);
  if (where.column == 0 || where.column > text.size()) return "";
  return std::string(text.substr(where.column - 1, 20));
}

/// `text` is refused exactly so; `fix` is compared whole.
inline void expect_refused(std::string_view text, const Refusal& wanted, std::string_view preset = {},
                           const std::vector<std::pair<std::string, std::string>>& set = {}) {
  const Result<Machine> machine = parse_machine(text, "small.acg", preset, set);
  ASSERT_FALSE(machine) << "accepted, but " << wanted.code << " was due";
  const Diagnostic& said = machine.error();
  const std::string shown = render(said) + "\n  at: " + text_at(text, said.where);
  EXPECT_EQ(said.code, wanted.code) << shown;
  EXPECT_EQ(said.where.line, wanted.line) << shown;
  EXPECT_EQ(said.where.column, wanted.column) << shown;
  EXPECT_EQ(said.offending, wanted.offending) << shown;
  EXPECT_EQ(said.fix, wanted.fix) << shown;
  EXPECT_FALSE(said.message.empty()) << shown;
}

}  // namespace covenant::acg::testing
