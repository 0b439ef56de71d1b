#include "compiler/match/tensor_operations.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace covenant::compiler::match {
namespace {

using Operands = std::span<const TensorFact* const>;
using Answer = std::optional<Numbers>;

const Numbers& shape(Operands of, size_t i) { return *of[i]->shape; }
const Numbers& list(Operands of, size_t i) { return *of[i]->list; }

/// Nothing if 64 bits do not hold it.
std::optional<int64_t> product(std::span<const int64_t> numbers) {
  int64_t result = 1;
  for (const int64_t number : numbers) {
    if (__builtin_mul_overflow(result, number, &result)) return std::nullopt;
  }
  return result;
}

/// How many dimensions rows have that operand `i` counts, if that many are in `of`.
std::optional<size_t> rows(Operands of, size_t i, const Numbers& in) {
  const Numbers& said = list(of, i);
  if (said.size() != 1 || said[0] < 0 || static_cast<size_t>(said[0]) > in.size()) return std::nullopt;
  return static_cast<size_t>(said[0]);
}

std::span<const int64_t> leading(const Numbers& of, size_t without) { return std::span(of).first(of.size() - without); }
std::span<const int64_t> trailing(const Numbers& of, size_t count) { return std::span(of).last(count); }

Answer joined(std::span<const int64_t> first, std::span<const int64_t> second) {
  Numbers result(first.begin(), first.end());
  result.insert(result.end(), second.begin(), second.end());
  return result;
}

Answer conv(Operands of) {
  const Numbers &x = shape(of, 0), &w = shape(of, 1), &strides = list(of, 2), &pads = list(of, 3),
                &groups = list(of, 4);
  const size_t spatial = strides.size();
  if (x.size() != spatial + 2 || w.size() != spatial + 2 || pads.size() != 2 * spatial || groups.size() != 1) return {};
  if (groups[0] < 1 || x[1] != w[1] * groups[0] || w[0] % groups[0] != 0) return {};
  Numbers result{x[0], w[0]};
  for (size_t i = 0; i < spatial; ++i) {
    const int64_t room = x[i + 2] + pads[i] + pads[i + spatial] - w[i + 2];
    if (strides[i] < 1 || room < 0) return {};
    result.push_back(room / strides[i] + 1);
  }
  return result;
}

Answer dense(Operands of) {
  const Numbers &x = shape(of, 0), &w = shape(of, 1);
  if (x.empty() || w.size() != 2 || x.back() != w[1]) return {};
  return joined(leading(x, 1), std::span(w).first(1));
}

Answer broadcast(Operands of) {
  Numbers a = shape(of, 0), b = shape(of, 1);
  if (a.size() < b.size()) a.swap(b);
  b.insert(b.begin(), a.size() - b.size(), 1);
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && a[i] != 1 && b[i] != 1) return {};
    a[i] = a[i] == 1 ? b[i] : a[i];
  }
  return a;
}

Answer bias_add(Operands of) {
  const Numbers &x = shape(of, 0), &b = shape(of, 1), &axis = list(of, 2);
  if (axis.size() != 1 || b.size() != 1 || axis[0] < 0 || static_cast<size_t>(axis[0]) >= x.size()) return {};
  return b[0] == x[static_cast<size_t>(axis[0])] ? Answer(x) : Answer();
}

Answer reshape(Operands of) {
  const std::optional<int64_t> before = product(shape(of, 0));
  return before && before == product(list(of, 1)) ? Answer(list(of, 1)) : Answer();
}

Answer transpose(Operands of) {
  const Numbers &x = shape(of, 0), &order = list(of, 1);
  Numbers sorted = order;
  std::ranges::sort(sorted);
  Numbers result;
  for (size_t i = 0; i < order.size(); ++i) {
    if (order.size() != x.size() || sorted[i] != static_cast<int64_t>(i)) return {};
    result.push_back(x[static_cast<size_t>(order[i])]);
  }
  return result;
}

Answer pad(Operands of) {
  Numbers result = shape(of, 0);
  const Numbers& pads = list(of, 1);
  const size_t count = pads.size() / 2;
  if (pads.size() % 2 != 0 || count > result.size()) return {};
  for (size_t i = 0; i < count; ++i) result[result.size() - count + i] += pads[i] + pads[i + count];
  return result;
}

Answer windows(Operands of) {
  const Numbers &x = shape(of, 0), &sizes = list(of, 1), &strides = list(of, 2);
  if (sizes.size() != strides.size() || sizes.size() > x.size()) return {};
  Numbers result(x.begin(), x.end() - static_cast<std::ptrdiff_t>(sizes.size()));
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t room = x[x.size() - sizes.size() + i] - sizes[i];
    if (strides[i] < 1 || sizes[i] < 1 || room < 0) return {};
    result.push_back(room / strides[i] + 1);
  }
  return joined(result, sizes);
}

Answer outer(const Numbers& a, const Numbers& b, Operands of, size_t count) {
  const std::optional<size_t> n = rows(of, count, a);
  if (!n || !rows(of, count, b) || !std::ranges::equal(trailing(a, *n), trailing(b, *n))) return {};
  return joined(leading(a, *n), leading(b, *n));
}

Answer reduce(Operands of) {
  const Numbers& x = shape(of, 1);
  const std::optional<size_t> n = rows(of, 0, x);
  return n ? joined(leading(x, *n), {}) : Answer();
}

Answer flat(Operands of) {
  const Numbers& x = shape(of, 0);
  const std::optional<size_t> n = rows(of, 1, x);
  if (!n) return {};
  const std::optional<int64_t> before = product(leading(x, *n)), within = product(trailing(x, *n));
  return before && within ? Answer(Numbers{*before, *within}) : Answer();
}

/// A tensor's part `[axis, count, index]`.
Answer part(Operands of) {
  Numbers result = shape(of, 0);
  const Numbers& at = list(of, 1);
  if (at.size() != 3 || at[0] < 0 || static_cast<size_t>(at[0]) >= result.size()) return {};
  int64_t& size = result[static_cast<size_t>(at[0])];
  if (at[1] < 1 || size % at[1] != 0 || at[2] < 0 || at[2] >= at[1]) return {};
  size /= at[1];
  return result;
}

Answer join(Operands of) {
  const Numbers &axis = list(of, 0), &b = shape(of, 2);
  Numbers result = shape(of, 1);
  if (axis.size() != 1 || axis[0] < 0 || static_cast<size_t>(axis[0]) >= result.size()) return {};
  const auto at = static_cast<size_t>(axis[0]);
  if (b.size() != result.size()) return {};
  for (size_t i = 0; i < b.size(); ++i) {
    if (i != at && b[i] != result[i]) return {};
  }
  result[at] += b[at];
  return result;
}

/// Tensors of one shape, one after another; none at first.
Answer cons(Operands of) {
  const Numbers &first = shape(of, 0), &rest = shape(of, 1);
  if (!rest.empty() && !std::ranges::equal(first, std::span(rest).subspan(1))) return {};
  return joined(Numbers{rest.empty() ? 1 : rest[0] + 1}, first);
}

Answer same(Operands of) { return shape(of, 0); }

/// The gates of a step: rows of x and of the state before, a column for each bias.
Answer lstm_gates(Operands of) {
  const Numbers &x = shape(of, 0), &weights = shape(of, 2);
  return x.size() == 2 && weights.size() == 2 ? Answer(Numbers{x[0], weights[0]}) : Answer();
}
Answer lstm(Operands of) {
  const Numbers& x = shape(of, 0);
  return x.empty() ? Answer() : joined(std::span(x).first(1), shape(of, 1));
}
Answer lstm_state(Operands of) { return shape(of, 1); }

Answer without(Operands of) {
  Numbers result = list(of, 0);
  const Numbers& at = list(of, 1);
  if (at.size() != 1 || at[0] < 0 || static_cast<size_t>(at[0]) >= result.size()) return {};
  result.erase(result.begin() + at[0]);
  return result;
}

Answer second_last(Operands of) {
  const auto rank = static_cast<int64_t>(shape(of, 0).size());
  if (rank < 2) return {};
  Numbers order{0, rank - 1};
  for (int64_t i = 1; i + 1 < rank; ++i) order.push_back(i);
  return order;
}

/// Operations with their operands, in order, `t` a shape, `l` a list, and, after an arrow, the result.
const std::map<std::string, std::pair<std::string_view, std::function<Answer(Operands)>>, std::less<>>& operations() {
  static const std::map<std::string, std::pair<std::string_view, std::function<Answer(Operands)>>, std::less<>> kAll{
      {"conv", {"ttlll>t", conv}},
      {"dense", {"tt>t", dense}},
      {"bias_add", {"ttl>t", bias_add}},
      {"add", {"tt>t", broadcast}},
      {"mul", {"tt>t", broadcast}},
      {"sub", {"tt>t", broadcast}},
      {"div", {"tt>t", broadcast}},
      {"reshape", {"tl>t", reshape}},
      {"transpose", {"tl>t", transpose}},
      {"pad", {"tl>t", pad}},
      {"zeros", {"l>t", [](Operands of) { return Answer(list(of, 0)); }}},
      {"windows", {"tll>t", windows}},
      {"dot", {"ltt>t", [](Operands of) { return outer(shape(of, 1), shape(of, 2), of, 0); }}},
      {"reduce_max", {"lt>t", reduce}},
      {"reduce_sum", {"lt>t", reduce}},
      {"sigmoid", {"t>t", same}},
      {"tanh", {"t>t", same}},
      {"relu", {"t>t", same}},
      {"part", {"tl>t", part}},
      {"join", {"ltt>t", join}},
      {"lstm_gates", {"tttttt>t", lstm_gates}},
      {"nil", {">t", [](Operands) { return Answer(Numbers{}); }}},
      {"cons", {"tt>t", cons}},
      {"stack", {"t>t", same}},
      {"lstm", {"ttttttt>t", lstm}},
      {"lstm_cell", {"tt>t", lstm_state}},
      {"lstm_hidden", {"tt>t", lstm_state}},
      {"shape", {"t>l", [](Operands of) { return Answer(shape(of, 0)); }}},
      {"flat", {"tl>l", flat}},
      {"outer", {"ttl>l", [](Operands of) { return outer(shape(of, 0), shape(of, 1), of, 2); }}},
      {"tail",
       {"t>l",
        [](Operands of) {
          return joined(trailing(shape(of, 0), shape(of, 0).empty() ? 0 : shape(of, 0).size() - 1), {});
        }}},
      {"ahead", {"ll>l", [](Operands of) { return joined(list(of, 0), list(of, 1)); }}},
      {"count", {"l>l", [](Operands of) { return Answer(Numbers{static_cast<int64_t>(list(of, 0).size())}); }}},
      {"without", {"ll>l", without}},
      {"second_last", {"t>l", second_last}},
  };
  return kAll;
}

}  // namespace

std::optional<size_t> operands_of(std::string_view operation) {
  const auto known = operations().find(operation);
  return known == operations().end() ? std::nullopt : std::optional<size_t>(known->second.first.size() - 2);
}

TensorFact fact_of(std::string_view operation, Operands operands) {
  const auto known = operations().find(operation);
  if (known == operations().end()) return {};
  const std::string_view kinds = known->second.first;
  if (kinds.size() != operands.size() + 2) return {};
  for (size_t i = 0; i < operands.size(); ++i) {
    if (kinds[i] == 't' ? !operands[i]->shape : !operands[i]->list) return {};
  }
  Answer answer = known->second.second(operands);
  const bool fits = answer.has_value();
  return kinds.back() == 't' ? TensorFact{std::move(answer), {}, fits} : TensorFact{{}, std::move(answer), fits};
}

}  // namespace covenant::compiler::match
