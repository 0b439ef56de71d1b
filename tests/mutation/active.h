/// Number of the active mutant in this process: COVENANT_MUTANT, 0 for none.
#pragma once

#include <cstdlib>

namespace covenant::mutation {

/// Read once: a process has one mutant from its start to its end.
inline int active() {
  static const int number = [] {
    const char* text = std::getenv("COVENANT_MUTANT");
    return text == nullptr ? 0 : static_cast<int>(std::strtol(text, nullptr, 10));
  }();
  return number;
}

}  // namespace covenant::mutation
