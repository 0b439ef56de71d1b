#include "acg/behaviour/ranges.h"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>

#include "acg/base/check.h"
#include "acg/behaviour/arithmetic.h"

namespace covenant::acg::behaviour {
namespace {

__extension__ using Wide = __int128;

std::optional<Range> narrowed(Wide low, Wide high) {
  if (low < std::numeric_limits<int64_t>::min() || high > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return Range{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

std::optional<Range> hull(std::initializer_list<Wide> corners) {
  return narrowed(std::min(corners), std::max(corners));
}

/// The numbers that as many bits hold as the largest of both ranges takes.
Range envelope(const Range& a, const Range& b) {
  const auto bits = [](int64_t value) {
    return static_cast<int>(std::bit_width(static_cast<uint64_t>(value < 0 ? ~value : value)));
  };
  const int most = std::max({bits(a.low), bits(a.high), bits(b.low), bits(b.high)});
  const auto high = static_cast<int64_t>((uint64_t{1} << most) - 1);
  return {a.low < 0 || b.low < 0 ? ~high : 0, high};
}

std::optional<Range> quotient(const Range& a, const Range& b) {
  if (b.low <= 0 && b.high >= 0) {  // by 1 and by -1 it is largest
    return hull({Wide{a.low}, Wide{a.high}, -Wide{a.low}, -Wide{a.high}, Wide{-1}, Wide{0}});
  }
  const auto over = [](int64_t left, int64_t right) { return floor_divide(Wide{left}, Wide{right}); };
  return hull({over(a.low, b.low), over(a.low, b.high), over(a.high, b.low), over(a.high, b.high)});
}

std::optional<Range> shifted_left(const Range& a, const Range& by) {
  if (by.low < 0 || by.high > 63) return std::nullopt;
  const auto times = [](int64_t value, int64_t shift) { return Wide{value} * (Wide{1} << shift); };
  return hull({times(a.low, by.low), times(a.low, by.high), times(a.high, by.low), times(a.high, by.high)});
}

std::optional<Range> shifted_right(const Range& a, const Range& by) {
  if (by.low < 0 || by.high > 63) return std::nullopt;
  return hull({Wide{a.low >> by.low}, Wide{a.low >> by.high}, Wide{a.high >> by.low}, Wide{a.high >> by.high}});
}

Range conjunction(const Range& a, const Range& b) {
  if (a.low >= 0 && b.low >= 0) return {0, std::min(a.high, b.high)};
  if (a.low >= 0) return {0, a.high};
  if (b.low >= 0) return {0, b.high};
  return envelope(a, b);
}

std::optional<Range> remainder(const Range& a, const Range& b) {
  if (b.low < 0) return std::nullopt;
  if (a.low >= 0 && a.high < b.low) return a;
  return Range{0, std::max<int64_t>(b.high - 1, 0)};
}

std::optional<Range> of_two(Op op, const Range& a, const Range& b) {
  switch (op) {
    case Op::kAdd:
      return narrowed(Wide{a.low} + b.low, Wide{a.high} + b.high);
    case Op::kSubtract:
      return narrowed(Wide{a.low} - b.high, Wide{a.high} - b.low);
    case Op::kMultiply:
      return hull({Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high});
    case Op::kDivide:
      return quotient(a, b);
    case Op::kModulo:
      return remainder(a, b);
    case Op::kShiftLeft:
      return shifted_left(a, b);
    case Op::kShiftRight:
      return shifted_right(a, b);
    case Op::kAnd:
      return conjunction(a, b);
    case Op::kOr:
    case Op::kXor:
      return envelope(a, b);
    case Op::kMin:
      return Range{std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::kMax:
      return Range{std::max(a.low, b.low), std::max(a.high, b.high)};
    default:
      return Range{0, 1};  // comparisons, and, or
  }
}

}  // namespace

std::optional<Range> range_of(Op op, const std::vector<Range>& operands) {
  const Range& first = operands.front();
  switch (op) {
    case Op::kNegate:
      return narrowed(-Wide{first.high}, -Wide{first.low});
    case Op::kInvert:
      return Range{~first.high, ~first.low};
    case Op::kNot:
      return Range{0, 1};
    case Op::kLog2:
      return Range{floor_log2(std::max<int64_t>(first.low, 1)), floor_log2(std::max<int64_t>(first.high, 1))};
    case Op::kConditional:
      return Range{std::min(operands[1].low, operands[2].low), std::max(operands[1].high, operands[2].high)};
    default:
      check(operands.size() == 2, "an operation of two operands");
      return of_two(op, first, operands[1]);
  }
}

std::optional<Range> range_of_sum(const Range& terms, const Range& one) {
  const Range counts{std::max<int64_t>(terms.low, 0), std::max<int64_t>(terms.high, 0)};
  return of_two(Op::kMultiply, counts, one);
}

}  // namespace covenant::acg::behaviour
