/// Text without the blanks around it.
#pragma once

#include <string_view>

namespace covenant {

/// The text from its first character that is no blank to the last; empty if it has none.
inline std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

}  // namespace covenant
