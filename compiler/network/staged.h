/// Staged<T>, the result of a part of the compiler: a value; or the text of the stage after which the caller asked it
/// to stop; or a diagnostic.
///
///     Staged<FusedNetwork> fused = fused_network(...);
///     if (!fused) return fused.ended();
///     use(*fused);
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "acg/base/check.h"
#include "acg/base/diagnostic.h"
#include "acg/base/result.h"

namespace covenant::compiler {

/// Result of a compilation that stopped as it was asked to.
struct Stopped {
  std::string stage;
  std::string text;  ///< of the stage, or of the layer that was asked for
};

/// Reason why there is no value.
using Ended = std::variant<Stopped, Diagnostic>;

template <typename T>
class [[nodiscard]] Staged {
 public:
  Staged(T value) : state_(std::in_place_index<0>, std::move(value)) {}               // implicit
  Staged(Ended ended) : state_(std::in_place_index<1>, std::move(ended)) {}           // implicit
  Staged(Diagnostic mistake) : state_(std::in_place_index<1>, std::move(mistake)) {}  // implicit
  Staged(Result<T> result)
      : state_(result ? State(std::in_place_index<0>, std::move(*result))
                      : State(std::in_place_index<1>, result.error())) {}  // implicit

  explicit operator bool() const { return state_.index() == 0; }

  /// Precondition: there is a value.
  const T& operator*() const& { return value(*this); }
  T& operator*() & { return value(*this); }
  T&& operator*() && { return std::move(value(*this)); }
  const T* operator->() const { return &value(*this); }
  T* operator->() { return &value(*this); }

  /// Precondition: there is no value.
  const Ended& ended() const {
    check(state_.index() == 1, "Staged::ended() of a value");
    return std::get<1>(state_);
  }

  /// Precondition: a mistake ended compiling.
  const Diagnostic& error() const {
    check(stopped() == nullptr, "Staged::error() of a compilation that stopped as it was asked to");
    return std::get<Diagnostic>(ended());
  }

  /// The stage after which compiling stopped; nothing if it did not.
  const Stopped* stopped() const { return *this ? nullptr : std::get_if<Stopped>(&ended()); }

  /// The value or the diagnostic of a compilation that was not asked to stop.
  operator Result<T>() && {  // implicit
    if (!*this) return error();
    return std::move(**this);
  }

 private:
  using State = std::variant<T, Ended>;

  template <typename Self>
  static auto& value(Self& self) {
    check(self.state_.index() == 0, "Staged: value taken of a compilation that ended before");
    return std::get<0>(self.state_);
  }

  State state_;
};

}  // namespace covenant::compiler
