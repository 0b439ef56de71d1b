#include "compiler/embedding/text.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <ranges>
#include <utility>
#include <vector>

#include "compiler/codelet/diagnose.h"
#include "compiler/embedding/verify.h"

namespace covenant::compiler::embedding {
namespace {

std::vector<std::string_view> words_of(std::string_view text, char between) {
  std::vector<std::string_view> words;
  for (size_t start = 0; start <= text.size();) {
    const size_t end = std::min(text.find(between, start), text.size());
    words.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return words;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::optional<int64_t> number_in(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

/// `ic`, or `(kh kw ic)` for axes that are counted as one.
std::string name_of(const Embedding& embedding, const Workload& workload, size_t axis) {
  if (axis < workload.axes.size()) return workload.axes[axis].name;
  std::string names;
  for (const size_t member : embedding.flat) names += (names.empty() ? "(" : " ") + workload.axes[member].name;
  return names + ")";
}

/// Words between spaces, those within parentheses together.
std::vector<std::string_view> factors_of(std::string_view text) {
  std::vector<std::string_view> words;
  size_t start = 0;
  bool is_within = false;
  for (size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ' ';
    is_within = (is_within || c == '(') && c != ')';
    if (c != ' ' || (is_within && at < text.size())) continue;
    if (at > start) words.push_back(text.substr(start, at - start));
    start = at + 1;
  }
  return words;
}

class Parser {
 public:
  Parser(std::string_view text, const Workload& workload, const Instruction& instruction)
      : text_(text), workload_(workload), instruction_(instruction) {}

  Result<Embedding> parse() {
    embedding_.positions.resize(instruction_.axes.size());
    for (const std::string_view part : words_of(text_, '|')) {
      if (trimmed(text_).empty()) break;  // an instruction of one instance has no axes to fill
      if (const Status done = parse_part(trimmed(part)); !done) return done.error();
    }
    for (size_t place = 0; place < instruction_.axes.size(); ++place) {
      if (instruction_.axes[place].size > 1 && std::ranges::find(seen_, place) == seen_.end()) {
        return refuse("an axis of the instruction is missing", instruction_.axes[place].name, parts(),
                      "write '-' for an axis that is left idle");
      }
    }
    std::ranges::sort(embedding_.band);
    return embedding_;
  }

 private:
  Status parse_part(std::string_view part) {
    if (part == "exchanged" && !embedding_.is_exchanged) {
      embedding_.is_exchanged = true;
      return Done{};
    }
    const size_t colon = part.find(':');
    const std::string_view name = trimmed(part.substr(0, std::min(colon, part.size())));
    if (colon == std::string_view::npos) return unknown_part(name);
    const std::string_view words = trimmed(part.substr(colon + 1));
    if (name == "band" && embedding_.band.empty()) return parse_band(words);
    const auto axis = std::ranges::find_if(
        instruction_.axes, [&](const InstructionAxis& one) { return one.name == name && one.size > 1; });
    const auto place = static_cast<size_t>(axis - instruction_.axes.begin());
    if (axis == instruction_.axes.end() || std::ranges::find(seen_, place) != seen_.end()) return unknown_part(name);
    seen_.push_back(place);
    return words == "-" ? Status(Done{}) : parse_factors(words, embedding_.positions[place]);
  }

  Status parse_band(std::string_view words) {
    for (const std::string_view word : words_of(words, ' ')) {
      if (word.empty()) continue;
      const std::optional<size_t> axis = axis_named(word);
      if (!axis || std::ranges::find(embedding_.band, *axis) != embedding_.band.end()) return unknown_axis(word);
      embedding_.band.push_back(*axis);
    }
    return embedding_.band.empty() ? unknown_axis("") : Status(Done{});
  }

  Status parse_factors(std::string_view words, std::vector<Factor>& factors) {
    for (const std::string_view word : factors_of(words)) {
      const size_t star = word.find('*'), at = std::min(word.find('@'), word.size());
      const std::optional<size_t> axis = factor_axis(word.substr(0, std::min(star, word.size())));
      if (!axis) return unknown_axis(word);
      const bool has_count = star != std::string_view::npos && star < at;
      const std::optional<int64_t> count = has_count ? number_in(word.substr(star + 1, at - star - 1)) : std::nullopt;
      const std::optional<int64_t> stride = at == word.size() ? 1 : number_in(word.substr(at + 1));
      if (!count || !stride) {
        return refuse("a factor is no axis with a count", std::string(word), {"AXIS*COUNT", "AXIS*COUNT@STRIDE"},
                      "give how many instances of the axis lie in the instruction");
      }
      factors.push_back({*axis, *count, *stride});
    }
    return factors.empty() ? unknown_axis("") : Status(Done{});
  }

  /// The axis of a factor; the first ones in parentheses become those that are counted as one.
  std::optional<size_t> factor_axis(std::string_view name) {
    if (name.empty() || name.front() != '(') return axis_named(name);
    if (name.back() != ')' || !embedding_.flat.empty()) return std::nullopt;
    for (const std::string_view word : words_of(name.substr(1, name.size() - 2), ' ')) {
      const std::optional<size_t> axis = axis_named(word);
      if (!axis) return std::nullopt;
      embedding_.flat.push_back(*axis);
    }
    return workload_.axes.size();
  }

  std::optional<size_t> axis_named(std::string_view name) const {
    const auto axis = std::ranges::find(workload_.axes, name, &Axis::name);
    if (axis == workload_.axes.end()) return std::nullopt;
    return static_cast<size_t>(axis - workload_.axes.begin());
  }

  std::vector<std::string> parts() const {
    std::vector<std::string> names;
    for (const InstructionAxis& axis : instruction_.axes) {
      if (axis.size > 1) names.push_back(axis.name + ":");
    }
    names.insert(names.end(), {"band:", "exchanged"});
    return names;
  }
  Status unknown_part(std::string_view name) const {
    return refuse("a part is none of the instruction, or stands there twice", std::string(name), parts(),
                  "write one part for each axis of the instruction");
  }
  Status unknown_axis(std::string_view word) const {
    std::vector<std::string> names;
    for (const Axis& axis : workload_.axes) names.push_back(axis.name);
    return refuse("a factor names no axis of the workload", std::string(word), std::move(names),
                  "name one of its loops");
  }
  Diagnostic refuse(std::string message, std::string offending, std::vector<std::string> allowed,
                    std::string fix) const {
    return codelet::diagnose("EMB0011", {}, print(instruction_), std::move(message), std::move(offending),
                             std::move(allowed), std::move(fix));
  }

  std::string_view text_;
  const Workload& workload_;
  const Instruction& instruction_;
  Embedding embedding_;
  std::vector<size_t> seen_;  ///< axes of the instruction
};

}  // namespace

std::string print_factors(const Embedding& embedding, const Workload& workload, size_t place) {
  std::string text;
  for (const Factor& factor : embedding.positions[place]) {
    if (!text.empty()) text += ' ';
    text += fmt::format("{}*{}", name_of(embedding, workload, factor.axis), factor.count);
    if (factor.stride != 1) text += fmt::format("@{}", factor.stride);
  }
  return text.empty() ? "-" : text;
}

std::string print(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  std::vector<std::string> parts;
  for (size_t place = 0; place < instruction.axes.size(); ++place) {
    if (instruction.axes[place].size < 2) continue;
    parts.push_back(instruction.axes[place].name + ": " + print_factors(embedding, workload, place));
  }
  if (!embedding.band.empty()) {
    std::string part = "band:";
    for (const size_t axis : embedding.band) part += " " + workload.axes[axis].name;
    parts.push_back(std::move(part));
  }
  if (embedding.is_exchanged) parts.emplace_back("exchanged");
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : " | ") + part;
  return text;
}

Result<Embedding> parse_embedding(std::string_view text, const Workload& workload, const Instruction& instruction) {
  Result<Embedding> embedding = Parser(text, workload, instruction).parse();
  if (!embedding) return embedding;
  if (const Status done = verify(*embedding, workload, instruction); !done) return done.error();
  return embedding;
}

}  // namespace covenant::compiler::embedding
