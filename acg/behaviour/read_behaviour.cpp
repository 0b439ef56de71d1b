#include "acg/behaviour/read_behaviour.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "acg/base/failure.h"
#include "acg/behaviour/declaration_reader.h"
#include "acg/behaviour/decode.h"
#include "acg/behaviour/turns.h"
#include "acg/behaviour/uses.h"
#include "acg/graph/graph.h"
#include "acg/lang/behaviour_words.h"
#include "acg/lang/evaluate.h"
#include "acg/lang/parameters.h"
#include "acg/lang/parser.h"

namespace covenant::acg::behaviour {
namespace {

using lang::Word;

constexpr size_t kMostTests = 320;  // as a command has bits

class BehaviourReader : private DeclarationReader {
 public:
  /// `spec` is the machine with its loops expanded.
  BehaviourReader(const lang::MachineSpec& spec, const std::map<std::string, int64_t>& parameters)
      : DeclarationReader(spec.tokens, parameters), spec_(spec), parameters_(parameters) {}

  Behaviour run() {
    advance();
    behaviour_.machine = word("the name of the machine").text;
    block([this] { item(); });
    check_decodes(behaviour_);
    check_uses(behaviour_);
    check_turns(behaviour_);
    return std::move(behaviour_);
  }

 private:
  void item() {
    if (at_word("for")) {
      lang::MachineSpec ignored;
      return loop(ignored, [this](lang::MachineSpec&) { item(); });
    }
    if (is_dry_ || !lang::starts_behaviour(peek())) return skip_statement();
    const SourceLocation where = peek().where;
    const std::string kind = advance().text;
    begin_frame();
    if (kind == "port" || kind == "stream") return port(kind == "stream");
    if (kind == "state" || kind == "table") return state_item(kind == "table");
    if (kind == "record") return record_item();
    if (kind == "queue") return queue_item();
    if (kind == "function") return function();
    if (kind == "format") return format();
    if (kind == "instruction") return instruction();
    if (kind == "intrinsic") return intrinsic();
    if (kind == "process") return process();
    if (kind == "update") return update_of_mnemonic();
    interrupt(where);
  }

  void port(bool is_stream) {
    const Word name = new_name(behaviour_.ports, "the name of the port");
    Port made{name.text, 0, 0, is_stream, name.where};
    std::vector<std::pair<std::string, int64_t*>> known{{"data", &made.data_bits}};
    if (!is_stream) known.emplace_back("address", &made.address_bits);
    attributes_of(name.text, known, 1, kMaxDataBits);
    if (made.data_bits == 0 || made.data_bits % 8 != 0 || made.address_bits > 63) {
      throw Failure{{"BEH0005",
                     name.where,
                     name.text,
                     "data of no whole bytes, or an address of more than 63 bits",
                     fmt::format("data = {}, address = {}", made.data_bits, made.address_bits),
                     {"data: 8 to 256, whole bytes", "address: up to 63"},
                     "give both in bits"}};
    }
    behaviour_.ports.push_back(std::move(made));
  }

  void instruction() {
    const Word name = new_name(behaviour_.instructions, "the name of the instruction");
    Instruction made;
    made.name = name.text;
    made.where = name.where;
    made.port = port_after_on();
    std::set<std::string> said;
    block([&] {
      const Word part = word("fields, decode or update");
      if (!said.insert(part.text).second) throw twice(part.where, part.text);
      if (part.text == "fields") {
        block([&] { fields(made); });
      } else if (part.text == "decode") {
        decode(made);
      } else if (part.text == "update") {
        update(made);
      } else {
        throw unknown(part, "an instruction has no such part", {"fields", "decode", "update"});
      }
    });
    made.slots = slots();
    if (made.decode.empty()) throw expected("decode", "say which commands it is: `decode = op == 2;`");
    behaviour_.instructions.push_back(std::move(made));
  }

  uint32_t port_after_on() {
    if (!at_word("on")) throw expected("on", "say on which port or stream: `on bus`");
    advance();
    return index_in(behaviour_.ports, word("a port"), "no port and no stream has this name");
  }

  void update(Instruction& into) {
    into.update = code(behaviour_.ports[into.port].is_stream ? Place::kUpdateOfWord : Place::kUpdate, into.port);
    into.listing = listing();
  }

  /// `update GEMM on words { ... }`: an instruction whose fields and decode are those of the mnemonic.
  void update_of_mnemonic() {
    const Word name = new_name(behaviour_.instructions, "the name of a mnemonic");
    Instruction made;
    made.name = name.text;
    made.where = name.where;
    made.port = port_after_on();
    const Port& port = behaviour_.ports[made.port];
    const auto bits = [&](const std::optional<lang::AttributeSpec>& said, int64_t otherwise) {
      return said ? lang::evaluate(said->value, parameters_) : otherwise;
    };
    const int64_t word_bits = bits(spec_.word, acg::Machine{}.word_bits);
    if (!port.is_stream || word_bits != port.data_bits) {
      throw Failure{{"BEH0008",
                     name.where,
                     port.name,
                     "a word of a mnemonic on what has other bits",
                     fmt::format("{} bits", port.data_bits),
                     {fmt::format("a stream of {} bits, the machine's `word`", word_bits)},
                     "give the stream as many bits as a word has"}};
    }
    read_layout(made, mnemonic(name), word_bits, bits(spec_.opcode, acg::Machine{}.opcode_bits));
    update(made);
    made.slots = slots();
    behaviour_.instructions.push_back(std::move(made));
  }

  const lang::MnemonicSpec& mnemonic(const Word& name) const {
    std::vector<std::string> known;
    for (const lang::MnemonicSpec& one : spec_.mnemonics) {
      if (one.name.text == name.text && one.opcode) return one;
      if (one.opcode) known.push_back(one.name.text);
    }
    throw unknown(name, "no mnemonic with an opcode has this name", std::move(known));
  }

  /// Fields from the top bit downwards: the opcode, then those of the mnemonic.
  void read_layout(Instruction& into, const lang::MnemonicSpec& said, int64_t word_bits, int64_t opcode_bits) {
    int64_t top = word_bits - opcode_bits;
    const auto test = [&](int64_t at, int64_t bits, const lang::Expression& value) {
      const auto number = static_cast<uint64_t>(lang::evaluate(value, parameters_));
      into.decode.push_back({at, bits, number, number});
    };
    if (said.opcode) test(top, opcode_bits, *said.opcode);
    for (const lang::FieldSpec& field : said.fields) {
      if (field.kind == FieldKind::kFixed) continue;  // no bits
      const int64_t bits = lang::evaluate(field.width, parameters_);
      top -= bits;
      if (top < 0 || bits < 1 || bits > 63) {
        throw Failure{{"BEH0008",
                       field.where,
                       field.name.text,
                       "a field past the end of the word",
                       fmt::format("{} bits", bits),
                       {fmt::format("{} bits that are left", top + bits)},
                       "give it fewer bits"}};
      }
      if (field.constant) {
        test(top, bits, *field.constant);
      } else {
        const Type of{bits, field.is_signed, {}};
        into.fields.push_back({declare({field.name.text, field.where}, of, of.range()), top});
      }
    }
  }

  /// `x_size : u16 at 80;`, `offset : u20 at address + 4;`: from the lowest bit of the data or of the address. Of a
  /// record, a field for each member.
  void fields(Instruction& into) {
    const Port& port = behaviour_.ports[into.port];
    const Word name = word("the name of the field");
    require(":");
    const std::optional<uint32_t> of_record = record(peek().text);
    const Type of = of_record ? Type{} : type(kMaxDataBits);
    if (of_record) advance();
    if (!at_word("at")) throw expected("at", "say where its lowest bit is: `at 7`");
    advance();
    const bool is_address = at_word("address");
    if (is_address) advance();
    const bool has_bit = !is_address || accept("+");
    const int64_t at = has_bit ? constant("the lowest bit", 0, kMaxDataBits) : 0;
    require(";");
    if (!of_record) return into.fields.push_back(field(port, name, of, at, is_address));
    require_new(name);
    for (const Member& member : behaviour_.records[*of_record].members) {
      const Word one{name.text + "." + member.name, name.where};
      into.fields.push_back(field(port, one, member.type, at + member.at, is_address));
    }
    name_local_record(name, *of_record);
  }

  Field field(const Port& port, const Word& name, const Type& of, int64_t at, bool is_address) {
    const int64_t bits = of.bits * of.elements();
    const int64_t limit = is_address ? port.address_bits : port.data_bits;
    if (at + bits > limit) {
      throw Failure{{"BEH0008",
                     name.where,
                     name.text,
                     "a field past the end of the command",
                     fmt::format("bits {} to {}", at, at + bits - 1),
                     {fmt::format("{} bits of {}", limit, is_address ? "address" : "data")},
                     "give it fewer bits, or let it begin lower"}};
    }
    return {declare(name, of, of.range()), at + (is_address ? port.data_bits : 0)};
  }

  /// `decode = op == 2 and kind in 1..3;`: all of these.
  void decode(Instruction& made) {
    require("=");
    do {
      if (made.decode.size() >= kMostTests) throw too_many("tests of a command", kMostTests, {made.name, made.where});
      made.decode.push_back(test(made));
    } while (at_word("and") && advance().kind == lang::TokenKind::kWord);
    require(";");
  }

  BitTest test(const Instruction& made) {
    const Port& port = behaviour_.ports[made.port];
    const Word name = qualified("write, read, address or a field");
    if (!port.is_stream && (name.text == "write" || name.text == "read")) {
      const uint64_t bit = name.text == "write" ? 1 : 0;
      return {port.data_bits + port.address_bits, 1, bit, bit};
    }
    BitTest result;
    std::vector<std::string> known{"write", "read", "address"};
    if (!port.is_stream && name.text == "address") result = {port.data_bits, port.address_bits, 0, 0};
    for (const Field& field : made.fields) {
      known.push_back(field.variable.name);
      if (field.variable.name == name.text && !field.variable.type.is_array()) {
        result = {field.at, field.variable.type.bits, 0, 0};
      }
    }
    if (result.bits == 0) throw unknown(name, "neither a number among the fields nor the address", std::move(known));
    const int64_t most = result.bits > 62 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << result.bits) - 1;
    const bool is_range = at_word("in");
    if (!is_range && !at_symbol("==")) throw expected("== or in", "compare with a constant: `op == 2`, `x in 1..3`");
    advance();
    result.low = static_cast<uint64_t>(constant("what is decoded", 0, most));
    result.high = result.low;
    if (is_range) {
      require("..");
      result.high = static_cast<uint64_t>(constant("what is decoded", static_cast<int64_t>(result.low), most));
    }
    return result;
  }

  void process() {
    const Word name = new_name(behaviour_.processes, "the name of the process");
    Process made{name.text, code(Place::kProcess), {}, 0, name.where};
    made.slots = slots();
    made.listing = listing();
    behaviour_.processes.push_back(std::move(made));
  }

  /// `interrupt = done;`
  void interrupt(const SourceLocation& where) {
    if (!behaviour_.interrupt.empty()) throw twice(where, "interrupt");
    require("=");
    behaviour_.interrupt = {number()};
    behaviour_.interrupt_slots = slots();
    require(";");
  }

  const lang::MachineSpec& spec_;
  const std::map<std::string, int64_t>& parameters_;
};

}  // namespace

Result<Behaviour> read_behaviour(const lang::MachineSpec& spec, std::string_view preset, const lang::Settings& set) {
  return guarded<Behaviour>([&] {
    if (!spec.has_behaviour) {
      throw Failure{{"BEH0014",
                     spec.name.where,
                     spec.name.text,
                     "the machine is not driven by commands",
                     spec.name.text,
                     {"a machine with ports, state and instructions"},
                     "compile a model for it and run that"}};
    }
    const lang::ParameterValues parameters = lang::parameter_values(spec, preset, set);
    lang::MachineSpec expanded = lang::expand(spec, parameters.known);
    expanded.tokens = spec.tokens;
    Behaviour result = BehaviourReader(expanded, parameters.known).run();
    if (spec.clock) result.hertz = spec.clock->hertz;
    return result;
  });
}

}  // namespace covenant::acg::behaviour
