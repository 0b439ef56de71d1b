#include "acg/program/listing.h"

#include <fmt/format.h>

#include "acg/program/code.h"

namespace covenant::acg {
namespace {

WordStream stream_of(const Program& program) {
  WordStream stream;
  stream.words = instruction_words(program);
  for (const Segment& segment : program.segments) {
    if (segment.kind == SegmentKind::kInstructions) stream.address = segment.address;
  }
  return stream;
}

/// Lists the blocks of a program, with everything that is needed to decode them.
class Listing {
 public:
  explicit Listing(const Program& program)
      : program_(program), stream_(stream_of(program)), code_(code_of(program.machine).listing(program, stream_)) {}

  size_t words() const { return stream_.words.size(); }

  std::string block_text(size_t index) const {
    const Block& block = program_.blocks[index];
    const uint64_t end = block.first_word + block.words;
    return fmt::format("\nblock {} {} ({}): words {}..{}\n", index, block.layer, block.operation, block.first_word,
                       end - (block.words > 0 ? 1 : 0)) +
           code_->block_text(block.first_word, end);
  }

  /// The words after the last block.
  std::string rest_text() const {
    return code_->rest_text(program_.blocks.empty() ? 0
                                                    : program_.blocks.back().first_word + program_.blocks.back().words);
  }

 private:
  const Program& program_;
  WordStream stream_;
  std::unique_ptr<CodeListing> code_;
};

}  // namespace

std::string disassemble(const Program& program) {
  const Listing listing(program);
  std::string text = fmt::format("# {} on {}{}{}: {} blocks, {} words\n", program.model, program.machine.name,
                                 program.machine.preset.empty() ? "" : ":", program.machine.preset,
                                 program.blocks.size(), listing.words());
  for (size_t i = 0; i < program.blocks.size(); ++i) text += listing.block_text(i);
  return text + listing.rest_text();
}

std::string disassemble_block(const Program& program, size_t block) { return Listing(program).block_text(block); }

}  // namespace covenant::acg
