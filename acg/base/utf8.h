/// Checks text in UTF-8 (RFC 3629).
#pragma once

#include <string_view>

namespace covenant {

/// True if the bytes are text in UTF-8: no lone, overlong or surrogate sequences.
constexpr bool is_utf8(std::string_view bytes) {
  const auto at = [&](size_t index) { return static_cast<unsigned char>(bytes[index]); };
  for (size_t i = 0; i < bytes.size();) {
    const unsigned char lead = at(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (length == 0 || bytes.size() - i < length) return false;
    // The first byte after the lead alone tells overlong sequences, surrogates, and code points past U+10FFFF.
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (at(i + 1) < low || at(i + 1) > high) return false;
    for (size_t k = 2; k < length; ++k) {
      if ((at(i + k) & 0xC0U) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace covenant
