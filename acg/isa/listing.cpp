#include "acg/isa/listing.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "acg/graph/queries.h"
#include "acg/isa/encode.h"

namespace covenant::acg {
namespace {

struct Stream {
  uint64_t address = 0;  ///< of word 0
  std::vector<uint32_t> words;
};

Stream stream_of(const Program& program) {
  Stream stream;
  stream.words = instruction_words(program);
  for (const Segment& segment : program.segments) {
    if (segment.kind == SegmentKind::kInstructions) stream.address = segment.address;
  }
  return stream;
}

std::string engine_name(const std::vector<Engine>& engines, const Instruction& group) {
  const auto index = static_cast<size_t>(group.operands[operand_index(Operation::kGroup, "engine")]);
  return index < engines.size() ? engines[index].name : fmt::format("engine {}", index);
}

std::string block_text(const Block& block, const Stream& stream, const Codec& codec,
                       const std::vector<Engine>& engines) {
  std::string text;
  uint64_t left_in_group = 0;
  const uint64_t end = std::min<uint64_t>(block.first_word + block.words, stream.words.size());
  for (uint64_t i = block.first_word; i < end; ++i) {
    const uint32_t word = stream.words[i];
    const Result<Codec::Decoded> decoded = codec.decode(word);
    std::string indent = "  ";
    if (left_in_group > 0) {
      --left_in_group;
      indent = "    ";
    } else if (decoded && decoded->instruction.operation == Operation::kGroup) {
      const Instruction& group = decoded->instruction;
      left_in_group = static_cast<uint64_t>(group.operands[operand_index(Operation::kGroup, "count")]);
      text += fmt::format("\n  {}: {} words\n", engine_name(engines, group), left_in_group);
    }
    text += fmt::format("{:08x}  {:08x}{}{}\n", stream.address + 4 * i, word, indent, codec.disassemble(word));
  }
  return text;
}

}  // namespace

std::string disassemble(const Program& program) {
  const Codec codec(program.machine);
  const std::vector<Engine> all_engines = engines(program.machine);
  const Stream stream = stream_of(program);
  std::string text = fmt::format("# {} on {}{}{}: {} blocks, {} words\n", program.model, program.machine.name,
                                 program.machine.preset.empty() ? "" : ":", program.machine.preset,
                                 program.blocks.size(), stream.words.size());
  for (size_t i = 0; i < program.blocks.size(); ++i) {
    const Block& block = program.blocks[i];
    text += fmt::format("\nblock {} {} ({}): words {}..{}\n", i, block.layer, block.operation, block.first_word,
                        block.first_word + block.words - (block.words > 0 ? 1 : 0));
    text += block_text(block, stream, codec, all_engines);
  }
  return text;
}

}  // namespace covenant::acg
