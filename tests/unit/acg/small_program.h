/// A program with every part filled, small enough that each of its bits can be flipped.
#pragma once

#include <string>
#include <vector>

#include "acg/encoding/word_text.h"
#include "acg/isa/encode.h"
#include "acg/program/program.h"
#include "tests/unit/acg/small_machine.h"

namespace covenant::acg::testing {

inline std::vector<uint8_t> assembled(const Machine& machine, const std::vector<std::string>& lines) {
  const Codec codec(machine);
  std::vector<uint8_t> bytes;
  for (const std::string& line : lines) {
    const Result<InstructionWord> word = codec.assemble(line);
    EXPECT_TRUE(word) << line;
    append_bytes(bytes, word ? *word : InstructionWord(), machine.word_bits);
  }
  return bytes;
}

/// Two blocks of words, a constant, an input and an output with a scale that has no short decimal form.
inline Program small_program() {
  Program program;
  program.machine = parsed(kSmallMachine);
  program.model = "tiny.onnx";
  program.entry = 64;
  program.memory_bytes = 4096;
  const std::vector<uint8_t> words =
      assembled(program.machine, {"GROUP DRAM->IN, 2", "FILL 7", "LIMIT ROW, 28", "GROUP SIMD, 1", "STRIDE OUT, 0, -1",
                                  "BLOCK_END 0", "GROUP OUT->DRAM, 1", "FILL 0", "BLOCK_END 1", ".word 0x00000000"});
  program.segments = {{"instructions", SegmentKind::kInstructions, 64, words.size(), words},
                      {"weights", SegmentKind::kConstant, 128, 5, {1, 2, 3, 254, 255}},
                      {"x", SegmentKind::kInput, 256, 64, {}},
                      {"y", SegmentKind::kOutput, 320, 8, {}}};
  TensorBinding input{"x", DType::kU8, {1, 3, 4, 4}, {{{1, 64}}, {{3, 1}}, {{4, 16}}, {{2, 8}, {2, 4}}}, 0, 64, 128,
                      256, true,       {0.1F, 128}};
  TensorBinding output{"y", DType::kI8, {1, 5}, {{{1, 8}}, {{5, 1}}}, 0, 8, 0, 320, false, {1.0F / 3.0F, -7}};
  program.inputs = {input};
  program.outputs = {output};
  program.blocks = {{"conv1", "conv", 0, 6, 1000, 20, "cdlt conv { }\n", {{"a", "x"}, {"w", "weights"}}},
                    {"add \xc3\xa9\"2\"", "add", 6, 3, 0, 8, "cdlt add { }\n", {{"out", "y"}}}};
  return program;
}

}  // namespace covenant::acg::testing
