/// The decoder of a generated package against that of acg/isa: operations and operands of random words.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <sstream>

#include "acg/encoding/layout.h"
#include "acg/encoding/word_text.h"
#include "acg/isa/encode.h"
#include "acg/lang/load.h"
#include "rtl/cosim/process.h"
#include "rtl/gen/generate.h"
#include "tests/support/folders.h"

namespace covenant::rtl {
namespace {

namespace fs = std::filesystem;

/// Names of all operands that words of the machine carry, in order.
std::vector<std::string> operand_names(const acg::Machine& machine) {
  std::vector<std::string> names;
  for (const acg::Mnemonic& mnemonic : machine.mnemonics) {
    for (const acg::Field& field : mnemonic.fields) {
      if (!field.operand.empty()) names.push_back(field.operand);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// A module that shows what the package makes of a word.
std::string bench_of(const std::vector<std::string>& names) {
  std::string text = "module package_bench (\n  input  logic [covenant_pkg::WordWidth-1:0] word_i,\n";
  text += "  output logic [covenant_pkg::OperationWidth-1:0] operation_o,\n";
  text += "  output logic [" + std::to_string(names.size()) + "*32-1:0] operands_o\n);\n";
  text += "  assign operation_o = covenant_pkg::decode(word_i);\n";
  for (size_t k = 0; k < names.size(); ++k) {
    text +=
        "  assign operands_o[" + std::to_string(k) + "*32 +: 32] = covenant_pkg::operand_" + names[k] + "(word_i);\n";
  }
  return text + "endmodule\n";
}

/// Words of every mnemonic with all kinds of bits in its fields, some with a bit turned anywhere; and any words.
std::vector<acg::InstructionWord> random_words(const acg::Machine& machine, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<acg::InstructionWord> words;
  const auto any = [&] {
    acg::InstructionWord word;
    for (uint32_t low = 0; low < machine.word_bits; low += 32) word |= acg::InstructionWord(random() >> 32) << low;
    return word & acg::InstructionWord::ones(machine.word_bits);
  };
  for (const acg::Mnemonic& mnemonic : machine.mnemonics) {
    const acg::WordPattern pattern = acg::word_pattern(mnemonic, machine.word_bits, machine.opcode_bits);
    for (int k = 0; k < 200; ++k) {
      acg::InstructionWord word = pattern.match | (any() & ~pattern.mask);
      if (random() % 4 == 0) word ^= acg::InstructionWord(1) << static_cast<uint32_t>(random() % machine.word_bits);
      words.push_back(word);
    }
    // Every code of every enumeration, with or without a name.
    for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
      if (mnemonic.fields[i].kind != acg::FieldKind::kEnumeration) continue;
      for (uint32_t code = 0; code < uint32_t{1} << mnemonic.fields[i].width; ++code) {
        words.push_back(pattern.match | acg::scattered(code, pattern.ranges[i]));
      }
    }
  }
  for (int k = 0; k < 1000; ++k) words.push_back(any());
  return words;
}

std::string content(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

void expect_same_meaning(const acg::Machine& machine, const std::string& name) {
  const auto files = generate(machine);
  ASSERT_TRUE(files) << render(files.error());
  const fs::path folder = fs::path(rtl_models_folder()) / ("package_" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::vector<std::string> names = operand_names(machine);
  std::ofstream(folder / "covenant_pkg.sv") << files->at("covenant_pkg.sv");
  std::ofstream(folder / "package_bench.sv") << bench_of(names);
  const acg::Codec codec(machine);
  std::ofstream cases(folder / "cases.txt");
  for (const acg::InstructionWord& word : random_words(machine, 1)) {
    const auto decoded = codec.decode(word);
    if (!decoded) {
      cases << hex(word, machine.word_bits) << " 0\n";
      continue;
    }
    const acg::Instruction& instruction = decoded->instruction;
    cases << hex(word, machine.word_bits) << ' ' << static_cast<int>(instruction.operation) + 1;
    for (const acg::Field& field : machine.mnemonics[decoded->mnemonic].fields) {
      if (field.operand.empty()) continue;
      const auto place = std::lower_bound(names.begin(), names.end(), field.operand) - names.begin();
      const size_t index = acg::operand_index(instruction.operation, field.operand);
      cases << ' ' << place << ' ' << static_cast<uint32_t>(instruction.operands[index]);
    }
    for (const acg::OperandInfo& operand : acg::info(instruction.operation).operands) {
      const auto place = std::lower_bound(names.begin(), names.end(), operand.name) - names.begin();
      const bool is_known = std::binary_search(names.begin(), names.end(), operand.name);
      const size_t index = acg::operand_index(instruction.operation, operand.name);
      if (operand.is_optional && is_known) cases << ' ' << place << ' ' << instruction.operands[index];
    }
    cases << '\n';
  }
  cases.close();
  const std::vector<std::string> build{"verilator",
                                       "--cc",
                                       "--exe",
                                       "--build",
                                       "--top-module",
                                       "package_bench",
                                       "--Mdir",
                                       "obj",
                                       "-o",
                                       "bench",
                                       "-MAKEFLAGS",
                                       "OPT_FAST=-O1",
                                       "-CFLAGS",
                                       "-std=c++20",
                                       "covenant_pkg.sv",
                                       "package_bench.sv",
                                       source_folder() + "/tests/unit/rtl/package_bench.cpp"};
  ASSERT_EQ(run_process(build, folder, folder / "build.log"), 0) << content(folder / "build.log");
  EXPECT_EQ(run_process({(folder / "obj" / "bench").string(), "cases.txt"}, folder, folder / "run.log"), 0)
      << content(folder / "run.log");
}

/// The machine with other bits for its words: numbers are cut to a random width and may be signed, and what that frees
/// is constant; numbers and enumerations change places, and so do the names of an enumeration.
acg::Machine with_other_words(acg::Machine machine, uint64_t seed) {
  std::mt19937_64 random(seed);
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    std::vector<acg::Field> fields;
    std::vector<acg::Field> free;
    for (acg::Field field : mnemonic.fields) {
      if (field.kind == acg::FieldKind::kInteger && field.width > 4) {
        acg::Field rest;
        rest.kind = acg::FieldKind::kConstant;
        rest.name = "REST";
        rest.width = static_cast<uint32_t>(random() % (field.width - 4));
        field.width -= rest.width;
        field.is_signed = random() % 2 == 0;
        if (rest.width > 0) free.push_back(rest);
      }
      std::shuffle(field.values.begin(), field.values.end(), random);
      (field.kind == acg::FieldKind::kConstant ? fields : free).push_back(field);
    }
    std::shuffle(free.begin(), free.end(), random);
    fields.insert(fields.end(), free.begin(), free.end());
    mnemonic.fields = fields;
  }
  return machine;
}

/// The machine with words of `word_bits`, each stated by an encoding: every bit of the old word goes to another place,
/// the same in all words; what is left over is 0 or 1.
acg::Machine with_scattered_words(acg::Machine machine, uint32_t word_bits, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint32_t> places(word_bits);
  std::iota(places.begin(), places.end(), 0U);
  std::shuffle(places.begin(), places.end(), random);
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    const acg::WordPattern pattern = acg::word_pattern(mnemonic, machine.word_bits, machine.opcode_bits);
    std::string bits(word_bits, '0');
    for (char& bit : bits) bit = random() % 2 == 0 ? '0' : '1';
    for (uint32_t bit = 0; bit < machine.word_bits; ++bit) bits[places[bit]] = pattern.match.bit(bit) ? '1' : '0';
    std::vector<acg::Field> fields;
    for (size_t i = 0; i < mnemonic.fields.size(); ++i) {
      if (mnemonic.fields[i].kind == acg::FieldKind::kConstant) continue;
      fields.push_back(mnemonic.fields[i]);
      fields.back().letter = std::string(1, static_cast<char>('a' + fields.size() - 1));
      for (const acg::BitRange& range : pattern.ranges[i]) {
        for (uint32_t bit = 0; bit < range.width; ++bit) bits[places[range.low + bit]] = fields.back().letter[0];
      }
    }
    mnemonic.fields = fields;
    mnemonic.encoding = bits;
    mnemonic.opcode = 0;
  }
  machine.word_bits = word_bits;
  return machine;
}

/// A machine in which only one of several words that may name a part does so.
acg::Machine with_parts(acg::Machine machine) {
  for (acg::Mnemonic& mnemonic : machine.mnemonics) {
    if (mnemonic.does != acg::Operation::kSimdBaseHigh) continue;
    acg::Field part = mnemonic.fields.back();
    mnemonic.fields.back().width -= 3;
    part.name = "PART";
    part.operand = "part";
    part.width = 3;
    mnemonic.fields.push_back(part);
  }
  return machine;
}

TEST(Package, DecodesScatteredFieldsOfAnyWidthAsTheCodecDoes) {
  const acg::Machine machine = with_parts(*acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}}));
  for (const uint32_t word_bits : {40U, 256U}) {
    SCOPED_TRACE(::testing::Message() << word_bits << " bits");
    expect_same_meaning(with_scattered_words(machine, word_bits, word_bits), "scattered_" + std::to_string(word_bits));
  }
}

TEST(Package, DecodesAsTheCodecDoes) {
  expect_same_meaning(*acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}}), "genesys");
}

TEST(Package, DecodesOtherWordsAsTheCodecDoes) {
  const acg::Machine machine = *acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
  for (const uint64_t seed : {1U, 2U}) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    expect_same_meaning(with_other_words(machine, seed), "other_" + std::to_string(seed));
  }
}

}  // namespace
}  // namespace covenant::rtl
