#include "acg/gen/isa_manual.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "acg/isa/encode.h"
#include "acg/isa/layout.h"

namespace covenant::acg {
namespace {

using Ranges = std::vector<Codec::FieldBits>;

/// `27..24`, of scattered fields `27..24, 3`; the most significant bits first.
std::string bits_text(const Ranges& ranges) {
  std::vector<std::string> parts;
  for (const auto& [low, width] : ranges) {
    parts.push_back(width == 1 ? fmt::format("{}", low) : fmt::format("{}..{}", low + width - 1, low));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string operation_text(const Mnemonic& mnemonic) {
  return fmt::format("{}.{}", info(mnemonic.does).unit, info(mnemonic.does).name);
}

/// Letters for fields in order, skipping none: a, b, c, ...
char letter_of(size_t field) { return static_cast<char>('a' + static_cast<char>(field % 26)); }

class Manual {
 public:
  explicit Manual(const Machine& machine) : machine_(machine), codec_(machine) {}

  std::string text() const {
    const std::string preset = machine_.preset.empty() ? "" : ":" + machine_.preset;
    std::string page = fmt::format("# Instruction words of {}{}\n\n", machine_.name, preset);
    page += fmt::format("{} mnemonics in words of {} bits", machine_.mnemonics.size(), machine_.word_bits);
    page +=
        ". Bit 0 is the least significant. What an operation does and how long it takes is the matter of its unit's "
        "page.\n\n";
    page += "| mnemonic | word | operation |\n|---|---|---|\n";
    for (uint32_t i = 0; i < machine_.mnemonics.size(); ++i) {
      const Mnemonic& mnemonic = machine_.mnemonics[i];
      page += fmt::format("| [{}](#{}) | `{}` | {} |\n", mnemonic.name, anchor(mnemonic.name), picture(i),
                          operation_text(mnemonic));
    }
    for (uint32_t i = 0; i < machine_.mnemonics.size(); ++i) page += section(i);
    return page;
  }

 private:
  static std::string anchor(const std::string& name) {
    std::string result = name;
    std::transform(result.begin(), result.end(), result.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return result;
  }

  Ranges ranges(uint32_t mnemonic, size_t field) const { return {codec_.layout(mnemonic).at(field)}; }

  /// The word, most significant bit first: constant bits, and the letter of the field that each other bit belongs to.
  std::string picture(uint32_t index) const {
    const Mnemonic& mnemonic = machine_.mnemonics[index];
    const WordPattern pattern = word_pattern(mnemonic, machine_.word_bits, machine_.opcode_bits);
    std::string bits(machine_.word_bits, '?');
    for (uint32_t bit = 0; bit < machine_.word_bits; ++bit) {
      if ((pattern.mask >> bit & 1U) != 0) {
        bits[machine_.word_bits - 1 - bit] = (pattern.match >> bit & 1U) != 0 ? '1' : '0';
      }
    }
    for (size_t field = 0; field < mnemonic.fields.size(); ++field) {
      if (mnemonic.fields[field].kind == FieldKind::kConstant) continue;
      for (const auto& [low, width] : ranges(index, field)) {
        for (uint32_t bit = low; bit < low + width; ++bit) bits[machine_.word_bits - 1 - bit] = letter_of(field);
      }
    }
    return bits;
  }

  std::string section(uint32_t index) const {
    const Mnemonic& mnemonic = machine_.mnemonics[index];
    const std::string unit(info(mnemonic.does).unit);
    std::string text = fmt::format("\n## {}\n\n    {}\n\nDoes `{}` ([{}](../units/{}.md)).\n\n", mnemonic.name,
                                   picture(index), operation_text(mnemonic), unit, unit);
    if (!mnemonic.fields.empty()) {
      text += "| | bits | field | values | operand |\n|---|---|---|---|---|\n";
      for (size_t field = 0; field < mnemonic.fields.size(); ++field) text += row(index, field);
      text += "\n";
    }
    const uint32_t word = example(index);
    return text +
           fmt::format("Example: `0x{:0{}x}` is `{}`.\n", word, machine_.word_bits / 4, codec_.disassemble(word));
  }

  std::string row(uint32_t index, size_t position) const {
    const Field& field = machine_.mnemonics[index].fields[position];
    const bool is_constant = field.kind == FieldKind::kConstant;
    return fmt::format("| {} | {} | {} | {} | {} |\n", is_constant ? "" : std::string(1, letter_of(position)),
                       bits_text(ranges(index, position)), field.name, values(field), is_constant ? "" : field.operand);
  }

  static std::string values(const Field& field) {
    if (field.kind == FieldKind::kConstant) return fmt::format("always {}", field.constant);
    if (field.kind == FieldKind::kEnumeration) {
      std::vector<std::string> codes;
      for (size_t code = 0; code < field.values.size(); ++code) {
        codes.push_back(fmt::format("{} {}", code, field.values[code]));
      }
      return fmt::format("{}", fmt::join(codes, ", "));
    }
    const int64_t count = int64_t{1} << field.width;
    const int64_t lowest = field.is_signed ? -count / 2 : 0;
    return fmt::format("{}..{}", lowest, lowest + count - 1);
  }

  /// A word in which every field says something different where it can.
  uint32_t example(uint32_t index) const {
    const Mnemonic& mnemonic = machine_.mnemonics[index];
    uint32_t word = word_pattern(mnemonic, machine_.word_bits, machine_.opcode_bits).match;
    for (size_t position = 0; position < mnemonic.fields.size(); ++position) {
      const Field& field = mnemonic.fields[position];
      if (field.kind == FieldKind::kConstant) continue;
      const uint64_t codes = field.kind == FieldKind::kEnumeration ? field.values.size()
                                                                   : std::min<uint64_t>(uint64_t{1} << field.width, 16);
      uint64_t code = (position + 1) % codes;
      const Ranges parts = ranges(index, position);
      for (size_t part = parts.size(); part-- > 0;) {
        const uint64_t ones = (uint64_t{1} << parts[part].width) - 1;
        word |= static_cast<uint32_t>((code & ones) << parts[part].low);
        code >>= parts[part].width;
      }
    }
    return word;
  }

  const Machine& machine_;
  Codec codec_;
};

}  // namespace

std::string isa_manual(const Machine& machine) { return Manual(machine).text(); }

}  // namespace covenant::acg
