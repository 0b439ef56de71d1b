/// The work of one engine in one block before it becomes words: commands with the settings they need, loops, tokens.
#pragma once

#include <cstdint>
#include <set>
#include <variant>
#include <vector>

#include "acg/operations/operation.h"
#include "compiler/families/stream/setting.h"

namespace covenant::compiler::stream {

/// A load, store, gemm or SIMD nest, with all settings that it needs.
struct Command {
  acg::Instruction word;
  Settings needs;
  std::set<uint32_t> reductions;  ///< levels of open loops over which the command resumes
};

/// A wait or post.
struct Token {
  acg::Instruction word;
};

struct Step;

/// A loop with more than one iteration; loops of one iteration generate no words.
struct StepLoop {
  uint32_t level = 0;
  uint64_t trips = 1;
  std::vector<Step> body;
};

struct Step {
  std::variant<Command, Token, StepLoop> step;
};

}  // namespace covenant::compiler::stream
