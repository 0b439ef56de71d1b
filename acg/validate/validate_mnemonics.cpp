#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/base/suggest.h"
#include "acg/encoding/layout.h"
#include "acg/encoding/word_text.h"
#include "acg/graph/limits.h"
#include "acg/graph/queries.h"
#include "acg/graph/unit_info.h"
#include "acg/graph/words.h"
#include "acg/operations/vliw_registers.h"
#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

std::vector<std::string> operand_names(const OperationInfo& operation) {
  std::vector<std::string> names;
  for (const OperandInfo& operand : operation.operands) names.emplace_back(operand.name);
  return names;
}

/// Names that the values of an efield may take.
std::vector<std::string> names_of(const Machine& machine, const OperandInfo& operand) {
  std::vector<std::string> names;
  if (operand.kind == OperandKind::kMemory) {
    for (const Memory& memory : machine.memories) names.push_back(memory.name);
  } else if (operand.kind == OperandKind::kEngine) {
    for (const Engine& engine : engines(machine)) names.push_back(engine.name);
  } else {
    names.assign(operand.choices.begin(), operand.choices.end());
  }
  return names;
}

class MnemonicCheck {
 public:
  MnemonicCheck(const Context& context, const Mnemonic& mnemonic)
      : context_(context), mnemonic_(mnemonic), path_("mnemonic " + mnemonic.name), operation_(info(mnemonic.does)) {}

  void run() {
    if (is_described()) check_described();
    if (!mnemonic_.encoding.empty()) {
      check_encoding(context_, mnemonic_);
      for (size_t i = 0; i < mnemonic_.fields.size(); ++i) check_field(mnemonic_.fields[i], i);
    } else {
      check_opcode_form();
    }
    for (const OperandInfo& operand : operation_.operands) {
      if (!is_described()) check_carried(operand);
    }
    check_issue(context_, mnemonic_);
  }

 private:
  bool is_described() const { return mnemonic_.does == kDescribedWord; }

  /// A mnemonic may leave out its operation if nothing runs it. Its fields then carry the operands in their order.
  void check_described() const {
    for (const Compute& compute : context_.machine.computes) {
      if (info(compute.unit).is_open) continue;
      refuse(mnemonic_.where, path_,
             {"ACG0014", "an attribute is missing", "does", {}, "say what the word does: `does = unit.operation;`"});
    }
    size_t next = 0;
    for (size_t i = 0; i < mnemonic_.fields.size(); ++i) {
      const Field& field = mnemonic_.fields[i];
      if (field.kind == FieldKind::kConstant) continue;
      if (next < operation_.operands.size() && field.operand == operation_.operands[next++].name) continue;
      refuse(field_where(i), path_,
             {"ACG0022",
              "a described word has few fields that are no constants, in the order of their operands",
              field.name,
              {fmt::format("up to {} fields", operation_.operands.size())},
              "join fields, or make them constants"});
    }
  }

  void check_opcode_form() {
    const uint32_t opcode_bits = context_.machine.opcode_bits;
    if (!opcode_limits(opcode_bits).contains(mnemonic_.opcode)) {
      refuse(where("opcode"), path_,
             {"ACG0013",
              "opcode is out of range",
              fmt::format("{}", mnemonic_.opcode),
              {text_of(opcode_limits(opcode_bits))},
              "use a smaller opcode"});
    }
    uint64_t used = opcode_bits;
    for (size_t i = 0; i < mnemonic_.fields.size(); ++i) {
      check_field(mnemonic_.fields[i], i);
      used += mnemonic_.fields[i].width;
      if (used <= context_.machine.word_bits) continue;
      refuse(field_where(i), path_,
             {"ACG0020",
              "the fields are wider than the word",
              fmt::format("{} bits", used),
              {fmt::format("{} bits with the opcode", context_.machine.word_bits)},
              "make fields narrower"});
    }
  }

  SourceLocation where(std::string_view part) const {
    return context_.where(fmt::format("{} {}", path_, part), mnemonic_.where);
  }
  SourceLocation field_where(size_t index) const { return where(fmt::format("field {}", index)); }
  std::string operation_name() const { return qualified_name(mnemonic_.does); }

  void check_field(const Field& field, size_t index) {
    const SourceLocation place = field_where(index);
    if (!is_quotable(field.name)) {
      refuse(place, path_,
             {"ACG0013",
              "a name of a field that cannot be written",
              field.name,
              {"printable ASCII without quotes"},
              "choose another name"});
    }
    if (const Limits limits = width_limits(field.kind); !limits.contains(field.width)) {
      refuse(place, path_,
             {"ACG0013",
              fmt::format("width of field {} is out of range", field.name),
              fmt::format("{}", field.width),
              {text_of(limits)},
              "give its number of bits"});
    }
    if (field.kind == FieldKind::kConstant) return check_constant(field, place);
    if (field.kind == FieldKind::kFixed) check_fixed(field, place);
    check_operand(field, place);
    check_scale(field, place);
    check_marks(field, place);
    if (field.kind != FieldKind::kEnumeration) check_numbers(field, place);
  }

  void check_scale(const Field& field, const SourceLocation& place) const {
    if (const Limits limits = scale_limits(field.width); !limits.contains(field.scale)) {
      refuse(place, path_,
             {"ACG0013",
              fmt::format("scale of field {} is out of range", field.name),
              fmt::format("{}", field.scale),
              {text_of(limits)},
              "operands have 32 bits: use a smaller scale"});
    }
  }

  const OperandInfo& carried_by(const Field& field) const {
    return operation_.operands[operand_index(mnemonic_.does, field.operand)];
  }

  /// Fields of names take no mark but stages, fields of registers no offsets. A stage mark agrees with the operation:
  /// `reads` on a register that it reads, `writes` on one that it writes.
  void check_marks(const Field& field, const SourceLocation& place) const {
    const OperandInfo& operand = carried_by(field);
    const Access access = operand.access;
    const bool is_name = field.kind == FieldKind::kEnumeration;
    const bool is_limited = field.kind != FieldKind::kInteger || access != Access::kNone || operand.highest.has_value();
    if (((field.is_relative || field.is_extendable) && is_limited) ||
        ((field.scale != 1 || field.top != 0) && field.kind != FieldKind::kInteger)) {
      refuse(place, path_,
             {"ACG0063",
              fmt::format("marks of numbers on {}", is_name ? "names" : "what has few values"),
              field.name,
              {"reads", "writes"},
              "remove them"});
    }
    check_stage("reads", field.reads, place);
    check_stage("writes", field.writes, place);
    if (access == Access::kNone) return;
    if ((!field.reads || reads(access)) && (!field.writes || writes(access))) return;
    const bool wrong_read = field.reads && !reads(access);
    refuse(place, path_,
           {"ACG0063",
            fmt::format("{} does not {} operand {}", operation_name(), wrong_read ? "read" : "write", field.operand),
            wrong_read ? "reads" : "writes",
            {wrong_read ? "writes" : "reads"},
            "remove the mark"});
  }

  void check_stage(std::string_view mark, std::optional<uint32_t> stage, const SourceLocation& place) const {
    if (!stage || kStages.contains(*stage)) return;
    refuse(place, path_,
           {"ACG0013",
            fmt::format("{} names no stage", mark),
            fmt::format("{}", *stage),
            {text_of(kStages)},
            "give the cycle, counted from when the packet issues"});
  }

  /// A field cannot write a number that its operand cannot have, such as a register beyond the file or half of a pair.
  void check_numbers(const Field& field, const SourceLocation& place) const {
    const OperandInfo& operand = carried_by(field);
    check_top(field, place);
    const std::optional<int32_t> highest = highest_number(operand);
    if (highest && highest_value(field) > *highest) {
      refuse(place, path_,
             {"ACG0065",
              fmt::format("field {} says numbers that {} cannot be", field.name, operand.name),
              fmt::format("{}", highest_value(field)),
              {fmt::format("0..{}", *highest)},
              "give the field fewer bits or a smaller scale"});
    }
    if (!is_pair(operand.kind) || (field.kind == FieldKind::kFixed ? field.constant : field.scale) % 2 == 0) return;
    refuse(place, path_,
           {"ACG0065",
            fmt::format("field {} says odd registers, and {} is a pair", field.name, operand.name),
            fmt::format("scale {}", field.scale),
            {"even scales"},
            "write `scale 2`, and a 0 for the lowest bit in the encoding"});
  }

  /// The value of the highest bit (`top`) is greater than any value of the other bits.
  void check_top(const Field& field, const SourceLocation& place) const {
    if (field.top == 0) return;
    const uint64_t others = ((uint64_t{1} << (field.width - 1)) - 1) * field.scale;
    if (!field.is_signed && field.top > others) return;
    refuse(place, path_,
           {"ACG0065",
            fmt::format("the highest bit of field {} does not stand for a number of its own", field.name),
            fmt::format("top {}{}", field.top, field.is_signed ? ", signed" : ""),
            {fmt::format("numbers above {}, of a field without a sign", others)},
            "give `top` a greater number"});
  }

  void check_constant(const Field& field, const SourceLocation& place) const {
    if (!field.operand.empty() || field.is_signed || !field.values.empty()) {
      refuse(place, path_, {"ACG0024", "a constant carries no operand", field.name, {}, "use an ifield or an efield"});
    }
    if (constant_limits(field.width).contains(field.constant)) return;
    refuse(place, path_,
           {"ACG0013",
            fmt::format("the constant does not fit field {}", field.name),
            fmt::format("{}", field.constant),
            {text_of(constant_limits(field.width))},
            "make the field wider or the constant smaller"});
  }

  void check_fixed(const Field& field, const SourceLocation& place) const {
    if (mnemonic_.encoding.empty()) {
      refuse(place, path_,
             {"ACG0060",
              "a fixed operand of a word stated by its opcode",
              field.name,
              {},
              "state the word by an encoding"});
    }
    if (kFixedNumber.contains(field.constant)) return;
    refuse(place, path_,
           {"ACG0013",
            fmt::format("the operand of field {} is out of range", field.name),
            fmt::format("{}", field.constant),
            {text_of(kFixedNumber)},
            "use a smaller number"});
  }

  void check_operand(const Field& field, const SourceLocation& place) {
    const std::vector<std::string> names = operand_names(operation_);
    const auto found = std::find(names.begin(), names.end(), field.operand);
    if (found == names.end()) {
      const std::string message = field.operand.empty() ? fmt::format("field {} carries no operand", field.name)
                                                        : fmt::format("{} has no such operand", operation_name());
      refuse(place, path_,
             {"ACG0022", message, field.operand.empty() ? field.name : field.operand, names,
              field.operand.empty() ? fmt::format("say what it carries: `{} = {};`", field.name, names.front())
                                    : suggest(field.operand, names)});
    }
    const OperandInfo& operand = operation_.operands[static_cast<size_t>(found - names.begin())];
    if (!carried_.insert(operand.name).second) {
      refuse(place, path_, {"ACG0023", "an operand carried by two fields", field.operand, {}, "keep one of the two"});
    }
    check_kind(field, operand, place);
    if (field.kind == FieldKind::kEnumeration) check_values(field, operand, place);
  }

  void check_kind(const Field& field, const OperandInfo& operand, const SourceLocation& place) const {
    if (is_described()) return;
    const bool is_name = operand.kind == OperandKind::kMemory || operand.kind == OperandKind::kEngine ||
                         operand.kind == OperandKind::kChoice || operand.kind == OperandKind::kControlRegister;
    const bool is_number = !is_name;
    if (field.kind == FieldKind::kFixed && is_number) return;
    const FieldKind wanted = is_number ? FieldKind::kInteger : FieldKind::kEnumeration;
    const bool wanted_signed = operand.kind == OperandKind::kSigned;
    if (field.kind == wanted && field.is_signed == wanted_signed && (field.values.empty() || !is_number)) return;
    const std::string_view form = !is_number ? "efield" : wanted_signed ? "ifield ... signed" : "ifield";
    refuse(place, path_,
           {"ACG0024",
            fmt::format("field {} is of the wrong kind for operand {}", field.name, operand.name),
            fmt::format("{}{}", name_in(kFieldKinds, field.kind), field.is_signed ? " ... signed" : ""),
            {std::string(form)},
            fmt::format("write it as {}", form)});
  }

  void check_values(const Field& field, const OperandInfo& operand, const SourceLocation& place) const {
    const std::vector<std::string> allowed = is_described() ? field.values : names_of(context_.machine, operand);
    std::set<std::string> seen;
    for (const std::string& value : field.values) {
      if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
        refuse(place, path_,
               {"ACG0025", fmt::format("field {} names what is no {}", field.name, operand.name), value, allowed,
                suggest(value, allowed)});
      }
      if (seen.insert(value).second) continue;
      refuse(place, path_,
             {"ACG0004", fmt::format("field {} lists a name twice", field.name), value, {}, "keep one of the two"});
    }
    if (!field.values.empty() && field.values.size() <= (uint64_t{1} << field.width)) return;
    refuse(place, path_,
           {"ACG0026",
            fmt::format("field {} cannot tell its names apart", field.name),
            fmt::format("{} names in {} bits", field.values.size(), field.width),
            {fmt::format("1..{} names", uint64_t{1} << field.width)},
            "make the field wider"});
  }

  void check_carried(const OperandInfo& operand) const {
    if (operand.is_optional || carried_.contains(operand.name)) return;
    std::vector<std::string> names = operand_names(operation_);
    refuse(where("does"), path_,
           {"ACG0023", fmt::format("no field carries an operand of {}", operation_name()), std::string(operand.name),
            std::move(names), fmt::format("add a field with `= {};`", operand.name)});
  }

  const Context& context_;
  const Mnemonic& mnemonic_;
  std::string path_;
  const OperationInfo& operation_;
  std::set<std::string_view> carried_;
};

/// No word may decode to two mnemonics: any two patterns differ in a bit that both fix.
void check_ambiguity(const Context& context) {
  const Machine& machine = context.machine;
  std::vector<WordPattern> patterns;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    patterns.push_back(word_pattern(mnemonic, machine.word_bits, machine.opcode_bits));
  }
  for (size_t i = 0; i < patterns.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      const InstructionWord differ = (patterns[i].match ^ patterns[j].match) & patterns[i].mask & patterns[j].mask;
      if (differ != InstructionWord()) continue;
      const Mnemonic& mnemonic = machine.mnemonics[i];
      refuse(mnemonic.where, "mnemonic " + mnemonic.name,
             {"ACG0021",
              fmt::format("word 0x{} would be both {} and {}",
                          hex(patterns[i].match | patterns[j].match, machine.word_bits), machine.mnemonics[j].name,
                          mnemonic.name),
              mnemonic.name,
              {},
              "give them different opcodes or constants"});
    }
  }
}

}  // namespace

void check_mnemonics(const Context& context) {
  for (const Mnemonic& mnemonic : context.machine.mnemonics) MnemonicCheck(context, mnemonic).run();
  check_ambiguity(context);
}

}  // namespace covenant::acg::checks
