/// Tiny workloads and instructions, drawn at random.
#pragma once

#include <random>
#include <string>

#include "compiler/embedding/instruction.h"
#include "compiler/embedding/workload.h"

namespace covenant::test {

/// At most `most` instances: a sum of products or lanes of an elementwise function, over axes that index any of the
/// operands; some of them taps of others.
compiler::embedding::Workload random_workload(std::mt19937_64& random, const std::string& compute, int64_t most);

/// An instruction of at most `most` instances: GEMM, MAC, or ADD.
compiler::embedding::Instruction random_instruction(std::mt19937_64& random, int64_t most);

/// As a formula: `GEMM out[a] x[a + b*2] w[b] constant; a 2, b 3`.
std::string text_of(const compiler::embedding::Workload& workload);

}  // namespace covenant::test
