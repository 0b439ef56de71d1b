/// Fields whose bit is read, but changes no byte for the values of one run: bounds that nothing reaches, a scale whose
/// last bit is rounded away. Found by running the scheduled codelet with the same change in the interpreter.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/program/program.h"

namespace covenant::test {

/// A word of one block's SIMD group: `instruction` counts from the group's first word after its header.
struct SimdWord {
  size_t block = 0;
  size_t instruction = 0;
};

/// True if replacing the word by `turned` only changes a bound, a zero point, an immediate or the function of a
/// compute, and if the block's codelet with the same change computes the same tensors from `memory` (an image with all
/// tensors of the run). `code`: the SIMD group of the block.
bool is_same_value(const acg::Program& program, const std::vector<acg::Instruction>& code, const SimdWord& word,
                   const acg::Instruction& turned, const std::vector<uint8_t>& memory);

}  // namespace covenant::test
