#include "acg/encoding/layout.h"

#include <string_view>

#include "acg/base/check.h"

namespace covenant::acg {
namespace {

WordPattern pattern_of_encoding(const Mnemonic& mnemonic, uint32_t word_bits) {
  check(mnemonic.encoding.size() == word_bits, "an encoding of another length than a word");
  WordPattern pattern;
  std::string_view rest = mnemonic.encoding;
  while (!rest.empty()) {  // 64 bits at a time: a machine's patterns are made for each of its codecs
    const std::string_view bits = rest.substr(0, 64);
    uint64_t fixed = 0, ones = 0;
    for (const char bit : bits) {
      fixed = fixed << 1 | uint64_t{bit == '0' || bit == '1'};
      ones = ones << 1 | uint64_t{bit == '1'};
    }
    const auto count = static_cast<uint32_t>(bits.size());
    pattern.mask = pattern.mask << count | InstructionWord(fixed);
    pattern.match = pattern.match << count | InstructionWord(ones);
    rest.remove_prefix(bits.size());
  }
  for (const Field& field : mnemonic.fields) {
    if (field.kind == FieldKind::kFixed) {
      pattern.ranges.emplace_back();
      continue;
    }
    check(field.letter.size() == 1, "a field of an encoding without a letter");
    pattern.ranges.push_back(ranges_of(mnemonic.encoding, field.letter[0]));
  }
  return pattern;
}

WordPattern pattern_of_opcode(const Mnemonic& mnemonic, uint32_t word_bits, uint32_t opcode_bits) {
  WordPattern pattern;
  uint32_t low = word_bits - opcode_bits;
  pattern.mask = InstructionWord::ones(opcode_bits) << low;
  pattern.match = InstructionWord(mnemonic.opcode) << low;
  for (const Field& field : mnemonic.fields) {
    check(field.width >= 1 && field.width <= low, "a field that does not fit the word");
    low -= field.width;
    pattern.ranges.push_back({{low, field.width}});
    if (field.kind != FieldKind::kConstant) continue;
    pattern.mask |= InstructionWord::ones(field.width) << low;
    pattern.match |= InstructionWord(field.constant) << low;
  }
  pattern.reserved = InstructionWord::ones(low);
  pattern.mask |= pattern.reserved;
  return pattern;
}

}  // namespace

std::vector<BitRange> ranges_of(const std::string& encoding, char letter) {
  std::vector<BitRange> ranges;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding[i] != letter) continue;
    const auto low = static_cast<uint32_t>(encoding.size() - 1 - i);
    if (!ranges.empty() && ranges.back().low == low + 1) {
      ranges.back() = {low, ranges.back().width + 1};
    } else {
      ranges.push_back({low, 1});
    }
  }
  return ranges;
}

WordPattern word_pattern(const Mnemonic& mnemonic, uint32_t word_bits, uint32_t opcode_bits) {
  check(word_bits <= kMostWordBits && opcode_bits >= 1 && opcode_bits <= word_bits,
        "a word of more bits than a word has");
  WordPattern pattern = mnemonic.encoding.empty() ? pattern_of_opcode(mnemonic, word_bits, opcode_bits)
                                                  : pattern_of_encoding(mnemonic, word_bits);
  pattern.mask |= ~InstructionWord::ones(word_bits);  // the bits above a shorter word are zero
  return pattern;
}

InstructionWord scattered(uint64_t value, const std::vector<BitRange>& ranges) {
  InstructionWord word;
  for (size_t i = ranges.size(); i-- > 0;) {
    const uint32_t width = ranges[i].width;
    word |= (InstructionWord(value) & InstructionWord::ones(width)) << ranges[i].low;
    value = width >= 64 ? 0 : value >> width;
  }
  return word;
}

uint64_t gathered(const InstructionWord& word, const std::vector<BitRange>& ranges) {
  uint64_t value = 0;
  for (const BitRange& range : ranges) {
    value = (range.width >= 64 ? 0 : value << range.width) | word.bits(range.low, range.width);
  }
  return value;
}

}  // namespace covenant::acg
