#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/validate/validate_context.h"

namespace covenant::acg::checks {
namespace {

bool is_bit_letter(char bit) { return (bit >= 'a' && bit <= 'z') || (bit >= 'A' && bit <= 'Z'); }

void check_bits(const Context& context, const Mnemonic& mnemonic, const SourceLocation& where) {
  const std::string path = "mnemonic " + mnemonic.name;
  if (mnemonic.encoding.size() != context.machine.word_bits) {
    refuse(where, path,
           {"ACG0060",
            "the encoding is not as long as a word",
            fmt::format("{} bits", mnemonic.encoding.size()),
            {fmt::format("{} bits", context.machine.word_bits)},
            "write one 0, 1 or letter for each bit, the most significant first"});
  }
  for (char bit : mnemonic.encoding) {
    if (bit == '0' || bit == '1' || is_bit_letter(bit)) continue;
    refuse(where, path,
           {"ACG0060",
            "a character that is no bit of an encoding",
            std::string(1, bit),
            {"0", "1", "letters"},
            "write 0 for bits without a meaning"});
  }
  if (mnemonic.opcode != 0) {
    refuse(where, path,
           {"ACG0060",
            "a word is stated by its opcode or by an encoding, not by both",
            fmt::format("opcode {}", mnemonic.opcode),
            {"0"},
            "remove one of the two"});
  }
}

}  // namespace

void check_encoding(const Context& context, const Mnemonic& mnemonic) {
  const std::string path = "mnemonic " + mnemonic.name;
  const SourceLocation where = context.where(path + " encoding", mnemonic.where);
  check_bits(context, mnemonic, where);
  const std::string& parse = context.machine.packet.parse;
  std::set<char> spoken_for(parse.begin(), parse.end());
  for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
    const Field& field = mnemonic.fields[i];
    if (field.kind == FieldKind::kFixed) continue;
    const SourceLocation place = context.where(fmt::format("{} field {}", path, i), mnemonic.where);
    const auto width =
        field.letter.size() == 1 ? std::count(mnemonic.encoding.begin(), mnemonic.encoding.end(), field.letter[0]) : 0;
    if (field.kind == FieldKind::kConstant || width == 0 || !is_bit_letter(field.letter[0])) {
      refuse(place, path,
             {"ACG0061",
              fmt::format("the bits of field {} are not in the encoding", field.name),
              field.letter,
              {"letters of the encoding"},
              "use a letter that stands in the encoding"});
    }
    if (!spoken_for.insert(field.letter[0]).second) {
      refuse(place, path,
             {"ACG0061",
              fmt::format("the bits of field {} have another owner", field.name),
              field.letter,
              {},
              "give every field a letter of its own"});
    }
    if (static_cast<uint32_t>(width) != field.width) {
      refuse(place, path,
             {"ACG0061",
              fmt::format("the width of field {} is not that of its letter", field.name),
              fmt::format("{}", field.width),
              {fmt::format("{}", width)},
              "count how often the letter stands in the encoding"});
    }
  }
  for (char bit : mnemonic.encoding) {
    if (bit == '0' || bit == '1' || spoken_for.contains(bit)) continue;
    refuse(where, path,
           {"ACG0061",
            "a letter of the encoding that no field has",
            std::string(1, bit),
            {},
            fmt::format("add a field with the letter {}, or write 0", bit)});
  }
}

}  // namespace covenant::acg::checks
