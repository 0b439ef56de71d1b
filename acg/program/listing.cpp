#include "acg/program/listing.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"
#include "acg/isa/encode.h"
#include "acg/isa/vliw/packet.h"
#include "acg/program/packet_program.h"

namespace covenant::acg {
namespace {

struct Stream {
  uint64_t address = 0;  ///< address of word 0
  std::vector<InstructionWord> words;
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

/// Lists the words of a program, with everything that is needed to decode them.
class Listing {
 public:
  explicit Listing(const Program& program)
      : program_(program), codec_(program.machine), engines_(engines(program.machine)), stream_(stream_of(program)) {}

  size_t words() const { return stream_.words.size(); }

  std::string block_text(size_t index) const {
    const Block& block = program_.blocks[index];
    std::string text = fmt::format("\nblock {} {} ({}): words {}..{}\n", index, block.layer, block.operation,
                                   block.first_word, block.first_word + block.words - (block.words > 0 ? 1 : 0));
    const uint64_t end = block.first_word + block.words;
    return text + (is_of_packets(program_) ? packet_lines(block.first_word, end) : word_lines(block));
  }

  /// For a program of packets: the code at its end that returns to the caller.
  std::string return_text() const {
    const uint64_t first =
        program_.blocks.empty() ? 0 : program_.blocks.back().first_word + program_.blocks.back().words;
    const std::string text = is_of_packets(program_) ? packet_lines(first, words()) : "";
    return text.empty() ? "" : "\nreturn\n" + text;
  }

 private:
  std::string word_lines(const Block& block) const {
    std::string text;
    uint64_t left_in_group = 0;
    const uint64_t end = std::min<uint64_t>(block.first_word + block.words, stream_.words.size());
    for (uint64_t i = block.first_word; i < end; ++i) {
      const InstructionWord& word = stream_.words[i];
      const Result<Codec::Decoded> decoded = codec_.decode(word);
      std::string indent = "  ";
      if (left_in_group > 0) {
        --left_in_group;
        indent = "    ";
      } else if (decoded && decoded->instruction.operation == Operation::kGroup) {
        const Instruction& group = decoded->instruction;
        left_in_group = static_cast<uint64_t>(group.operands[operand_index(Operation::kGroup, "count")]);
        text += fmt::format("\n  {}: {} words\n", engine_name(engines_, group), left_in_group);
      }
      text += fmt::format("{:08x}  {}{}{}\n", stream_.address + program_.machine.word_bytes() * i,
                          hex(word, program_.machine.word_bits), indent, codec_.disassemble(word));
    }
    return text;
  }

  /// Addresses are those of the core's address space.
  std::string packet_lines(uint64_t first, uint64_t end) const {
    const PacketCodec codec(program_.machine);
    std::string text;
    end = std::min<uint64_t>(end, stream_.words.size());
    for (uint64_t i = first; i < end;) {
      const std::span<const InstructionWord> left = std::span(stream_.words).subspan(i, end - i);
      const auto address = static_cast<uint32_t>(kImageAddress + stream_.address + program_.machine.word_bytes() * i);
      const Result<PacketCodec::Decoded> decoded =
          codec.decode(left.first(std::min<size_t>(left.size(), program_.machine.packet.words)));
      text += decoded ? fmt::format("{:08x}  {}\n", address, codec.disassemble(decoded->packet, address))
                      : fmt::format("{:08x}  .word 0x{}\n", address, hex(left.front(), program_.machine.word_bits));
      i += decoded ? decoded->words : 1;
    }
    return text;
  }

  const Program& program_;
  Codec codec_;
  std::vector<Engine> engines_;
  Stream stream_;
};

}  // namespace

std::string disassemble(const Program& program) {
  const Listing listing(program);
  std::string text = fmt::format("# {} on {}{}{}: {} blocks, {} words\n", program.model, program.machine.name,
                                 program.machine.preset.empty() ? "" : ":", program.machine.preset,
                                 program.blocks.size(), listing.words());
  for (size_t i = 0; i < program.blocks.size(); ++i) text += listing.block_text(i);
  return text + listing.return_text();
}

std::string disassemble_block(const Program& program, size_t block) { return Listing(program).block_text(block); }

}  // namespace covenant::acg
