/// Text as editors of some systems write it.
#pragma once

#include <string_view>

namespace covenant {

/// `text` after the UTF-8 byte-order mark that it may begin with; the mark counts as no column.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

}  // namespace covenant
