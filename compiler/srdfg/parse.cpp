#include "compiler/srdfg/parse.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <string>

#include "compiler/srdfg/verify.h"
#include "compiler/srdfg/modifiers.h"

namespace covenant::compiler::srdfg {
namespace {

constexpr int kDeepestBody = 16;  ///< nesting is read by recursion: a hostile text must not exhaust the stack

/// Thrown inside this file only, caught in `parse`.
struct Mistake {
  Diagnostic diagnostic;
};

class Reader {
 public:
  Reader(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  Graph document() {
    Graph graph = read_graph(0);
    skip_space();
    if (position_ != text_.size()) complain("end of text");
    return graph;
  }

 private:
  [[noreturn]] void complain(std::string_view wanted) {
    const size_t end = std::min(position_ + 20, text_.size());
    throw Mistake{{.code = "ONX0018",
                   .where = {file_, line_, static_cast<uint32_t>(position_ - line_start_ + 1)},
                   .subject = "",
                   .message = fmt::format("the text of a graph does not continue with {}", wanted),
                   .offending = std::string(text_.substr(position_, end - position_)),
                   .allowed = {std::string(wanted)},
                   .fix = "write the text as `covenant` prints it (compiler/srdfg/print.h shows the form)"}};
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) {
      if (text_[position_++] == '\n') {
        ++line_;
        line_start_ = position_;
      }
    }
  }

  bool accept(std::string_view token) {
    skip_space();
    if (!text_.substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) complain(fmt::format("`{}`", token));
  }

  std::string_view word() {
    skip_space();
    const size_t start = position_;
    const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
    while (position_ < text_.size() && part(text_[position_])) ++position_;
    if (start == position_) complain("a word");
    return text_.substr(start, position_ - start);
  }

  template <typename T>
  T integer() {
    skip_space();
    T number{};
    const auto [end, error] = std::from_chars(text_.data() + position_, text_.data() + text_.size(), number);
    if (error != std::errc{}) complain("an integer in range");
    position_ = static_cast<size_t>(end - text_.data());
    return number;
  }

  double real() {
    skip_space();
    size_t end = position_;
    while (end < text_.size() && std::string_view(",];} \n").find(text_[end]) == std::string_view::npos) ++end;
    const std::string digits(text_.substr(position_, end - position_));
    char* stop = nullptr;
    const double number = std::strtod(digits.c_str(), &stop);
    if (digits.empty() || *stop != '\0') complain("a number");
    position_ = end;
    return number;
  }

  uint8_t nibble(char c) {
    if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
    complain("a hexadecimal digit");
  }

  uint8_t byte() {
    if (position_ + 2 > text_.size()) complain("two hexadecimal digits");
    const auto high = nibble(text_[position_]);
    ++position_;
    const auto low = nibble(text_[position_]);
    ++position_;
    return static_cast<uint8_t>(high << 4 | low);
  }

  std::string text() {
    expect("\"");
    std::string result;
    while (position_ < text_.size() && text_[position_] != '"') {
      if (text_[position_] == '\n') complain("the end of the quoted text");
      if (text_.substr(position_).starts_with("\\x")) {
        position_ += 2;
        result += static_cast<char>(byte());
      } else {
        result += text_[position_++];
      }
    }
    expect("\"");
    return result;
  }

  std::vector<uint8_t> bytes() {
    expect("\"");
    std::vector<uint8_t> result;
    while (position_ < text_.size() && text_[position_] != '"') result.push_back(byte());
    expect("\"");
    return result;
  }

  /// Elements between `open` and `close`, separated by commas.
  template <typename Element>
  auto list(std::string_view open, std::string_view close, Element element) {
    std::vector<decltype(element())> result;
    expect(open);
    if (accept(close)) return result;
    do result.push_back(element());
    while (accept(","));
    expect(close);
    return result;
  }

  ValueId reference() {
    expect("%");
    return ValueId{integer<uint32_t>()};
  }

  Value read_value(size_t index) {
    Value value;
    if (reference().value != index) complain(fmt::format("value %{}, values being numbered in order", index));
    value.name = text();
    const auto dtype = dtype_named(word());
    if (!dtype) complain("a dtype: i8 u8 i16 u16 i32 u32 f32");
    value.dtype = *dtype;
    value.shape = list("[", "]", [this] { return integer<uint64_t>(); });
    const auto modifier = modifier_named(word());
    if (!modifier) complain("a modifier: input output state param");
    value.modifier = *modifier;
    if (accept("scales=")) {
      Quantization quantization;
      quantization.scales = list("[", "]", [this] { return static_cast<float>(real()); });
      expect("zero_points=");
      quantization.zero_points = list("[", "]", [this] { return integer<int32_t>(); });
      if (accept("axis=")) quantization.axis = integer<int32_t>();
      value.quantization = std::move(quantization);
    }
    if (accept("data=")) value.data = bytes();
    expect(";");
    return value;
  }

  Attribute attribute() {
    skip_space();
    if (accept("real ")) return real();
    if (text_.substr(position_).starts_with('"')) return text();
    if (text_.substr(position_).starts_with('[')) return list("[", "]", [this] { return integer<int64_t>(); });
    return integer<int64_t>();
  }

  Node read_node() {
    Node node;
    node.name = text();
    node.operation = std::string(word());
    node.inputs = list("(", ")", [this] { return reference(); });
    expect("->");
    node.outputs = list("(", ")", [this] { return reference(); });
    expect("{");
    while (!accept("}")) {
      const std::string key(word());
      expect("=");
      node.attributes[key] = attribute();
      expect(";");
    }
    return node;
  }

  Graph read_graph(int depth) {
    if (depth > kDeepestBody) complain(fmt::format("at most {} nested bodies", kDeepestBody));
    Graph graph;
    expect("srdfg ");
    graph.name = text();
    expect("{");
    while (accept("value ")) graph.values.push_back(read_value(graph.values.size()));
    expect("inputs");
    if (!accept(";")) graph.inputs = list("", ";", [this] { return reference(); });
    expect("outputs");
    if (!accept(";")) graph.outputs = list("", ";", [this] { return reference(); });
    while (accept("node ")) {
      graph.nodes.push_back(read_node());
      while (accept("body ")) graph.nodes.back().body.push_back(read_graph(depth + 1));
    }
    expect("}");
    return graph;
  }

  std::string_view text_;
  std::string file_;
  size_t position_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

Result<Graph> parse(std::string_view text, std::string_view file) {
  try {
    Graph graph = Reader(text, file).document();
    if (Status status = verify(graph); !status) {
      Diagnostic diagnostic = status.error();
      diagnostic.where.file = file;
      return diagnostic;
    }
    return graph;
  } catch (const Mistake& mistake) {
    return mistake.diagnostic;
  }
}

}  // namespace covenant::compiler::srdfg
