/// Which mutant of the SystemC model is active in this process: COVENANT_SYSTEMC_MUTANT, 0 for none.
#pragma once

#include <cstdlib>

namespace covenant::mutation {

/// Read once: a process has one mutant from its start to its end.
inline int active() {
  static const int number = [] {
    const char* text = std::getenv("COVENANT_SYSTEMC_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
  }();
  return number;
}

}  // namespace covenant::mutation
