#include "acg/lang/parser.h"

#include <fmt/format.h>
#include <functional>

#include "acg/base/failure.h"
#include "acg/lang/cursor.h"
#include "acg/lang/lexer.h"
#include "acg/lang/parse_mnemonic.h"

namespace covenant::acg::lang {
namespace {

/// Deeper nesting than any honest file has; keeps hostile ones off the end of the stack.
constexpr int kMaxNesting = 100;

class Parser : private TokenCursor {
 public:
  Parser(std::string_view text, std::string_view file_name) : TokenCursor(tokenize(text, file_name)) {}

  MachineSpec machine() {
    MachineSpec spec;
    const LexedToken first = peek();
    if (first.kind != TokenKind::kWord || first.text != "acg")
      throw expected("acg", "start the file with `acg NAME {`");
    advance();
    spec.name = word("the name of the machine");
    block([&] { statement(spec); });
    if (peek().kind != TokenKind::kEnd) throw expected("the end of the file", "one file describes one machine");
    return spec;
  }

  Expression whole_expression() {
    Expression result = expression();
    if (peek().kind != TokenKind::kEnd) throw expected("the end of the value", "give one number or expression");
    return result;
  }

 private:
  void block(const std::function<void()>& item) {
    require("{");
    while (!at_symbol("}")) {
      if (peek().kind == TokenKind::kEnd) throw expected("}", "close the block with }");
      item();
    }
    advance();
  }

  void statement(MachineSpec& spec) {
    const LexedToken token = peek();
    if (token.kind != TokenKind::kWord) throw expected("a statement");
    if (token.text == "param") return parameter(spec);
    if (token.text == "preset") return preset(spec);
    if (token.text == "clock") return clock(spec);
    if (token.text == "word") return setting(spec.word);
    if (token.text == "opcode") return setting(spec.opcode);
    if (token.text == "memory") return memory(spec);
    if (token.text == "compute") return compute(spec);
    if (token.text == "edge") return edge(spec);
    if (token.text == "mnemonic") return spec.mnemonics.push_back(mnemonic_parser().mnemonic());
    if (token.text == "packet") return packet(spec);
    throw unknown_word(
        token, "at the start of a statement",
        {"param", "preset", "clock", "word", "opcode", "packet", "memory", "compute", "edge", "mnemonic"});
  }

  void parameter(MachineSpec& spec) {
    advance();
    spec.parameters.push_back(attribute());
  }

  void preset(MachineSpec& spec) {
    const LexedToken start = advance();
    if (accept("=")) {
      if (spec.default_preset) throw twice(start.where, "preset =");
      spec.default_preset = string("the name of a preset");
      require(";");
      return;
    }
    PresetSpec preset{string("the name of the preset"), {}};
    block([&] { preset.settings.push_back(attribute()); });
    spec.presets.push_back(std::move(preset));
  }

  void clock(MachineSpec& spec) {
    const LexedToken start = advance();
    if (spec.clock) throw twice(start.where, "clock");
    require("=");
    const LexedToken number = peek();
    if (number.kind != TokenKind::kInteger && number.kind != TokenKind::kDecimal) throw expected("a number");
    advance();
    const LexedToken unit = peek();
    if (unit.kind != TokenKind::kWord) throw expected("Hz, kHz, MHz or GHz");
    advance();
    spec.clock = ClockSpec{number.decimal * hertz_of(unit), number.where};
    require(";");
  }

  static double hertz_of(const LexedToken& unit) {
    if (unit.text == "Hz") return 1;
    if (unit.text == "kHz") return 1e3;
    if (unit.text == "MHz") return 1e6;
    if (unit.text == "GHz") return 1e9;
    throw unknown_word(unit, "as the unit of the clock", {"Hz", "kHz", "MHz", "GHz"});
  }

  void setting(std::optional<AttributeSpec>& slot) {
    AttributeSpec said = attribute();
    if (slot) throw twice(said.name.where, said.name.text);
    slot = std::move(said);
  }

  /// `name = expression ;`
  AttributeSpec attribute() {
    AttributeSpec result;
    result.name = word("a name");
    require("=");
    result.value = expression();
    require(";");
    return result;
  }

  std::vector<AttributeSpec> attributes() {
    std::vector<AttributeSpec> result;
    block([&] { result.push_back(attribute()); });
    return result;
  }
  /// Either a block of attributes or a semicolon.
  std::vector<AttributeSpec> optional_attributes() {
    if (at_symbol("{")) return attributes();
    if (!accept(";")) throw expected("; or {");
    return {};
  }

  void memory(MachineSpec& spec) {
    advance();
    MemorySpec memory{word("the name of the memory"), {}};
    memory.attributes = attributes();
    spec.memories.push_back(std::move(memory));
  }

  void compute(MachineSpec& spec) {
    advance();
    ComputeSpec compute{word("the name of the compute node"), {}, {}};
    block([&] {
      if (at_symbol("(")) {
        compute.capabilities.push_back(capability());
      } else {
        compute.attributes.push_back(attribute());
      }
    });
    spec.computes.push_back(std::move(compute));
  }

  CapabilitySpec capability() {
    CapabilitySpec result;
    result.output = operand();
    require("=");
    result.name = word("the name of the capability");
    require("(");
    do {
      result.inputs.push_back(operand());
    } while (accept(","));
    require(")");
    result.attributes = optional_attributes();
    return result;
  }

  OperandSpec operand() {
    OperandSpec result;
    require("(");
    result.dtype = word("an element type");
    while (accept(",")) result.shape.push_back(expression());
    require(")");
    return result;
  }

  void packet(MachineSpec& spec) {
    if (spec.packet) throw twice(peek().where, "packet");
    spec.packet = mnemonic_parser().packet();
  }

  void edge(MachineSpec& spec) {
    advance();
    EdgeSpec edge;
    edge.from = word("the node where the edge starts");
    edge.both_directions = at_symbol("<->");
    if (!accept("->") && !accept("<->")) throw expected("-> or <->");
    edge.to = word("the node where the edge ends");
    edge.attributes = optional_attributes();
    spec.edges.push_back(std::move(edge));
  }

  /// Mnemonics and packet rules have a parser of their own; expressions stay here.
  MnemonicParser mnemonic_parser() {
    return MnemonicParser(*this, [this] { return expression(); });
  }

  Expression expression() {
    Nesting nesting(*this);
    Expression left = term();
    while (at_symbol("+") || at_symbol("-")) {
      const LexedToken sign = advance();
      left = binary(sign.text == "+" ? ExpressionKind::kAdd : ExpressionKind::kSubtract, sign, std::move(left), term());
    }
    return left;
  }

  Expression term() {
    Expression left = factor();
    while (at_symbol("*") || at_symbol("/")) {
      const LexedToken sign = advance();
      left = binary(sign.text == "*" ? ExpressionKind::kMultiply : ExpressionKind::kDivide, sign, std::move(left),
                    factor());
    }
    return left;
  }

  Expression binary(ExpressionKind kind, const LexedToken& sign, Expression left, Expression right) {
    if (++operators_ > kMaxOperators) throw too_deep();
    Expression result;
    result.kind = kind;
    result.where = sign.where;
    result.children.push_back(std::move(left));
    result.children.push_back(std::move(right));
    return result;
  }

  Expression factor() {
    Nesting nesting(*this);
    const LexedToken token = peek();
    if (accept("(")) {
      Expression inner = expression();
      require(")");
      return inner;
    }
    Expression result;
    result.where = token.where;
    if (accept("-")) {
      result.kind = ExpressionKind::kNegate;
      result.children.push_back(factor());
    } else if (token.kind == TokenKind::kInteger) {
      result.value = advance().integer;
    } else if (token.kind == TokenKind::kWord) {
      result.kind = ExpressionKind::kName;
      result.name = advance().text;
    } else if (token.kind == TokenKind::kDecimal) {
      throw Failure{{"ACG0012",
                     token.where,
                     "",
                     "a decimal where a whole number is needed",
                     token.text,
                     {"whole numbers"},
                     "only the clock may have decimals"}};
    } else {
      throw expected("a number or a name");
    }
    return result;
  }

  Failure too_deep() const {
    return Failure{{"ACG0002",
                    peek().where,
                    "",
                    "an expression nested too deeply",
                    peek().text,
                    {},
                    fmt::format("use at most {} levels and {} operators", kMaxNesting, kMaxOperators)}};
  }

  /// Counts open levels of expressions; also resets the count of operators at the outermost.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (parser_.depth_ == 0) parser_.operators_ = 0;
      if (parser_.depth_ >= kMaxNesting) throw parser_.too_deep();
      ++parser_.depth_;
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  static constexpr int kMaxOperators = 1000;
  int depth_ = 0;
  int operators_ = 0;
};

}  // namespace

MachineSpec parse_spec(std::string_view text, std::string_view file_name) { return Parser(text, file_name).machine(); }

Expression parse_expression(std::string_view text, std::string_view file_name) {
  return Parser(text, file_name).whole_expression();
}

}  // namespace covenant::acg::lang
