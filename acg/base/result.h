/// Result<T>: a value, or the diagnostic that says why there is none.
///
///     Result<Machine> machine = load_machine(path);
///     if (!machine) return machine.error();
///     use(*machine);
#pragma once

#include <utility>
#include <variant>

#include "acg/base/check.h"
#include "acg/base/diagnostic.h"

namespace covenant {

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}                     // implicit
  Result(Diagnostic diagnostic) : state_(std::in_place_index<1>, std::move(diagnostic)) {}  // implicit

  explicit operator bool() const { return state_.index() == 0; }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(value()); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  /// Precondition: `!*this`.
  const Diagnostic& error() const {
    check(state_.index() == 1, "Result::error() of a value");
    return std::get<1>(state_);
  }

 private:
  const T& value() const {
    check(state_.index() == 0, "Result: value taken of a failure");
    return std::get<0>(state_);
  }
  T& value() {
    check(state_.index() == 0, "Result: value taken of a failure");
    return std::get<0>(state_);
  }

  std::variant<T, Diagnostic> state_;
};

/// The value of a function that can fail but has nothing to return.
struct Done {};
using Status = Result<Done>;

}  // namespace covenant
