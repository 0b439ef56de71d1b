#include "compiler/families/stream/encode.h"

#include <algorithm>
#include <optional>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "acg/isa/word_limits.h"
#include "compiler/families/stream/operand_values.h"

namespace covenant::compiler::stream {
namespace {

const acg::Memory& instruction_memory(const acg::Machine& machine) {
  for (const acg::Memory& memory : machine.memories) {
    if (memory.kind == acg::MemoryKind::kInstruction) return memory;
  }
  fail("a validated machine has an instruction memory");
}

}  // namespace

Result<std::vector<acg::InstructionWord>> encode_block(const BlockCode& code, const acg::Machine& machine,
                                                       const acg::Codec& codec, bool is_last,
                                                       const std::string& layer) {
  std::vector<acg::InstructionWord> words;
  std::optional<Diagnostic> error;
  const auto put = [&](const acg::Instruction& instruction) {
    const Result<acg::InstructionWord> word = codec.encode(instruction);
    if (word) {
      words.push_back(*word);
    } else if (!error) {
      error = word.error();
      error->subject = layer;
    }
  };
  const std::vector<acg::Engine> engines = acg::engines(machine);
  check(code.size() == engines.size(), "a block has instructions for every engine");
  const auto counted = static_cast<uint64_t>(acg::word_limits(machine).group_words);
  const uint64_t depth = std::min(instruction_memory(machine).depth, counted);
  for (uint32_t engine = 0; engine < code.size(); ++engine) {
    if (code[engine].empty()) continue;
    if (code[engine].size() > depth) {
      return Diagnostic{
          "GEN0012",
          {},
          layer,
          "engine " + engines[engine].name + " needs more words than its instruction memory holds or a group counts",
          std::to_string(code[engine].size()),
          {"at most " + std::to_string(depth)},
          depth < counted ? "enlarge the instruction memory of the machine" : "widen the field for `count` in the ACG"};
    }
    put(instruction(acg::Operation::kGroup,
                    {{"engine", engine}, {"count", static_cast<int64_t>(code[engine].size())}}));
    for (const acg::Instruction& word : code[engine]) put(word);
  }
  put(instruction(acg::Operation::kBlockEnd, {{"last", is_last ? 1 : 0}}));
  if (error) return *error;
  return words;
}

}  // namespace covenant::compiler::stream
