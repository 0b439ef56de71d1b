/// What the targets of libFuzzer share.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <string>
#include <string_view>

#include "acg/base/diagnostic.h"

namespace covenant::fuzzing {

/// Ends the process: libFuzzer keeps the input.
[[noreturn]] inline void give_up(const std::string& what) {
  std::cerr << what << "\n";
  std::abort();
}

/// Gives up unless the diagnostic has a code with one of these prefixes, says what is wrong, and how to correct it.
inline void expect_complete(const Diagnostic& said, std::initializer_list<std::string_view> prefixes) {
  const bool is_ours = said.code.size() == 7 && std::ranges::any_of(prefixes, [&](std::string_view prefix) {
                         return said.code.starts_with(prefix);
                       });
  if (!is_ours || said.message.empty() || said.fix.empty()) give_up("an incomplete diagnostic: " + render(said));
}

}  // namespace covenant::fuzzing
