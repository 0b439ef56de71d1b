#include "acg/lang/parser.h"

#include <fmt/format.h>
#include <functional>

#include "acg/base/failure.h"
#include "acg/lang/behaviour_words.h"
#include "acg/lang/include.h"
#include "acg/lang/lexer.h"
#include "acg/lang/loop_parser.h"
#include "acg/lang/parse_mnemonic.h"

namespace covenant::acg::lang {
namespace {

class Parser : private LoopParser {
 public:
  using LoopParser::LoopParser;

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
  void statement(MachineSpec& spec) {
    const LexedToken token = peek();
    if (token.kind != TokenKind::kWord) throw expected("a statement");
    if (token.text == "param" || token.text == "option") return parameter(spec);
    if (token.text == "preset") return preset(spec);
    if (token.text == "clock") return clock(spec);
    if (token.text == "word") return setting(spec.word);
    if (token.text == "opcode") return setting(spec.opcode);
    if (token.text == "packet") return packet(spec);
    if (token.text == "include") throw expected("a file in quotes and ;", "write `include \"FILE.acg\";`");
    if (declaration(spec)) return;
    throw unknown_word(token, "at the start of a statement",
                       {"param", "option", "preset", "clock", "word", "opcode", "packet", "memory", "compute", "edge",
                        "mnemonic", "dtype", "for", "include"});
  }

  /// Parses a statement that may stand in a loop. Returns false if there is none.
  bool declaration(MachineSpec& spec) {
    if (at_word("memory")) {
      memory(spec);
    } else if (at_word("compute")) {
      compute(spec);
    } else if (at_word("edge")) {
      edge(spec);
    } else if (at_word("mnemonic")) {
      spec.mnemonics.push_back(mnemonic_parser().mnemonic());
    } else if (at_word("dtype")) {
      dtype(spec);
    } else if (starts_behaviour(peek())) {
      spec.has_behaviour = true;
      skip_statement();
    } else if (at_word("for")) {
      loop(spec, [this](MachineSpec& into) {
        const LexedToken token = peek();
        if (token.kind != TokenKind::kWord) throw expected("a statement");
        if (!declaration(into)) {
          throw unknown_word(token, "in a loop", {"memory", "compute", "edge", "mnemonic", "dtype", "for"});
        }
      });
    } else {
      return false;
    }
    return true;
  }

  void parameter(MachineSpec& spec) {
    ParameterSpec result;
    result.is_option = advance().text == "option";
    result.name = word("a name");
    if (accept(":")) {
      const LexedToken type = peek();
      if (type.kind != TokenKind::kWord) throw expected("int, bool or name");
      if (type.text != "int" && type.text != "bool" && type.text != "name") {
        throw unknown_word(type, "as a type", {"int", "bool", "name"});
      }
      result.is_boolean = type.text == "bool";
      result.is_name = type.text == "name";
      advance();
    }
    if (result.is_name) {
      if (!at_word("in")) throw expected("in", "say the names that it may have: `in [A, B]`");
      advance();
      result.choices = choices_of_names();
    } else if (at_word("in")) {
      advance();
      if (accept("[")) {
        do {
          result.choices.push_back(expression());
        } while (accept(","));
        require("]");
      } else {
        result.lowest = expression();
        require("..");
        result.highest = expression();
      }
    }
    require("=");
    result.value = expression();
    require(";");
    spec.parameters.push_back(std::move(result));
  }

  std::vector<Expression> choices_of_names() {
    std::vector<Expression> choices;
    require("[");
    do {
      const Word choice = word("a name");
      for (const Expression& other : choices) {
        if (other.name == choice.text) throw twice(choice.where, choice.text);
      }
      Expression& made = choices.emplace_back();
      made.kind = ExpressionKind::kName;
      made.name = choice.text;
      made.where = choice.where;
    } while (accept(","));
    require("]");
    return choices;
  }

  void dtype(MachineSpec& spec) {
    advance();
    DTypeSpec dtype{word("the name of the element type"), {}};
    dtype.attributes = attributes();
    spec.dtypes.push_back(std::move(dtype));
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

  /// The name of a node, qualified by the node around it.
  Word node_name(std::string_view what) {
    Word name = qualified(what);
    name.text = scope_ + name.text;
    return name;
  }

  /// Parses one item in the block of a node, besides those that `other` takes.
  void node_item(MachineSpec& spec, std::vector<PortSpec>& ports, const std::function<void()>& other) {
    const bool is_statement = peek().kind == TokenKind::kWord && peek_next().kind == TokenKind::kWord;
    if (!is_statement) return other();
    if (at_word("port")) {
      PortSpec said = port();
      if (!is_dry_) ports.push_back(std::move(said));
      return;
    }
    if (at_word("memory")) return memory(spec);
    if (at_word("compute")) return compute(spec);
    if (at_word("edge")) return edge(spec);
    if (at_word("for")) {
      return loop(spec, [&](MachineSpec& into) { node_item(into, ports, other); });
    }
    throw unknown_word(peek(), "in a node", {"port", "memory", "compute", "edge", "for"});
  }

  /// Parses the block of the node called `name`.
  void node_block(const Word& name, const std::function<void()>& item) {
    open();
    const std::string outer = scope_;
    scope_ = name.text + ".";
    block(item);
    scope_ = outer;
    close();
  }

  PortSpec port() {
    advance();
    PortSpec result;
    result.name = word("the name of the port");
    result.direction = word("in, out or both");
    result.attributes = optional_attributes();
    return result;
  }

  void memory(MachineSpec& spec) {
    advance();
    MemorySpec memory;
    memory.name = node_name("the name of the memory");
    // Inner nodes come after their node.
    const size_t index = spec.memories.size();
    spec.memories.push_back(memory);
    node_block(memory.name, [&] {
      node_item(spec, memory.ports, [&] {
        MemorySpec forgotten;
        (is_dry_ ? forgotten : memory).attributes.push_back(attribute());
      });
    });
    spec.memories[index] = std::move(memory);
  }

  void compute(MachineSpec& spec) {
    advance();
    ComputeSpec compute;
    compute.name = node_name("the name of the compute node");
    const size_t index = spec.computes.size();
    spec.computes.push_back(compute);
    node_block(compute.name, [&] {
      node_item(spec, compute.ports, [&] {
        ComputeSpec forgotten;
        ComputeSpec& into = is_dry_ ? forgotten : compute;
        if (at_symbol("(")) {
          into.capabilities.push_back(capability());
        } else {
          into.attributes.push_back(attribute());
        }
      });
    });
    spec.computes[index] = std::move(compute);
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
    if (accept("(")) {
      do {
        result.format.push_back(expression());
      } while (accept(","));
      require(")");
    }
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
    edge.scope = scope_;
    edge.from = qualified("the node where the edge starts");
    edge.both_directions = at_symbol("<->");
    if (!accept("->") && !accept("<->")) throw expected("-> or <->");
    edge.to = qualified("the node where the edge ends");
    edge.attributes = optional_attributes();
    spec.edges.push_back(std::move(edge));
  }

  /// A parser for mnemonics and packet rules, which parses expressions with this one.
  MnemonicParser mnemonic_parser() {
    return MnemonicParser(*this, [this] { return expression(); });
  }

  std::string scope_;  ///< the node around the statement
};

}  // namespace

MachineSpec parse_spec(std::string_view text, std::string_view file_name, const ReadInclude& read) {
  LexedText document = lex(text, file_name);
  std::vector<LexedToken> tokens = with_includes(document.tokens, std::string(file_name), read);
  MachineSpec spec = Parser(tokens).machine();
  spec.tokens = std::move(tokens);
  spec.document = std::move(document);
  return spec;
}

MachineSpec expand(const MachineSpec& spec, const std::map<std::string, int64_t>& parameters) {
  if (!spec.has_loops) return spec;
  return Parser(spec.tokens, parameters).machine();
}

Expression parse_expression(std::string_view text, std::string_view file_name) {
  return Parser(tokenize(text, file_name)).whole_expression();
}

}  // namespace covenant::acg::lang
