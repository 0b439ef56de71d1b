#include "acg/gen/isa_manual.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "acg/encoding/layout.h"
#include "acg/encoding/word_text.h"
#include "acg/isa/encode.h"

namespace covenant::acg {
namespace {

using Ranges = std::vector<BitRange>;

/// Bit ranges as text: `27..24`, or `27..24, 3` for a scattered field; most significant bits first.
std::string bits_text(const Ranges& ranges) {
  std::vector<std::string> parts;
  for (const auto& [low, width] : ranges) {
    parts.push_back(width == 1 ? fmt::format("{}", low) : fmt::format("{}..{}", low + width - 1, low));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string operation_text(const Mnemonic& mnemonic) {
  if (mnemonic.does == kDescribedWord) return "not said";
  return qualified_name(mnemonic.does);
}

/// The letter that stands for a field in the picture of a word: its letter in the encoding, or a, b, c, ... in the
/// order of the fields that are not constant.
char letter_of(const Mnemonic& mnemonic, size_t position) {
  if (!mnemonic.fields[position].letter.empty()) return mnemonic.fields[position].letter[0];
  const auto before = std::count_if(mnemonic.fields.begin(), mnemonic.fields.begin() + static_cast<int64_t>(position),
                                    [](const Field& field) { return is_said(field); });
  return static_cast<char>('a' + before % 26);
}

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

  Ranges ranges(uint32_t mnemonic, size_t field) const { return codec_.ranges(mnemonic).at(field); }

  /// The word, most significant bit first: constant bits as 0 and 1, all others as the letter of their field.
  std::string picture(uint32_t index) const {
    const Mnemonic& mnemonic = machine_.mnemonics[index];
    if (!mnemonic.encoding.empty()) return mnemonic.encoding;
    const WordPattern pattern = word_pattern(mnemonic, machine_.word_bits, machine_.opcode_bits);
    std::string bits(machine_.word_bits, '?');
    for (uint32_t bit = 0; bit < machine_.word_bits; ++bit) {
      if (pattern.mask.bit(bit)) {
        bits[machine_.word_bits - 1 - bit] = pattern.match.bit(bit) ? '1' : '0';
      }
    }
    for (size_t field = 0; field < mnemonic.fields.size(); ++field) {
      if (!is_said(mnemonic.fields[field])) continue;
      for (const auto& [low, width] : ranges(index, field)) {
        for (uint32_t bit = low; bit < low + width; ++bit)
          bits[machine_.word_bits - 1 - bit] = letter_of(mnemonic, field);
      }
    }
    return bits;
  }

  std::string section(uint32_t index) const {
    const Mnemonic& mnemonic = machine_.mnemonics[index];
    const std::string_view unit = name_of(info(mnemonic.does).unit);
    std::string text = fmt::format("\n## {}\n\n    {}\n\n", mnemonic.name, picture(index));
    text += mnemonic.does == kDescribedWord
                ? "What it does is not said: the machine is described, nothing runs its words.\n\n"
                : fmt::format("Does `{}` ([{}](../units/{}.md)).\n\n", operation_text(mnemonic), unit, unit);
    if (!mnemonic.fields.empty()) {
      text += "| | bits | field | values | operand |\n|---|---|---|---|---|\n";
      for (size_t field = 0; field < mnemonic.fields.size(); ++field) text += row(index, field);
      text += '\n';
    }
    const InstructionWord word = example(index);
    return text + fmt::format("Example: `0x{}` is `{}`.\n", hex(word, machine_.word_bits), codec_.disassemble(word));
  }

  std::string row(uint32_t index, size_t position) const {
    const Field& field = machine_.mnemonics[index].fields[position];
    const bool is_constant = field.kind == FieldKind::kConstant;
    const bool has_letter = is_said(field);
    const bool is_described = machine_.mnemonics[index].does == kDescribedWord;
    return fmt::format("| {} | {} | {} | {} | {} |\n",
                       has_letter ? std::string(1, letter_of(machine_.mnemonics[index], position)) : "",
                       bits_text(ranges(index, position)), field.name, values(field),
                       is_constant || is_described ? "" : field.operand);
  }

  static std::string values(const Field& field) {
    if (!is_said(field)) return fmt::format("always {}", field.constant);
    if (field.kind == FieldKind::kEnumeration) {
      std::vector<std::string> codes;
      for (size_t code = 0; code < field.values.size(); ++code) {
        codes.push_back(fmt::format("{} {}", code, field.values[code]));
      }
      return fmt::format("{}", fmt::join(codes, ", "));
    }
    const int64_t count = int64_t{1} << field.width;
    const int64_t lowest = field.is_signed ? -count / 2 : 0;
    const auto scale = static_cast<int64_t>(field.scale);
    if (field.top != 0) {
      return fmt::format("0..{} by steps of {}, {}..{}", (count / 2 - 1) * scale, scale, field.top,
                         highest_value(field));
    }
    const std::string range = fmt::format("{}..{}", lowest * scale, (lowest + count - 1) * scale);
    return scale == 1 ? range : fmt::format("{} by steps of {}", range, scale);
  }

  /// An example word whose fields differ from each other where they can.
  InstructionWord example(uint32_t index) const {
    const Mnemonic& mnemonic = machine_.mnemonics[index];
    const InstructionWord empty = word_pattern(mnemonic, machine_.word_bits, machine_.opcode_bits).match |
                                  scattered(machine_.packet.last, codec_.parse_bits());
    InstructionWord word = empty;
    for (size_t position = 0; position < mnemonic.fields.size(); ++position) {
      const Field& field = mnemonic.fields[position];
      if (!is_said(field)) continue;
      const uint64_t codes = field.kind == FieldKind::kEnumeration ? field.values.size()
                                                                   : std::min<uint64_t>(uint64_t{1} << field.width, 16);
      word |= scattered((position + 1) % codes, ranges(index, position));
    }
    const Result<Codec::Decoded> decoded = codec_.decode(word);
    return decoded && decoded->mnemonic == index ? word : empty;
  }

  const Machine& machine_;
  Codec codec_;
};

}  // namespace

std::string isa_manual(const Machine& machine) { return Manual(machine).text(); }

}  // namespace covenant::acg
