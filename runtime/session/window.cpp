#include "runtime/session/window.h"

#include <span>

#include "acg/base/check.h"
#include "acg/encoding/word_text.h"
#include "acg/isa/encode.h"

namespace covenant::runtime {
namespace {

uint64_t stream_address(const acg::Program& program) {
  for (const acg::Segment& segment : program.segments) {
    if (segment.kind == acg::SegmentKind::kInstructions) return segment.address;
  }
  fail("a program without instructions");
}

void put_word(std::vector<uint8_t>& memory, uint64_t address, const acg::InstructionWord& word, uint32_t word_bytes) {
  for (uint32_t i = 0; i < word_bytes; ++i) memory.at(address + i) = word.byte(i);
}

acg::InstructionWord get_word(const std::vector<uint8_t>& memory, uint64_t address, uint32_t word_bytes) {
  return acg::word_of_bytes(std::span(memory).subspan(address, word_bytes));
}

}  // namespace

Result<Window> window_of(const acg::Program& program, size_t first, size_t last) {
  check(first <= last && last < program.blocks.size(), "a window of blocks that there are");
  const acg::Codec codec(program.machine);
  acg::Instruction end;
  end.operation = acg::Operation::kBlockEnd;
  end.operands.at(acg::operand_index(end.operation, "last")) = 1;
  const Result<acg::InstructionWord> word = codec.encode(end);
  if (!word) return word.error();
  const uint64_t stream = stream_address(program);
  Window window{program, stream + program.machine.word_bytes() * last_word(program.blocks[last]), *word};
  window.program.entry = stream + program.machine.word_bytes() * program.blocks[first].first_word;
  window.program.blocks.assign(program.blocks.begin() + static_cast<std::ptrdiff_t>(first),
                               program.blocks.begin() + static_cast<std::ptrdiff_t>(last) + 1);
  return window;
}

acg::InstructionWord end_stream(const Window& window, std::vector<uint8_t>& memory) {
  const uint32_t word_bytes = window.program.machine.word_bytes();
  const acg::InstructionWord word = get_word(memory, window.end_address, word_bytes);
  put_word(memory, window.end_address, window.end_word, word_bytes);
  return word;
}

void resume_stream(const Window& window, const acg::InstructionWord& word, std::vector<uint8_t>& memory) {
  put_word(memory, window.end_address, word, window.program.machine.word_bytes());
}

}  // namespace covenant::runtime
