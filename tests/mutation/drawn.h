/// Mistakes between two operands, switched on by number: `a < Less{7} > b` is `a < b`, and `a <= b` if mutant 7 is
/// active. The second operator has the precedence of the first, so the surrounding expression is parsed as before.
#pragma once

#include "tests/mutation/active.h"

namespace covenant::mutation {

/// The left operand, and the two results: `kept` is correct, `made` the mistake.
template <class Left, class Mistake>
struct Held {
  const Left& left;
  int number;
};

struct Less {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left < right) { return left < right; }
  static auto made(const auto& left, const auto& right) -> decltype(left <= right) { return left <= right; }
};

struct LessEqual {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left <= right) { return left <= right; }
  static auto made(const auto& left, const auto& right) -> decltype(left < right) { return left < right; }
};

struct Greater {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left > right) { return left > right; }
  static auto made(const auto& left, const auto& right) -> decltype(left >= right) { return left >= right; }
};

struct GreaterEqual {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left >= right) { return left >= right; }
  static auto made(const auto& left, const auto& right) -> decltype(left > right) { return left > right; }
};

struct Equal {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left == right) { return left == right; }
  static auto made(const auto& left, const auto& right) -> decltype(left != right) { return left != right; }
};

struct NotEqual {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left != right) { return left != right; }
  static auto made(const auto& left, const auto& right) -> decltype(left == right) { return left == right; }
};

struct Minus {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left - right) { return left - right; }
  static auto made(const auto& left, const auto& right) -> decltype(right - left) { return right - left; }
};

struct Divide {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left / right) { return left / right; }
  static auto made(const auto& left, const auto& right) -> decltype(right / left) { return right / left; }
};

struct Modulo {
  int number;
  static auto kept(const auto& left, const auto& right) -> decltype(left % right) { return left % right; }
  static auto made(const auto& left, const auto& right) -> decltype(right % left) { return right % left; }
};

template <class Left>
Held<Left, Less> operator<(const Left& left, Less mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, LessEqual> operator<=(const Left& left, LessEqual mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, Greater> operator>(const Left& left, Greater mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, GreaterEqual> operator>=(const Left& left, GreaterEqual mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, Equal> operator==(const Left& left, Equal mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, NotEqual> operator!=(const Left& left, NotEqual mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, Minus> operator-(const Left& left, Minus mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, Divide> operator/(const Left& left, Divide mistake) {
  return {left, mistake.number};
}

template <class Left>
Held<Left, Modulo> operator%(const Left& left, Modulo mistake) {
  return {left, mistake.number};
}

template <class Left, class Mistake, class Right>
auto decided(const Held<Left, Mistake>& held, const Right& right) -> decltype(Mistake::kept(held.left, right)) {
  return active() == held.number ? Mistake::made(held.left, right) : Mistake::kept(held.left, right);
}

template <class Left, class Mistake, class Right>
auto operator<(const Held<Left, Mistake>& held, const Right& right) -> decltype(decided(held, right)) {
  return decided(held, right);
}

template <class Left, class Mistake, class Right>
auto operator>(const Held<Left, Mistake>& held, const Right& right) -> decltype(decided(held, right)) {
  return decided(held, right);
}

template <class Left, class Mistake, class Right>
auto operator==(const Held<Left, Mistake>& held, const Right& right) -> decltype(decided(held, right)) {
  return decided(held, right);
}

template <class Left, class Mistake, class Right>
auto operator-(const Held<Left, Mistake>& held, const Right& right) -> decltype(decided(held, right)) {
  return decided(held, right);
}

template <class Left, class Mistake, class Right>
auto operator/(const Held<Left, Mistake>& held, const Right& right) -> decltype(decided(held, right)) {
  return decided(held, right);
}

template <class Left, class Mistake, class Right>
auto operator%(const Held<Left, Mistake>& held, const Right& right) -> decltype(decided(held, right)) {
  return decided(held, right);
}

}  // namespace covenant::mutation
