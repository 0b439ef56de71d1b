/// Helpers that the targets of libFuzzer share.
#pragma once

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <initializer_list>
#include <iostream>
#include <string>
#include <string_view>
#include <sys/time.h>

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

/// Calls `action`, and ends the process if that takes 10 s of a processor: what else the computer does plays no part,
/// as it does in libFuzzer's own limit.
template <typename Action>
void within_limit(Action&& action) {
  constexpr itimerval kLimit{{0, 0}, {10, 0}};
  constexpr itimerval kNone{};
  std::signal(SIGPROF, [](int) { std::abort(); });
  setitimer(ITIMER_PROF, &kLimit, nullptr);
  action();
  setitimer(ITIMER_PROF, &kNone, nullptr);
}

}  // namespace covenant::fuzzing
