#include "acg/behaviour/read_behaviour.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "acg/base/failure.h"
#include "acg/behaviour/code_reader.h"
#include "acg/behaviour/decode.h"
#include "acg/behaviour/uses.h"
#include "acg/lang/behaviour_words.h"
#include "acg/lang/parameters.h"

namespace covenant::acg::behaviour {
namespace {

using lang::Word;

constexpr int64_t kMaxDataBits = 256;
constexpr int64_t kMaxDepth = 1 << 20;

class BehaviourReader : private CodeReader {
 public:
  using CodeReader::CodeReader;

  Behaviour run() {
    advance();
    behaviour_.machine = word("the name of the machine").text;
    block([this] { item(); });
    check_decodes(behaviour_);
    check_uses(behaviour_);
    return std::move(behaviour_);
  }

 private:
  void item() {
    if (at_word("for")) {
      lang::MachineSpec ignored;
      return loop(ignored, [this](lang::MachineSpec&) { item(); });
    }
    if (is_dry_ || !lang::starts_behaviour(peek())) return skip_statement();
    const std::string kind = advance().text;
    begin_frame();
    if (kind == "port" || kind == "stream") return port(kind == "stream");
    if (kind == "state" || kind == "table") return state_item(kind == "table");
    if (kind == "record") return record_item();
    if (kind == "queue") return queue_item();
    if (kind == "function") return function();
    if (kind == "instruction") return instruction();
    if (kind == "process") return process();
    interrupt();
  }

  /// A name that no other of `items` has.
  template <typename Items>
  Word new_name(const Items& items, std::string_view what) {
    Word name = word(what);
    const bool is_taken =
        std::any_of(items.begin(), items.end(), [&](const auto& one) { return one.name == name.text; });
    if (is_taken) throw Failure{{"BEH0013", name.where, "", "the name is taken", name.text, {}, "use another name"}};
    return name;
  }

  /// Attributes in a block, each a constant.
  void attributes_of(const std::string& subject, const std::vector<std::pair<std::string, int64_t*>>& known,
                     int64_t low, int64_t high) {
    block([&] {
      const Word name = word("a name");
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == name.text; });
      if (found == known.end()) {
        std::vector<std::string> names;
        for (const auto& one : known) names.push_back(one.first);
        throw unknown(name, subject + " has no such attribute", std::move(names));
      }
      require("=");
      *found->second = constant(name.text, low, high);
      require(";");
    });
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

  /// `state NAME : TYPE = VALUE;` or `table NAME : TYPE = [VALUES];`
  void state_item(bool is_table) {
    const Word name = new_name(behaviour_.states, is_table ? "the name of the table" : "the name of the state");
    require_new(name);
    require(":");
    const std::optional<uint32_t> of_records = is_table ? std::nullopt : record(peek().text);
    if (of_records) return states_of(name, *of_records);
    State made{name.text, type(is_table ? kMaxLocalElements : kMaxStateElements), false, {}, is_table, name.where};
    if (is_table && !at_symbol("=")) throw expected("=", "give its values: `= [1, 2]`");
    if (accept("=")) {
      made.has_initial = true;
      made.initial = initial(made.type);
    }
    require(";");
    behaviour_.states.push_back(std::move(made));
  }

  /// `state NAME : RECORD[4];`: a state for each member.
  void states_of(const Word& name, uint32_t index) {
    advance();
    std::vector<int64_t> shape;
    int64_t most = kMaxStateElements;
    for (const Member& member : behaviour_.records[index].members) {
      most = std::min(most, kMaxStateElements / member.type.elements());
    }
    while (accept("[")) {
      shape.push_back(constant("the size of an array", 1, most));
      most /= shape.back();
      require("]");
    }
    require(";");
    for (const Member& member : behaviour_.records[index].members) {
      State made{name.text + "." + member.name, member.type, member.has_initial, member.initial, false, name.where};
      made.type.shape.insert(made.type.shape.begin(), shape.begin(), shape.end());
      behaviour_.states.push_back(std::move(made));
    }
    name_state_record(name, index, std::move(shape));
  }

  /// `record NAME { MEMBER : TYPE at BIT = VALUE; }`
  void record_item() {
    Record made;
    const Word name = new_name(behaviour_.records, "the name of the record");
    made.name = name.text;
    made.where = name.where;
    block([&] {
      const Word member = new_name(made.members, "the name of the member");
      require(":");
      Member one{member.text, type(kMaxDataBits), 0, false, {}};
      if (!at_word("at")) throw expected("at", "say where its lowest bit is: `at 7`");
      advance();
      one.at = constant("the lowest bit", 0, kMaxDataBits);
      if (accept("=")) {
        one.has_initial = true;
        one.initial = initial(one.type);
      }
      require(";");
      for (const Member& other : made.members) {
        if (one.at >= other.end() || other.at >= one.end()) continue;
        throw Failure{{"BEH0008",
                       member.where,
                       made.name,
                       "members that share bits",
                       fmt::format("bits {} to {}", one.at, one.end() - 1),
                       {fmt::format("bits other than {} to {}, of {}", other.at, other.end() - 1, other.name)},
                       "let it begin elsewhere"}};
      }
      made.members.push_back(std::move(one));
    });
    behaviour_.records.push_back(std::move(made));
  }

  /// A number of every element, or a list of those of the innermost dimensions.
  std::vector<int64_t> initial(const Type& type) {
    const Range range = type.range();
    std::vector<int64_t> values;
    const SourceLocation where = peek().where;
    const bool is_list = accept("[");
    do {
      values.push_back(constant("the initial value", range.low, range.high));
    } while (is_list && accept(","));
    if (is_list) require("]");
    int64_t inner = 1;
    bool fits = !is_list || values.size() == 1;
    for (size_t i = type.shape.size(); i-- > 0 && !fits;) {
      inner *= type.shape[i];
      fits = inner == static_cast<int64_t>(values.size());
    }
    if (!fits) {
      throw Failure{{"BEH0004",
                     where,
                     "",
                     "an array or a number of another shape",
                     fmt::format("{} values", values.size()),
                     {text_of(type)},
                     "give a value for each element of its inner dimensions"}};
    }
    const bool is_zero = std::all_of(values.begin(), values.end(), [](int64_t value) { return value == 0; });
    return is_zero ? std::vector<int64_t>{} : values;
  }

  void queue_item() {
    const Word name = new_name(behaviour_.queues, "the name of the queue");
    require(":");
    Queue made{name.text, type(kMaxLocalElements), 0, name.where};
    attributes_of(name.text, {{"depth", &made.depth}}, 1, kMaxDepth);
    if (made.depth == 0) throw expected("depth", "say how many it holds: `depth = 4;`");
    behaviour_.queues.push_back(std::move(made));
  }

  void function() {
    const Word name = new_name(behaviour_.functions, "the name of the function");
    Function made;
    made.name = name.text;
    made.where = name.where;
    require("(");
    while (!at_symbol(")")) {
      if (!made.arguments.empty()) require(",");
      const Word argument = word("an argument");
      require(":");
      const Type of = type(kMaxLocalElements);
      made.arguments.push_back(declare(argument, of, of.range()));
    }
    require(")");
    require(":");
    made.type = type(kMaxLocalElements);
    require("{");
    while (at_word("let")) {
      for (Code& one : let()) made.lets.push_back(std::move(one));
    }
    if (!at_word("return")) throw expected("return", "end the function with `return VALUE;`");
    advance();
    made.result = value();
    require_fits(made.result, made.type, name.text);
    made.listing = listing();
    made.listing.push_back({"return " + as_text(made.result), false, {}, {}});
    require(";");
    require("}");
    made.slots = slots();
    behaviour_.functions.push_back(std::move(made));
  }

  void instruction() {
    const Word name = new_name(behaviour_.instructions, "the name of the instruction");
    Instruction made;
    made.name = name.text;
    made.where = name.where;
    if (!at_word("on")) throw expected("on", "say on which port or stream: `on bus`");
    advance();
    made.port = index_in(behaviour_.ports, word("a port"), "no port and no stream has this name");
    block([&] {
      const Word part = word("fields, decode or update");
      if (part.text == "fields") {
        block([&] { fields(made); });
      } else if (part.text == "decode") {
        decode(made);
      } else if (part.text == "update") {
        made.update = code(behaviour_.ports[made.port].is_stream ? Place::kUpdateOfWord : Place::kUpdate, made.port);
        made.listing = listing();
      } else {
        throw unknown(part, "an instruction has no such part", {"fields", "decode", "update"});
      }
    });
    made.slots = slots();
    if (made.decode.empty()) throw expected("decode", "say which commands it is: `decode = op == 2;`");
    behaviour_.instructions.push_back(std::move(made));
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
  void interrupt() {
    require("=");
    behaviour_.interrupt = {number()};
    behaviour_.interrupt_slots = slots();
    require(";");
  }
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
    Behaviour result = BehaviourReader(spec.tokens, parameters.known).run();
    if (spec.clock) result.hertz = spec.clock->hertz;
    return result;
  });
}

}  // namespace covenant::acg::behaviour
