/// Broken invariants: our bugs, never the user's mistakes (those are Diagnostics).
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace covenant {

class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InternalError naming the caller's file and line.
[[noreturn]] void fail(std::string_view what, std::source_location where = std::source_location::current());

inline void check(bool condition, std::string_view what, std::source_location where = std::source_location::current()) {
  if (!condition) fail(what, where);
}

}  // namespace covenant
