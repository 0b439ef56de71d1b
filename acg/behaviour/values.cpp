#include "acg/behaviour/values.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>

#include "acg/base/check.h"
#include "acg/base/failure.h"
#include "acg/behaviour/arithmetic.h"
#include "acg/behaviour/engine.h"

namespace covenant::acg::behaviour {
namespace {

int64_t width_of(const Type& type) {
  int64_t width = 1;
  while (8 * width < type.bits) width *= 2;
  return width;
}

}  // namespace

Elements::Bytes Elements::zeros(int64_t count) {
  void* memory = std::calloc(static_cast<size_t>(count), 1);
  if (memory == nullptr) throw std::bad_alloc();
  return Bytes(static_cast<uint8_t*>(memory));
}

Elements::Elements(const State& state)
    : size_(state.type.elements()),
      width_(width_of(state.type)),
      initial_(state.initial),
      type_(state.type),
      all_written_(state.has_initial && (state.initial.empty() || size_ <= kMostFilled)),
      own_(zeros(size_ * width_)),
      written_(zeros(size_ / 8 + 9)),
      bytes_(own_.get()) {
  if (!all_written_ || initial_.empty()) return;
  for (int64_t i = 0; i < size_; ++i) set(i, initial_[static_cast<size_t>(i) % initial_.size()]);
}

int64_t Elements::get(int64_t at) const {
  if (!is_written(at)) return initial_.empty() ? 0 : initial_[static_cast<size_t>(at) % initial_.size()];
  uint64_t value = 0;
  std::memcpy(&value, bytes_ + at * width_, static_cast<size_t>(width_));
  return wrapped(static_cast<int64_t>(value), type_);
}

void Elements::set(int64_t at, int64_t value) {
  std::memcpy(bytes_ + at * width_, &value, static_cast<size_t>(width_));
  if (!all_written_) written_.get()[at / 8] |= static_cast<uint8_t>(1U << (at % 8));
}

void Elements::use(uint8_t* memory) {
  bytes_ = memory;
  own_.reset();
  std::memset(written_.get(), 0xFF, static_cast<size_t>(size_ / 8 + 9));
}

Diagnostic no_memory_for(const Behaviour& behaviour) {
  const State* largest = nullptr;
  int64_t all = 0, most = 0;
  for (const State& state : behaviour.states) {
    const int64_t bytes = state.type.elements() * width_of(state.type);
    all += bytes;
    if (bytes > most) largest = &state, most = bytes;
  }
  constexpr double kMebibyte = 1 << 20;
  return {"BEH0039",
          largest == nullptr ? SourceLocation{} : largest->where,
          largest == nullptr ? behaviour.machine : largest->name,
          "the computer has no memory for the state of the machine",
          fmt::format("{:.1f} MiB, of which {:.1f} are here", static_cast<double>(all) / kMebibyte,
                      static_cast<double>(most) / kMebibyte),
          {},
          "give it fewer elements, or use a computer with more memory"};
}

void Values::throw_too_much(const SourceLocation& where) const {
  throw Failure{{"BEH0037",
                 where,
                 behaviour_.machine,
                 "a cycle of too many statements, calls, terms of sums and elements of arrays",
                 fmt::format("more than {}", kMostWork),
                 {},
                 "let it take several steps"}};
}

/// Within a cycle of much work.
void Values::pause(const SourceLocation& where) const {
  if (done_ > kMostWork) throw_too_much(where);
  unasked_ = std::min(done_ + kMostUnasked, kMostWork);
  if (goes_on_ != nullptr && *goes_on_ && !(*goes_on_)()) throw Failure{unwanted(behaviour_.machine, where)};
}

int64_t Values::place(const std::vector<Expression>& indices, size_t first, const Type& type, int64_t* frame) const {
  int64_t at = 0;
  size_t dimension = 0;
  for (size_t i = first; i < indices.size(); ++i, ++dimension) {
    const int64_t size = type.shape[dimension];
    const int64_t index = number(indices[i], frame);
    if (index < 0 || index >= size) {
      throw Failure{{"BEH0032",
                     indices[i].where,
                     behaviour_.machine,
                     "an index past the array",
                     fmt::format("{}", index),
                     {fmt::format("0..{}", size - 1)},
                     "the program addresses more than there is"}};
    }
    at = at * size + index;
  }
  for (; dimension < type.shape.size(); ++dimension) at *= type.shape[dimension];
  return at;
}

int64_t Values::read(const Expression& expression, int64_t at) const {
  const Elements& elements = elements_[expression.index];
  const State& state = behaviour_.states[expression.index];
  if (!state.has_initial && !elements.is_written(at)) {
    throw Failure{{"BEH0033",
                   expression.where,
                   state.name,
                   "a read of what was never written",
                   fmt::format("element {}", at),
                   {},
                   "let the program write it first"}};
  }
  return elements.get(at);
}

int64_t Values::number(const Expression& expression, int64_t* frame) const {
  const std::vector<Expression>& children = expression.children;
  switch (expression.op) {
    case Op::kConstant:
      return expression.value;
    case Op::kLocal:
      return frame[expression.index + place(children, 0, {64, true, expression.whole}, frame)];
    case Op::kState:
      return read(expression, place(children, 0, type_of_state(expression), frame));
    case Op::kCycle:
      return static_cast<int64_t>(cycles_);
    case Op::kItems:
      return waiting_[expression.index];
    case Op::kRoom:
      return behaviour_.queues[expression.index].depth - waiting_[expression.index];
    case Op::kNegate:
      return -number(children[0], frame);
    case Op::kInvert:
      return ~number(children[0], frame);
    case Op::kNot:
      return number(children[0], frame) == 0 ? 1 : 0;
    case Op::kBoth:
      return number(children[0], frame) != 0 && number(children[1], frame) != 0 ? 1 : 0;
    case Op::kEither:
      return number(children[0], frame) != 0 || number(children[1], frame) != 0 ? 1 : 0;
    case Op::kConditional:
      return number(children[number(children[0], frame) != 0 ? 1 : 2], frame);
    case Op::kWrap:
      return wrapped(number(children[0], frame), expression.type);
    case Op::kSaturate:
      return saturate(expression, number(children[0], frame));
    case Op::kBits:
      return static_cast<int64_t>(
          bits_of(static_cast<uint64_t>(number(children[0], frame)), expression.value, expression.type.bits));
    case Op::kSum:
      return sum(expression, frame);
    case Op::kCall:
      return call(expression, frame).front();
    case Op::kLog2: {
      const int64_t of = number(children[0], frame);
      if (of > 0) return floor_log2(of);
      throw Failure{{"BEH0034",
                     expression.where,
                     behaviour_.machine,
                     "the logarithm of what is not positive",
                     fmt::format("{}", of),
                     {"1 or more"},
                     "ask before: x > 0 ? log2(x) : 0"}};
    }
    default:
      return of_two(expression, number(children[0], frame), number(children[1], frame));
  }
}

int64_t Values::of_two(const Expression& expression, int64_t left, int64_t right) const {
  switch (expression.op) {
    case Op::kAdd:
      return left + right;
    case Op::kSubtract:
      return left - right;
    case Op::kMultiply:
      return left * right;
    case Op::kShiftLeft:
      return static_cast<int64_t>(static_cast<uint64_t>(left) << right);
    case Op::kShiftRight:
      return left >> right;
    case Op::kAnd:
      return left & right;
    case Op::kOr:
      return left | right;
    case Op::kXor:
      return left ^ right;
    case Op::kMin:
      return std::min(left, right);
    case Op::kMax:
      return std::max(left, right);
    case Op::kEqual:
      return left == right ? 1 : 0;
    case Op::kNotEqual:
      return left != right ? 1 : 0;
    case Op::kLess:
      return left < right ? 1 : 0;
    case Op::kLessEqual:
      return left <= right ? 1 : 0;
    case Op::kGreater:
      return left > right ? 1 : 0;
    case Op::kGreaterEqual:
      return left >= right ? 1 : 0;
    default:
      break;
  }
  check(expression.op == Op::kDivide || expression.op == Op::kModulo, "an operation of two numbers");
  if (right == 0) {
    throw Failure{{"BEH0034",
                   expression.where,
                   behaviour_.machine,
                   "a division by 0",
                   fmt::format("{} by 0", left),
                   {},
                   "ask before: b != 0 ? a / b : 0"}};
  }
  return expression.op == Op::kDivide ? floor_divide(left, right) : floor_modulo(left, right);
}

int64_t Values::sum(const Expression& expression, int64_t* frame) const {
  const int64_t high = number(expression.children[1], frame);
  int64_t result = 0;
  for (int64_t i = number(expression.children[0], frame); i <= high; ++i) {
    spend(expression.where);
    frame[expression.index] = i;
    result += number(expression.children[2], frame);
    if (i == high) break;  // it may be the largest of all numbers
  }
  return result;
}

std::vector<int64_t> Values::all(const Expression& expression, int64_t* frame) const {
  if (!expression.type.is_array()) return {number(expression, frame)};
  if (expression.op == Op::kCall) return call(expression, frame);
  std::vector<int64_t> result(static_cast<size_t>(expression.type.elements()));
  spend(expression.where, result.size());
  if (expression.op == Op::kEach) {
    const int64_t low = number(expression.children[0], frame);
    for (size_t i = 0; i < result.size(); ++i) {
      frame[expression.index] = low + static_cast<int64_t>(i);
      result[i] = number(expression.children[2], frame);
    }
    return result;
  }
  if (expression.op == Op::kList) {
    for (size_t i = 0; i < result.size(); ++i) result[i] = number(expression.children[i], frame);
    return result;
  }
  if (expression.op == Op::kState) {
    int64_t at = place(expression.children, 0, type_of_state(expression), frame);
    for (int64_t& one : result) one = read(expression, at++);
    return result;
  }
  check(expression.op == Op::kLocal, "an array is a name, a call, or made element by element");
  const int64_t at = expression.index + place(expression.children, 0, {64, true, expression.whole}, frame);
  for (size_t i = 0; i < result.size(); ++i) result[i] = frame[static_cast<size_t>(at) + i];
  return result;
}

int64_t Values::saturate(const Expression& expression, int64_t value) const {
  const int64_t result = saturated(value, expression.type);
  if (recorder_ != nullptr) recorder_->saturates(expression.where, result != value);
  return result;
}

std::vector<int64_t> Values::call(const Expression& expression, int64_t* frame) const {
  const Function& function = behaviour_.functions[expression.index];
  spend(expression.where);
  std::vector<int64_t> inner(function.slots);
  const auto put = [&](uint32_t slot, const std::vector<int64_t>& values) {
    std::copy(values.begin(), values.end(), inner.begin() + slot);
  };
  for (size_t i = 0; i < function.arguments.size(); ++i) {
    put(function.arguments[i].slot, all(expression.children[i], frame));
  }
  for (const Code& let : function.lets) put(let.index, all(let.expressions.front(), inner.data()));
  std::vector<int64_t> result = all(function.result, inner.data());
  if (recorder_ != nullptr) recorder_->calls(expression.index, inner, result);
  return result;
}

}  // namespace covenant::acg::behaviour
