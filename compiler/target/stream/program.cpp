#include "compiler/target/stream/program.h"

#include <optional>

#include "acg/base/check.h"
#include "acg/isa/word_text.h"
#include "compiler/network/assemble.h"
#include "compiler/target/stream/block.h"
#include "compiler/target/stream/block_plan.h"
#include "compiler/target/stream/encode.h"
#include "compiler/target/stream/verify.h"

namespace covenant::compiler::stream {
namespace {

Result<std::vector<uint8_t>> words_of(std::vector<PlacedLayer>& layers, const MemoryPlan& map,
                                      const acg::Machine& machine) {
  const acg::Codec codec(machine);
  const uint64_t aligned_words = instruction_alignment(machine) / machine.word_bytes();
  std::vector<acg::InstructionWord> stream;
  for (PlacedLayer& placed : layers) {
    const std::string& name = placed.layer.layer.name;
    const Result<BlockCode> code = generate(placed.scheduled, machine, placed.addresses, name);
    if (!code) return code.error();
    const std::optional<std::string> problem =
        find_problem(*code, machine, [&](acg::MemoryId memory) { return map.end(memory); });
    check(!problem, name + ": " + problem.value_or(""));
    const bool is_last = &placed == &layers.back();
    const Result<std::vector<acg::InstructionWord>> words = encode_block(*code, machine, codec, is_last, name);
    if (!words) return words.error();
    while (stream.size() % aligned_words != 0) stream.emplace_back();
    placed.block.first_word = stream.size();
    placed.block.words = words->size();
    stream.insert(stream.end(), words->begin(), words->end());
  }
  std::vector<uint8_t> data;
  for (const acg::InstructionWord& word : stream) append_bytes(data, word, machine.word_bits);
  return data;
}

}  // namespace

Result<acg::Program> make_program(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                                  const acg::Machine& machine, const std::string& model) {
  return assemble(network, scheduled, machine, model, [&](std::vector<PlacedLayer>& layers, const MemoryPlan& map) {
    return words_of(layers, map, machine);
  });
}

}  // namespace covenant::compiler::stream
