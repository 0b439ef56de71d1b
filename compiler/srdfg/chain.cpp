#include "compiler/srdfg/chain.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace covenant::compiler::srdfg {
namespace {

constexpr size_t kMostSteps = 64;
/// In the order of ChainOperation.
constexpr std::array<std::string_view, 8> kNames{"load", "add", "sub", "mul", "div", "max", "min", "sqrt"};

/// Removes and returns the text before the first `separator`, without spaces around it; the separator is removed, too.
std::string_view take(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  while (part.starts_with(' ')) part.remove_prefix(1);
  while (part.ends_with(' ')) part.remove_suffix(1);
  return part;
}

template <typename T, typename... Format>
std::optional<T> number(std::string_view text, Format... format) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, format...);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// A finite number like `-0x1.8p+3`.
std::optional<float> real(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (!text.starts_with("0x") || text.starts_with("0x-")) return {};
  const std::optional<float> value = number<float>(text.substr(2), std::chars_format::hex);
  if (!value || !std::isfinite(*value)) return {};
  return is_negative ? -*value : *value;
}

std::optional<ChainOperand> operand(std::string_view text, bool is_load) {
  if (is_load || text.starts_with('%')) {
    const std::optional<size_t> place = number<size_t>(is_load ? text : text.substr(1));
    return place ? std::optional<ChainOperand>(*place) : std::nullopt;
  }
  const std::optional<float> value = real(text);
  return value ? std::optional<ChainOperand>(*value) : std::nullopt;
}

std::optional<ChainStep> step(std::string_view text) {
  const auto* const named = std::ranges::find(kNames, take(text, ' '));
  if (named == kNames.end()) return {};
  ChainStep made{static_cast<ChainOperation>(named - kNames.begin()), {}};
  const bool is_load = made.operation == ChainOperation::kLoad;
  const bool is_pair = !is_load && made.operation != ChainOperation::kSqrt;
  while (!text.empty()) {
    const std::optional<ChainOperand> read = operand(take(text, ' '), is_load);
    if (!read) return {};
    made.operands.push_back(*read);
  }
  if (made.operands.size() != (is_pair ? 2 : 1)) return {};
  return made;
}

/// Steps read earlier ones, each is read, and each input is loaded once.
bool is_whole(std::span<const ChainStep> steps, size_t inputs) {
  std::vector<bool> is_read(steps.size());
  std::vector<bool> is_loaded(inputs);
  for (size_t i = 0; i < steps.size(); ++i) {
    const bool is_load = steps[i].operation == ChainOperation::kLoad;
    size_t read = 0;
    for (const ChainOperand& operand : steps[i].operands) {
      const auto* place = std::get_if<size_t>(&operand);
      if (place == nullptr) continue;
      ++read;
      if (*place >= (is_load ? inputs : i)) return false;
      if (is_load && is_loaded[*place]) return false;
      (is_load ? is_loaded : is_read)[*place] = true;
    }
    if (read == 0) return false;
  }
  is_read.back() = true;
  const auto is_true = [](bool one) { return one; };
  return std::ranges::all_of(is_read, is_true) && std::ranges::all_of(is_loaded, is_true);
}

}  // namespace

std::optional<std::vector<ChainStep>> chain_steps(std::string_view text, size_t inputs) {
  std::vector<ChainStep> steps;
  while (!text.empty() && steps.size() <= kMostSteps) {
    const std::optional<ChainStep> made = step(take(text, ';'));
    if (!made) return {};
    steps.push_back(*made);
  }
  const bool is_chain = !steps.empty() && steps.size() <= kMostSteps && is_whole(steps, inputs);
  return is_chain ? std::optional(std::move(steps)) : std::nullopt;
}

}  // namespace covenant::compiler::srdfg
