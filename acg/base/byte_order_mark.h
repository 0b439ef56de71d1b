/// Removes the UTF-8 byte-order mark that some editors write at the start of a text file.
#pragma once

#include <string_view>

namespace covenant {

/// `text` without a leading UTF-8 byte-order mark. Columns in diagnostics do not count the mark.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace covenant
