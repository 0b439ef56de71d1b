#include "acg/isa/layout.h"

#include "acg/base/check.h"

namespace covenant::acg {
namespace {

uint32_t ones(uint32_t width) { return width >= 32 ? ~uint32_t{0} : (uint32_t{1} << width) - 1; }

}  // namespace

WordPattern word_pattern(const Mnemonic& mnemonic, uint32_t word_bits, uint32_t opcode_bits) {
  check(word_bits <= 32 && opcode_bits >= 1 && opcode_bits <= word_bits, "a word of more bits than a word has");
  WordPattern pattern;
  uint32_t low = word_bits - opcode_bits;
  pattern.mask = ones(opcode_bits) << low;
  pattern.match = mnemonic.opcode << low;
  for (const Field& field : mnemonic.fields) {
    check(field.width >= 1 && field.width <= low, "a field that does not fit the word");
    low -= field.width;
    pattern.lows.push_back(low);
    if (field.kind != FieldKind::kConstant) continue;
    pattern.mask |= ones(field.width) << low;
    pattern.match |= static_cast<uint32_t>(field.constant) << low;
  }
  pattern.reserved = low == 0 ? 0 : ones(low);
  pattern.mask |= pattern.reserved;
  return pattern;
}

}  // namespace covenant::acg
