// For every machine: a word is an instance of at most one mnemonic, and decoding is the inverse of encoding.
#include <fmt/format.h>
#include <map>

#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "tests/property/hvx/draw.h"

namespace covenant::acg {
namespace {

using namespace testing;

/// Every built-in machine and every preset of it, by the name that loads it.
std::map<std::string, Machine> builtin() {
  std::map<std::string, Machine> machines;
  const auto add = [&](const std::string& name) {
    Result<Machine> machine = load_machine(name);
    EXPECT_TRUE(machine) << name << (machine ? "" : ": " + render(machine.error()));
    if (machine) machines.emplace(name, std::move(*machine));
  };
  for (const std::string& name : builtin_machines()) {
    add(name);
    for (const std::string& preset : builtin_presets(name)) add(fmt::format("{}:{}", name, preset));
  }
  return machines;
}

/// No words are tried: two patterns that differ in a bit that both fix have no word in common.
TEST(Mnemonics, NoWordIsTwoOfThem) {
  for (const auto& [name, machine] : builtin()) {
    const Codec codec(machine);
    size_t pairs = 0;
    for (uint32_t i = 0; i < machine.mnemonics.size(); ++i) {
      for (uint32_t j = 0; j < i; ++j, ++pairs) {
        const WordPattern one = codec.pattern(i), other = codec.pattern(j);
        EXPECT_NE((one.match ^ other.match) & one.mask & other.mask, InstructionWord())
            << name << ": " << machine.mnemonics[i].name << " and " << machine.mnemonics[j].name;
      }
    }
    std::cout << name << ": " << machine.mnemonics.size() << " mnemonics, " << pairs << " pairs\n";
  }
}

/// Every bit of a word is fixed, reserved, a parse bit or the bit of one field.
TEST(Mnemonics, EveryBitHasOneOwner) {
  for (const auto& [name, machine] : builtin()) {
    const Codec codec(machine);
    for (uint32_t i = 0; i < machine.mnemonics.size(); ++i) {
      InstructionWord seen = codec.pattern(i).mask;
      const auto own = [&](const InstructionWord& bits) {
        EXPECT_EQ(seen & bits, InstructionWord()) << name << " " << machine.mnemonics[i].name;
        seen |= bits;
      };
      own(scattered(~uint64_t{0}, codec.parse_bits()));
      for (size_t field = 0; field < machine.mnemonics[i].fields.size(); ++field) {
        if (machine.mnemonics[i].fields[field].kind == FieldKind::kConstant) continue;
        own(scattered(~uint64_t{0}, codec.ranges(i)[field]));
      }
      EXPECT_EQ(seen, ~InstructionWord()) << name << " " << machine.mnemonics[i].name;
    }
  }
}

TEST(Mnemonics, DecodeIsTheInverseOfEncode) {
  RandomSource random(17);
  for (const auto& [name, machine] : builtin()) {
    const Codec codec(machine);
    for (uint32_t index = 0; index < machine.mnemonics.size(); ++index) {
      for (int draw = 0; draw < 300; ++draw) {
        // Drawn as bits, so that names of memories and engines are drawn, too.
        const Mnemonic& mnemonic = machine.mnemonics[index];
        InstructionWord word = codec.pattern(index).match | scattered(machine.packet.last, codec.parse_bits());
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
        const Result<InstructionWord> again = codec.encode(decoded->instruction);
        ASSERT_TRUE(again) << name << " " << mnemonic.name << render(again.error());
        ASSERT_EQ(*again, word) << name << " " << mnemonic.name;
        const Result<Codec::Decoded> twice = codec.decode(*again);
        ASSERT_EQ(twice->instruction, decoded->instruction);
        // Its text is that of a2_combineii, too.
        if (mnemonic.does == operation_of(VliwOperation::kA4Combineii)) continue;
        const Result<InstructionWord> written = codec.assemble(codec.disassemble(word));
        ASSERT_TRUE(written) << codec.disassemble(word) << render(written.error());
        ASSERT_EQ(*written, word) << codec.disassemble(word);
      }
    }
  }
}

/// Whatever the word: it is refused with a code, or it is what encoding makes of what it decodes to.
TEST(Mnemonics, AnyWordIsRefusedOrComesBack) {
  RandomSource random(23);
  for (const auto& [name, machine] : builtin()) {
    const Codec codec(machine);
    const InstructionWord parse = scattered(~uint64_t{0}, codec.parse_bits());
    int known = 0;
    for (int draw = 0; draw < 20'000; ++draw) {
      InstructionWord word = static_cast<uint32_t>(random.between(0, UINT32_MAX));
      // Half of the draws lie close to a mnemonic: its fixed bits, one of them turned over every second time.
      if (draw % 2 == 1 && !machine.mnemonics.empty()) {
        const auto last = static_cast<int64_t>(machine.mnemonics.size()) - 1;
        const WordPattern near = codec.pattern(static_cast<uint32_t>(random.between(0, last)));
        word = (word & ~near.mask) | near.match;
        if (draw % 4 == 1) word ^= InstructionWord(uint64_t{1} << random.between(0, 31));
      }
      EXPECT_FALSE(codec.disassemble(word).empty()) << name << " " << hex(word, 32);
      const Result<Codec::Decoded> decoded = codec.decode(word);
      if (!decoded) {
        EXPECT_TRUE(decoded.error().code >= "ISA0003" && decoded.error().code <= "ISA0005") << render(decoded.error());
        continue;
      }
      ++known;
      const Result<InstructionWord> again = codec.encode(decoded->instruction);
      ASSERT_TRUE(again) << name << " " << hex(word, 32) << " " << render(again.error());
      ASSERT_EQ(*again & ~parse, word & ~parse) << name;
    }
    EXPECT_EQ(known > 0, !machine.mnemonics.empty()) << name;
  }
}

}  // namespace
}  // namespace covenant::acg
