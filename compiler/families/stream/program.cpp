#include "compiler/families/stream/program.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "acg/base/check.h"
#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/packing.h"
#include "compiler/emission/assemble.h"
#include "compiler/emission/layer_results.h"
#include "compiler/families/fixed_scales.h"
#include "compiler/families/stream/block.h"
#include "compiler/families/stream/block_plan.h"
#include "compiler/families/stream/encode.h"
#include "compiler/families/stream/verify.h"

namespace covenant::compiler::stream {
namespace {

/// Adds fixed-point scales as fractions. The original constant is kept beside them, since the codelet refers to it.
Result<std::map<std::string, uint64_t>> with_fractions(const AddressedLayer& placed, MemoryPlan& map,
                                                       const acg::Machine& machine) {
  std::map<std::string, uint64_t> addresses = placed.addresses;
  for (const auto& [name, constant] : placed.layer.constants) {
    const codelet::Surrogate& surrogate = surrogate_named(placed.scheduled, name);
    const std::optional<int32_t> shift = shift_of(placed.scheduled, name);
    if (surrogate.dtype != DType::kF32 || !shift) continue;
    std::vector<uint8_t> fractions = fractions_of(codelet::to_packed(surrogate, constant.data), *shift);
    const acg::MemoryId memory = acg::find_memory(machine, surrogate.location).value();
    const uint64_t size = fractions.size();
    const Result<uint64_t> address = map.add_in(memory, placed.layer.layer.name + "/" + name + ".fixed",
                                                acg::SegmentKind::kConstant, size, std::move(fractions));
    if (!address) return address.error();
    addresses[name] = *address;
  }
  return addresses;
}

Result<std::vector<uint8_t>> words_of(std::vector<AddressedLayer>& layers, MemoryPlan& map,
                                      const acg::Machine& machine) {
  const acg::Codec codec(machine);
  const uint64_t aligned_words = instruction_alignment(machine) / machine.word_bytes();
  std::vector<acg::InstructionWord> stream;
  for (AddressedLayer& placed : layers) {
    const std::string& name = placed.layer.layer.name;
    const Result<std::map<std::string, uint64_t>> addresses = with_fractions(placed, map, machine);
    if (!addresses) return addresses.error();
    const Result<BlockCode> code = generate(placed.scheduled, machine, *addresses, name);
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

Staged<acg::Program> make_program(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                                  const acg::Machine& machine, const std::string& model) {
  return assemble(network, scheduled, machine, model,
                  [&](std::vector<AddressedLayer>& layers, MemoryPlan& map) { return words_of(layers, map, machine); });
}

}  // namespace covenant::compiler::stream
