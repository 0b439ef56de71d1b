// Of every machine: a word is an instance of at most one mnemonic, and decoding is the inverse of encoding.
#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "tests/property/hvx/draw.h"

namespace covenant::acg {
namespace {

using namespace testing;

Machine builtin(const std::string& name) {
  const Result<Machine> machine = load_machine(name);
  if (machine) return *machine;
  ADD_FAILURE() << render(machine.error());
  return {};
}

/// No words are tried: two patterns that differ in a bit that both fix have no word in common.
TEST(Mnemonics, NoWordIsTwoOfThem) {
  for (const std::string& name : builtin_machines()) {
    const Machine machine = builtin(name);
    const Codec codec(machine);
    size_t pairs = 0;
    for (uint32_t i = 0; i < machine.mnemonics.size(); ++i) {
      for (uint32_t j = 0; j < i; ++j, ++pairs) {
        const WordPattern one = codec.pattern(i), other = codec.pattern(j);
        EXPECT_NE((one.match ^ other.match) & one.mask & other.mask, 0U)
            << name << ": " << machine.mnemonics[i].name << " and " << machine.mnemonics[j].name;
      }
    }
    std::cout << name << ": " << machine.mnemonics.size() << " mnemonics, " << pairs << " pairs\n";
  }
}

/// Every bit of a word is fixed, reserved, a parse bit or the bit of one field.
TEST(Mnemonics, EveryBitHasOneOwner) {
  for (const std::string& name : builtin_machines()) {
    const Machine machine = builtin(name);
    const Codec codec(machine);
    for (uint32_t i = 0; i < machine.mnemonics.size(); ++i) {
      uint32_t seen = codec.pattern(i).mask;
      const auto own = [&](uint32_t bits) {
        EXPECT_EQ(seen & bits, 0U) << name << " " << machine.mnemonics[i].name;
        seen |= bits;
      };
      own(scattered(~uint32_t{0}, codec.parse_bits()));
      for (size_t field = 0; field < machine.mnemonics[i].fields.size(); ++field) {
        if (machine.mnemonics[i].fields[field].kind == FieldKind::kConstant) continue;
        own(scattered(~uint32_t{0}, codec.ranges(i)[field]));
      }
      EXPECT_EQ(seen, ~uint32_t{0}) << name << " " << machine.mnemonics[i].name;
    }
  }
}

TEST(Mnemonics, DecodeIsTheInverseOfEncode) {
  RandomSource random(17);
  for (const std::string& name : builtin_machines()) {
    const Machine machine = builtin(name);
    const Codec codec(machine);
    for (uint32_t index = 0; index < machine.mnemonics.size(); ++index) {
      for (int draw = 0; draw < 300; ++draw) {
        // By way of bits, so that names of memories and engines are drawn, too.
        const Mnemonic& mnemonic = machine.mnemonics[index];
        uint32_t word = codec.pattern(index).match | scattered(machine.packet.last, codec.parse_bits());
        for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
          const Field& field = mnemonic.fields[i];
          if (field.kind == FieldKind::kConstant) continue;
          const int64_t codes =
              field.values.empty() ? int64_t{1} << field.width : static_cast<int64_t>(field.values.size());
          word |= scattered(static_cast<uint32_t>(random.between(0, codes - 1)), codec.ranges(index)[i]);
        }
        const Result<Codec::Decoded> decoded = codec.decode(word);
        ASSERT_TRUE(decoded) << name << " " << mnemonic.name << render(decoded.error());
        ASSERT_EQ(decoded->mnemonic, index);
        const Result<uint32_t> again = codec.encode(decoded->instruction);
        ASSERT_TRUE(again) << name << " " << mnemonic.name << render(again.error());
        ASSERT_EQ(*again, word) << name << " " << mnemonic.name;
        const Result<Codec::Decoded> twice = codec.decode(*again);
        ASSERT_EQ(twice->instruction, decoded->instruction);
        const Result<uint32_t> written = codec.assemble(codec.disassemble(word));
        ASSERT_TRUE(written) << codec.disassemble(word) << render(written.error());
        ASSERT_EQ(*written, word) << codec.disassemble(word);
      }
    }
  }
}

}  // namespace
}  // namespace covenant::acg
