/// Flips bits in the instruction words of the digits program. Every word matters, and every field: flipping its lowest
/// bit changes bytes, cycles or retire records or is refused, unless an analysis of the words shows that nothing reads
/// it.
#include <cstring>
#include <gtest/gtest.h>
#include <iostream>
#include <map>
#include <set>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/lang/load.h"
#include "acg/program/program_file.h"
#include "compiler/driver/pipeline.h"
#include "compiler/families/stream/effects.h"
#include "runtime/session/session.h"
#include "same_value.h"
#include "tests/support/folders.h"

namespace covenant {
namespace {

using acg::Instruction;
using acg::Operation;

/// The effects of a run, or the reason why it was refused.
struct Outcome {
  std::string refused;  ///< diagnostic code
  uint64_t cycles = 0;
  std::vector<acg::RetireRecord> records;  ///< words blanked
  std::vector<runtime::Tensor> outputs;
  bool operator==(const Outcome&) const = default;
};

std::vector<runtime::Tensor> image_for(const acg::Program& program) {
  const acg::TensorBinding& binding = program.inputs.at(0);
  runtime::Tensor tensor{binding.name, DType::kF32, binding.shape, {}};
  tensor.bytes.resize(64 * 4);
  for (size_t i = 0; i < 64; ++i) {  // nowhere 0, as padding is
    const float value = static_cast<float>(i * 37 % 61 + 3) / 64.0F;
    std::memcpy(&tensor.bytes[i * 4], &value, 4);
  }
  return {tensor};
}

Outcome run(const acg::Program& program) {
  Outcome outcome;
  const Result<acg::Program> read = acg::read_program(acg::write_program(program), "turned.cprog");
  if (!read) {
    outcome.refused = read.error().code;
    return outcome;
  }
  const Result<runtime::Session> session = runtime::Session::open(*read, "systemc");
  const Result<runtime::RunResult> result = session->run(image_for(program), {{true, true, false}, false});
  if (!result) {
    outcome.refused = result.error().code;
    return outcome;
  }
  outcome.cycles = result->cost.cycles;
  outcome.outputs = result->outputs;
  outcome.records = result->cost.records;
  for (acg::RetireRecord& record : outcome.records) record.word = 0;
  return outcome;
}

/// Segments for the bytes that no segment covers, in front of the last one.
std::vector<acg::Segment> gaps(const acg::Program& program) {
  std::map<uint64_t, uint64_t> ends;
  for (const acg::Segment& segment : program.segments) ends[segment.address] = segment.address + segment.size;
  std::vector<acg::Segment> found;
  uint64_t end = 0;
  for (const auto& [first, last] : ends) {
    if (first > end) {
      acg::Segment& gap = found.emplace_back();
      gap.name = "gap " + std::to_string(end);
      gap.kind = acg::SegmentKind::kIntermediate;
      gap.address = end;
      gap.size = first - end;
    }
    end = std::max(end, last);
  }
  return found;
}

/// The digits program. What no run reads, or writes before it reads, begins as noise, so that stray reads show.
acg::Program compile_digits(const std::string& style,
                            const std::vector<std::pair<std::string, std::string>>& settings = {}) {
  const Result<acg::Machine> machine = acg::load_machine("genesys", settings);
  Result<acg::Program> program =
      compiler::compile(source_folder() + "/examples/01_digits/digits_" + style + ".onnx", *machine);
  EXPECT_TRUE(program) << render(program.error());
  for (acg::Segment& gap : gaps(*program)) program->segments.push_back(std::move(gap));
  uint32_t noise = 1;
  for (acg::Segment& segment : program->segments) {
    if (segment.kind != acg::SegmentKind::kIntermediate && segment.kind != acg::SegmentKind::kOutput) continue;
    while (segment.data.size() < segment.size) {
      noise = noise * 1664525U + 1013904223U;
      segment.data.push_back(static_cast<uint8_t>(noise >> 24));
    }
  }
  return *program;
}

/// The same words with another scale in every channel: models with one scale per tensor do not show which one is read.
acg::Program with_uneven_scales(acg::Program program) {
  for (acg::Segment& segment : program.segments) {
    if (!segment.name.ends_with("/s")) continue;
    for (size_t i = 0; i + 4 <= segment.data.size(); i += 4) {
      float scale = 0;
      std::memcpy(&scale, &segment.data[i], 4);
      scale *= 1.0F + static_cast<float>(i) / 256.0F;
      std::memcpy(&segment.data[i], &scale, 4);
    }
  }
  return program;
}

/// The place of a word: its block and group.
struct Home {
  size_t block = 0;
  bool is_header = true;
  uint32_t engine = 0;
  size_t instruction = 0;  ///< within the group
};

class Digits {
 public:
  Digits(acg::Program program) : program_(std::move(program)), codec_(program_.machine) {
    words_ = acg::instruction_words(program_);
    for (size_t b = 0; b < program_.blocks.size(); ++b) find_homes(b);
    baseline_ = run(program_);
    uneven_ = with_uneven_scales(program_);
    uneven_baseline_ = run(uneven_);
  }

  acg::Program turned(size_t word, uint32_t mask) const { return turned(program_, word, mask); }

  /// Tried again with other scales if it has none on the model's own.
  bool has_effect(const Outcome& outcome, size_t word, uint32_t mask) const {
    return outcome != baseline_ || run(turned(uneven_, word, mask)) != uneven_baseline_;
  }

  static acg::Program turned(const acg::Program& program, size_t word, uint32_t mask) {
    acg::Program copy = program;
    for (acg::Segment& segment : copy.segments) {
      if (segment.kind != acg::SegmentKind::kInstructions) continue;
      for (uint32_t byte = 0; byte < 4; ++byte) {
        segment.data[word * 4 + byte] ^= static_cast<uint8_t>(mask >> (8 * byte));
      }
    }
    return copy;
  }

  std::string refusal(size_t word, uint32_t mask) const { return run(turned(word, mask)).refused; }

  /// Why the word means the same with the bits of `mask` turned; empty if it should not.
  std::string reason(size_t word, uint32_t mask) const {
    const Home& home = homes_.at(word);
    const auto turned = codec_.decode(words_[word] ^ mask);
    if (home.is_header || !turned) return "";
    const std::vector<Instruction>& code = groups_.at({home.block, home.engine});
    std::vector<Instruction> other = code;
    other[home.instruction] = turned->instruction;
    if (compiler::stream::effects(code, program_.machine) == compiler::stream::effects(other, program_.machine)) {
      return "no command looks at it, or what it names instead holds the same";
    }
    const bool same =
        test::is_same_value(program_, code, {home.block, home.instruction}, turned->instruction, image_after());
    return same ? "changes no value of this run" : "";
  }

  const acg::Program& program() const { return program_; }
  const acg::Codec& codec() const { return codec_; }
  const std::vector<acg::InstructionWord>& words() const { return words_; }
  const std::map<size_t, Home>& homes() const { return homes_; }
  const Outcome& baseline() const { return baseline_; }

 private:
  void find_homes(size_t block) {
    const acg::Block& at = program_.blocks[block];
    size_t word = at.first_word;
    while (word < at.first_word + at.words) {
      const auto header = codec_.decode(words_[word]);
      homes_[word++] = Home{block, true, 0, 0};
      if (header->instruction.operation != Operation::kGroup) continue;
      const auto engine = static_cast<uint32_t>(header->instruction.operands[0]);
      for (int32_t i = 0; i < header->instruction.operands[1]; ++i) {
        std::vector<Instruction>& group = groups_[{block, engine}];
        homes_[word] = Home{block, false, engine, group.size()};
        group.push_back(codec_.decode(words_[word++])->instruction);
      }
    }
  }

  /// Off-chip memory when all blocks have run: tensors are written once, so each block finds in it what it has read.
  const std::vector<uint8_t>& image_after() const {
    if (image_.empty()) {
      const Result<runtime::Session> session = runtime::Session::open(program_, "interpret");
      image_ = session->run(image_for(program_), {{}, true})->memory;
    }
    return image_;
  }

  acg::Program program_;
  acg::Codec codec_;
  std::vector<acg::InstructionWord> words_;
  std::map<size_t, Home> homes_;
  std::map<std::pair<size_t, uint32_t>, std::vector<Instruction>> groups_;
  Outcome baseline_;
  acg::Program uneven_;
  Outcome uneven_baseline_;
  mutable std::vector<uint8_t> image_;
};

class BitFlip : public ::testing::TestWithParam<std::string> {};

TEST_P(BitFlip, EveryFieldMattersOrIsDead) {
  const Digits digits(compile_digits(GetParam()));
  ASSERT_EQ(digits.baseline().refused, "");
  std::map<std::string, size_t> refusals;
  std::map<std::string, std::vector<std::string>> dead;
  size_t fields = 0;
  size_t effective = 0;
  for (const auto& [word, home] : digits.homes()) {
    const auto decoded = digits.codec().decode(digits.words()[word]);
    ASSERT_TRUE(decoded);
    const acg::Mnemonic& mnemonic = digits.program().machine.mnemonics[decoded->mnemonic];
    const auto layout = digits.codec().layout(decoded->mnemonic);
    bool word_matters = false;
    for (size_t f = 0; f < mnemonic.fields.size(); ++f) {
      const acg::Field& field = mnemonic.fields[f];
      const uint32_t mask = uint32_t{1} << layout[f].low;
      const Outcome outcome = run(digits.turned(word, mask));
      const bool has_effect = digits.has_effect(outcome, word, mask);
      if (!outcome.refused.empty()) ++refusals[outcome.refused];
      word_matters = word_matters || has_effect;
      ++fields;
      effective += has_effect ? 1 : 0;
      if (has_effect) continue;
      const std::string why = digits.reason(word, mask);
      const std::string what = digits.program().blocks[home.block].layer + ": " +
                               digits.codec().disassemble(digits.words()[word]) + ": " + field.name;
      EXPECT_NE(why, "") << "word " << word << ", " << what << " has no effect, and nothing says why";
      dead[why].push_back(what);
    }
    EXPECT_TRUE(word_matters) << "word " << word << ": " << digits.codec().disassemble(digits.words()[word]);
  }
  EXPECT_GT(effective, fields * 3 / 4);
  std::cout << GetParam() << ": " << digits.homes().size() << " words, " << fields << " fields, " << effective
            << " with an effect\n";
  for (const auto& [code, count] : refusals) std::cout << "  refused " << code << ": " << count << "\n";
  for (const auto& [why, list] : dead) {
    std::cout << "  dead, " << why << ": " << list.size() << "\n";
    for (const std::string& what : list) std::cout << "    " << what << "\n";
  }
}

/// Bits that no field covers.
uint32_t reserved_bits(const acg::Machine& machine, const acg::Codec& codec, uint32_t mnemonic) {
  uint32_t covered = machine.opcode_bits == 0 ? 0 : ~uint32_t{0} << (machine.word_bits - machine.opcode_bits);
  for (const auto& bits : codec.layout(mnemonic)) {
    covered |= static_cast<uint32_t>(((uint64_t{1} << bits.width) - 1) << bits.low);
  }
  return ~covered;
}

TEST_P(BitFlip, ReservedBitsAreRefused) {
  const Digits digits(compile_digits(GetParam()));
  std::set<uint32_t> seen;  // one word of every mnemonic
  size_t bits = 0;
  for (const auto& [word, home] : digits.homes()) {
    const auto decoded = digits.codec().decode(digits.words()[word]);
    if (!seen.insert(decoded->mnemonic).second) continue;
    const uint32_t reserved = reserved_bits(digits.program().machine, digits.codec(), decoded->mnemonic);
    for (uint32_t bit = 0; bit < 32; ++bit) {
      if ((reserved >> bit & 1U) == 0) continue;
      ++bits;
      EXPECT_NE(digits.refusal(word, uint32_t{1} << bit), "") << digits.codec().disassemble(digits.words()[word]);
    }
  }
  EXPECT_GT(bits, 0U);
}

/// Turned address bits make engines meet where no token orders them: refused as races, not run.
TEST(BitFlipRaces, AreCaught) {
  const Digits digits(compile_digits("qdq", {{"input_depth", "64"}, {"vector_depth", "64"}, {"output_depth", "32"}}));
  ASSERT_EQ(digits.baseline().refused, "");
  size_t races = 0;
  for (const auto& [word, home] : digits.homes()) {
    const auto decoded = digits.codec().decode(digits.words()[word]);
    if (decoded->instruction.operation != Operation::kBase) continue;
    const size_t value = acg::operand_index(Operation::kBase, "operand");
    if (decoded->instruction.operands[value] != static_cast<int32_t>(acg::AddressOperand::kOffchip)) continue;
    for (uint32_t bit = 5; bit < 16; ++bit) {
      races += digits.refusal(word, uint32_t{1} << bit) == "SIM0050" ? 1 : 0;
    }
  }
  EXPECT_GE(races, 3U);
}

INSTANTIATE_TEST_SUITE_P(Digits, BitFlip, ::testing::Values("qdq", "qoperator"),
                         [](const auto& parameter) { return parameter.param; });

}  // namespace
}  // namespace covenant
