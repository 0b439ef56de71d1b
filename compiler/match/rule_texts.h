/// Rules that hold for all machines, as text.
#pragma once

#include <span>
#include <string_view>

namespace covenant::compiler::match {

struct SourceText {
  std::string_view name;    ///< "tensors.rules"
  std::string_view folder;  ///< "rules"
  std::string_view text;
};

/// The files of compiler/match/rules, in alphabetical order.
std::span<const SourceText> rule_texts();

}  // namespace covenant::compiler::match
