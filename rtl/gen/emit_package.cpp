#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <numeric>
#include <span>

#include "acg/encoding/layout.h"
#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "rtl/gen/common/names.h"
#include "rtl/gen/common/operation_names.h"
#include "rtl/gen/common/sv_text.h"
#include "rtl/gen/emit.h"
#include "rtl/gen/stream/units.h"

namespace covenant::rtl {
namespace {

using acg::Field;
using acg::FieldKind;
using acg::Machine;
using acg::Mnemonic;
using acg::Operation;
using acg::OperationInfo;
using acg::WordPattern;

WordPattern pattern_of(const Machine& machine, const Mnemonic& mnemonic) {
  return acg::word_pattern(mnemonic, machine.word_bits, machine.opcode_bits);
}

/// The bits of a field, wherever they are, side by side.
std::string bits_at(const std::vector<acg::BitRange>& ranges) {
  std::vector<std::string> parts;
  for (const auto& [low, width] : ranges) parts.push_back(fmt::format("word[{}:{}]", low + width - 1, low));
  return parts.size() == 1 ? parts.front() : fmt::format("{{{}}}", fmt::join(parts, ", "));
}

/// A word as a SystemVerilog literal: "32'h0007A3FF".
std::string literal(const acg::InstructionWord& word, uint32_t word_bits) {
  std::string digits = hex(word & acg::InstructionWord::ones(word_bits), word_bits);
  std::transform(digits.begin(), digits.end(), digits.begin(),
                 [](char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format("{}'h{}", word_bits, digits);
}

std::string matches(const WordPattern& pattern, uint32_t word_bits) {
  return fmt::format("((word & {}) == {})", literal(pattern.mask, word_bits), literal(pattern.match, word_bits));
}

std::string emit_operations() {
  const std::vector<OperationInfo> operations = built_operations();
  std::string text = fmt::format(
      "  // What a word means; OpInvalid is a word that no mnemonic spells. Ports and memories hold it as a number: "
      "not every\n"
      "  // tool knows arrays of enumerations, or casts to them.\n"
      "  localparam int unsigned OperationWidth = {};\n  typedef logic [OperationWidth-1:0] operation_t;\n"
      "  typedef enum logic [OperationWidth-1:0] {{\n",
      std::bit_width(operations.size()));
  text += "    OpInvalid";
  for (const OperationInfo& entry : operations) text += ",\n    " + enumerator(entry.operation);
  return text + "\n  } operation_e;\n";
}

/// Types of the signals between the fetch unit, the sequencers and the units.
std::string emit_interfaces(const Plan& plan) {
  return fmt::format(R"(
  // Channels of the memory that has most of them: all have counters and pointers for so many.
  localparam int unsigned SlotBits = {};
  localparam int unsigned Slots    = 1 << SlotBits;

  localparam int unsigned WordWidth   = {};  // bits of an instruction word
  localparam int unsigned FetchBytes  = {};  // of a beat of instructions
  localparam int unsigned FetchWords  = {};  // that a beat completes, at most
  localparam int unsigned FetchPeriod = {};  // beats after which a word and a beat begin together again

  // From the fetch unit to all sequencers: the words that a beat completes, by slot.
  typedef struct packed {{
    logic [FetchWords-1:0]                header;     // slot holds a group's header
    logic [FetchWords-1:0]                valid;      // slot holds a word of a group
    logic [FetchWords*8-1:0]              engine;     // of its group
    logic [FetchWords*16-1:0]             index;      // position in the group; of a header: words that follow
    logic [FetchWords*OperationWidth-1:0] operation;
    logic [FetchWords*WordWidth-1:0]      word;
  }} fill_t;

  // From the fetch unit to all sequencers: which buffers of the instruction memories are filled and run.
  typedef struct packed {{
    logic fill_buffer;
    logic fill_begin;    // a new block: no words yet
    logic start_buffer;
    logic start;         // the block of start_buffer starts in the next cycle
  }} blocks_t;

  // From a sequencer to its unit.
  typedef struct packed {{
    logic        valid;            // a word for the unit, until it is ready:
    operation_t  operation;
    logic [WordWidth-1:0] word;
    logic        tile_end;         // the body of loop tile_level ends:
    logic        tile_repeats;     // its index grows by one, or else returns to 0
    logic [2:0]  tile_level;
    logic [15:0] stride_index;     // index of the loop that a stride word names
    logic        reduction_first;  // open loops marked as reductions are at 0
    logic        post_issue;       // this engine's pointer of the channel turns
    logic [31:0] channel;          // counter that a wait or post names
  }} command_t;

  // From the queue of an off-chip engine's data path to its sequencer.
  typedef struct packed {{
    logic        room;     // a post may enter
    logic        busy;     // something is inside
    logic        post;     // a post has its effect, visible in the next cycle:
    logic [31:0] channel;  // on that counter
  }} retirement_t;
)",
                     plan.slot_bits, plan.machine->word_bits, plan.fetch.beat_bytes, plan.fetch_words,
                     plan.machine->word_bytes() / std::gcd(plan.machine->word_bytes(), plan.fetch.beat_bytes));
}

/// Parts in which words set numbers, and how.
std::string emit_parts(const Machine& machine, const std::vector<PackagePart>& kinds) {
  const acg::WordParts words = acg::word_parts(machine);
  std::vector<PartWidth> widths{{"addresses and strides", "BasePart", words.base.bits},
                                {"", "StridePart", words.stride.bits}};
  std::string tables;
  for (const PackagePart& kind : kinds) {
    widths.insert(widths.end(), kind.parts.begin(), kind.parts.end());
    tables += kind.tables;
  }
  std::vector<std::string_view> whats;
  size_t longest = 0;
  for (const PartWidth& width : widths) {
    if (!width.what.empty()) whats.push_back(width.what);
    longest = std::max(longest, width.name.size());
  }
  std::string text = fmt::format("\n  // Bits of a part of a number: of {}.\n", fmt::join(whats, ", of "));
  for (const PartWidth& width : widths) {
    text += fmt::format("  localparam int unsigned {:{}} = {};\n", width.name, longest, width.bits);
  }
  return text + tables +
         fmt::format(R"(
  // `old` with the bits of part `part` set to `value`, which is extended, by zeros or by its sign, to all bits above.
  function automatic logic [31:0] with_part(input logic [31:0] old, input logic [31:0] part, input int unsigned width,
                                            input logic [31:0] value, input logic is_signed);
    logic [31:0] top, extended, low;
    top       = value << (32 - width);
    extended  = is_signed ? 32'($signed(top) >>> (32 - width)) : top >> (32 - width);
    low       = part * width;
    with_part = ((part >= 32'd{}) || (low >= 32'd32)) ? old
                                                      : (old & ~(32'hFFFF_FFFF << low[4:0])) | (extended << low[4:0]);
  endfunction
)",
                     acg::kMostParts);
}

/// `word` is an instance of the mnemonic: constants hold, and codes of enumerations have names.
std::string is_instance(const Machine& machine, const Mnemonic& mnemonic) {
  const WordPattern pattern = pattern_of(machine, mnemonic);
  std::string condition = matches(pattern, machine.word_bits);
  for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
    const Field& field = mnemonic.fields[i];
    if (field.kind != FieldKind::kEnumeration || field.values.size() >= (uint64_t{1} << field.width)) continue;
    condition += fmt::format(" && ({} < {}'d{})", bits_at(pattern.ranges[i]), field.width, field.values.size());
  }
  return condition;
}

/// Bits that all mnemonics fix: the opcode, if words are defined by one; otherwise at most 16 bits.
std::vector<acg::BitRange> selecting_bits(const Machine& machine) {
  acg::InstructionWord fixed = acg::InstructionWord::ones(machine.word_bits);
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    const bool is_opcode = mnemonic.encoding.empty();
    fixed &= is_opcode ? acg::InstructionWord::ones(machine.opcode_bits) << (machine.word_bits - machine.opcode_bits)
                       : pattern_of(machine, mnemonic).mask;
  }
  std::string picture;
  for (uint32_t bit = machine.word_bits, taken = 0; bit-- > 0;) {
    const bool is_taken = fixed.bit(bit) && taken < 16;
    taken += is_taken ? 1 : 0;
    picture += is_taken ? 's' : '0';
  }
  return acg::ranges_of(picture, 's');
}

/// An `if ... else if ...` chain over mnemonics.
std::string emit_choice(const Machine& machine, const std::vector<const Mnemonic*>& mnemonics) {
  std::string text;
  std::string separator;
  for (const Mnemonic* mnemonic : mnemonics) {
    text += fmt::format("{}if ({}) begin\n          decode = {};  // {}\n        end", separator,
                        is_instance(machine, *mnemonic), in_package(enumerator(mnemonic->does)),
                        comment_of(mnemonic->name));
    separator = " else ";
  }
  return text;
}

std::string emit_decode(const Machine& machine) {
  std::string text =
      "  // The operation of a word, from the mnemonics of the machine.\n"
      "  function automatic operation_t decode(input logic [WordWidth-1:0] word);\n"
      "    decode = covenant_pkg::OpInvalid;\n";
  const std::vector<acg::BitRange> selecting = selecting_bits(machine);
  std::map<uint64_t, std::vector<const Mnemonic*>> by_code;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    by_code[acg::gathered(pattern_of(machine, mnemonic).match, selecting)].push_back(&mnemonic);
  }
  if (selecting.empty()) return text + "        " + emit_choice(machine, by_code.at(0)) + "\n  endfunction\n";
  uint32_t width = 0;
  for (const acg::BitRange& range : selecting) width += range.width;
  text += fmt::format("    unique case ({})\n", bits_at(selecting));
  for (const auto& [code, mnemonics] : by_code) {
    text += fmt::format("      {}'d{}: begin\n        {}\n      end\n", width, code, emit_choice(machine, mnemonics));
  }
  return text + "      default: decode = covenant_pkg::OpInvalid;\n    endcase\n  endfunction\n";
}

/// Where a field carries an operand, and in which form.
struct Carrier {
  std::vector<acg::BitRange> ranges;  ///< the most significant bits first
  uint32_t width = 0;                 ///< total width
  bool is_signed = false;
  std::vector<uint32_t> codes;  ///< operand value of each code; empty for numbers
  bool operator==(const Carrier&) const = default;
};

std::vector<uint32_t> codes_of(const Plan& plan, const acg::OperandInfo& operand, const Field& field) {
  std::vector<uint32_t> codes;
  for (const std::string& name : field.values) {
    if (operand.kind == acg::OperandKind::kMemory) {
      codes.push_back(acg::find_memory(*plan.machine, name).value().value);
    } else if (operand.kind == acg::OperandKind::kEngine) {
      const auto found =
          std::ranges::find_if(plan.units, [&](const std::unique_ptr<Unit>& unit) { return unit->name == name; });
      codes.push_back(static_cast<uint32_t>(found - plan.units.begin()));
    } else {
      const auto found = std::find(operand.choices.begin(), operand.choices.end(), name);
      codes.push_back(static_cast<uint32_t>(found - operand.choices.begin()));
    }
  }
  return codes;
}

std::string emit_carrier(const std::string& name, const Carrier& carrier, const std::string& indent) {
  const std::string bits = bits_at(carrier.ranges);
  if (carrier.codes.empty()) {
    const acg::BitRange& top = carrier.ranges.front();
    const std::string sign = fmt::format("{{{}{{word[{}]}}}}", 32 - carrier.width, top.low + top.width - 1);
    if (carrier.width == 32) return fmt::format("{}{} = {};\n", indent, name, bits);
    return fmt::format("{}{} = {{{}, {}}};\n", indent, name,
                       carrier.is_signed ? sign : fmt::format("{}'d0", 32 - carrier.width), bits);
  }
  std::string text = fmt::format("{}unique case ({})\n", indent, bits);
  for (size_t code = 0; code < carrier.codes.size(); ++code) {
    text += fmt::format("{}  {}'d{}: {} = 32'd{};\n", indent, carrier.width, code, name, carrier.codes[code]);
  }
  return text + fmt::format("{}  default: {} = 32'd0;\n{}endcase\n", indent, name, indent);
}

std::string emit_operand(const Plan& plan, const std::string& operand) {
  const Machine& machine = *plan.machine;
  std::vector<std::pair<Carrier, std::vector<std::string>>> carriers;  // with the words that use them
  bool is_optional = false;
  for (const Mnemonic& mnemonic : machine.mnemonics) {
    const WordPattern pattern = pattern_of(machine, mnemonic);
    for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
      const Field& field = mnemonic.fields[i];
      if (field.operand != operand) continue;
      const acg::OperandInfo& info = acg::info(mnemonic.does).operands[acg::operand_index(mnemonic.does, operand)];
      const Carrier carrier{pattern.ranges[i], field.width, field.is_signed, codes_of(plan, info, field)};
      is_optional = info.is_optional;
      auto found =
          std::find_if(carriers.begin(), carriers.end(), [&](const auto& entry) { return entry.first == carrier; });
      if (found == carriers.end()) found = carriers.insert(carriers.end(), {carrier, {}});
      found->second.push_back(matches(pattern, machine.word_bits));
    }
  }
  const std::string name = "operand_" + operand;
  std::string text = fmt::format("  function automatic logic [31:0] {}(input logic [WordWidth-1:0] word);\n", name);
  // The layout that most words share needs no test, unless some leave the operand out.
  std::stable_sort(carriers.begin(), carriers.end(),
                   [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (carriers.empty()) text += fmt::format("    {} = 32'd0;  // no word of this machine has it\n", name);
  if (is_optional) text += fmt::format("    {} = 32'd0;\n", name);
  for (size_t i = 0; i < carriers.size(); ++i) {
    const bool is_only = carriers.size() == 1 && !is_optional;
    const bool is_last = i + 1 == carriers.size();
    const bool is_rest = is_last && !is_optional;
    if (!is_only) text += i == 0 ? "    " : " else ";
    if (!is_rest) text += fmt::format("if ({}) ", fmt::join(carriers[i].second, " ||\n        "));
    if (!is_only) text += "begin\n";
    text += emit_carrier(name, carriers[i].first, is_only ? "    " : "      ");
    if (!is_only) text += "    end";
    if (!is_only && is_last) text += '\n';
  }
  return text + "  endfunction\n";
}

std::vector<std::string> operand_names() {
  std::vector<std::string> names;
  for (const OperationInfo& entry : built_operations()) {
    for (const acg::OperandInfo& operand : entry.operands) {
      if (std::find(names.begin(), names.end(), operand.name) == names.end()) names.emplace_back(operand.name);
    }
  }
  return names;
}

}  // namespace

std::string emit_package(const Plan& plan) {
  const Machine& machine = *plan.machine;
  std::vector<PackagePart> kinds;
  for (const UnitRow& kind : unit_rows()) kinds.push_back(kind.package(plan));
  std::string constants;
  std::string classes;
  std::string functions;
  std::vector<std::string> pipelined;
  for (const PackagePart& kind : kinds) {
    constants += kind.constants;
    if (!kind.classes.empty()) classes += kind.classes + "\n";
    if (!kind.functions.empty()) functions += "\n" + kind.functions;
    for (const Operation one : kind.pipelined) pipelined.push_back(in_package(enumerator(one)));
  }
  std::string text = fmt::format(
      "// Words of the machine `{}`. Written by covenant from its graph: change that, not this file.\n", machine.name);
  text += "package covenant_pkg;\n\n" + emit_operations() + emit_interfaces(plan) + emit_parts(machine, kinds) +
          constants + "\n";
  text +=
      operation_class("is_pipelined_operation", "Words that retire later than one cycle after they issue.", pipelined) +
      "\n" + classes + emit_decode(machine);
  text +=
      "\n  // Operands of words, by name. A word without the operand gives any number, of one that\n  // may be left "
      "out 0.\n";
  for (const std::string& name : operand_names()) text += emit_operand(plan, name);
  return text + functions + "\nendpackage\n";
}

}  // namespace covenant::rtl
