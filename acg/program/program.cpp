#include "acg/program/program.h"

#include <span>

#include "acg/base/check.h"
#include "acg/encoding/word_text.h"
#include "acg/graph/queries.h"

namespace covenant::acg {

std::optional<uint64_t> size_in_memory(const TensorBinding& binding) {
  uint64_t size = 0;
  const bool overflow = __builtin_mul_overflow(binding.elements, uint64_t{bytes(binding.dtype)}, &size);
  return overflow ? std::nullopt : std::optional(packed_bytes(binding.dtype, binding.elements));
}

uint64_t steps_to(const std::vector<Stride>& strides, uint64_t index) {
  uint64_t elements = 0;
  for (size_t i = strides.size(); i-- > 1;) {
    elements += index % strides[i].count * strides[i].stride;
    index /= strides[i].count;
  }
  return elements + index * strides.front().stride;
}

std::vector<MemoryRange> memory_ranges(const Program& program) {
  if (!program.ranges.empty()) return program.ranges;
  std::vector<MemoryRange> ranges;
  for (uint32_t i = 0; i < program.machine.memories.size(); ++i) {
    if (program.machine.memories[i].kind != MemoryKind::kOffchip) continue;
    ranges.push_back({MemoryId{i}, 0, program.memory_bytes});
  }
  check(ranges.size() <= 1, "a program says what each of several off-chip memories holds");
  return ranges;
}

uint64_t entry_address(const Program& program) {
  const MemoryId source = instruction_source(program.machine);
  for (const MemoryRange& range : memory_ranges(program)) {
    if (range.memory == source) return program.entry - range.first;
  }
  fail("words are fetched from off-chip memory");
}

std::vector<InstructionWord> instruction_words(const Program& program) {
  std::vector<InstructionWord> words;
  const Segment* stream = nullptr;
  for (const Segment& segment : program.segments) {
    if (segment.kind != SegmentKind::kInstructions) continue;
    check(stream == nullptr, "a program with two instruction streams");
    stream = &segment;
  }
  if (stream == nullptr) return words;
  const size_t word_bytes = program.machine.word_bytes();
  check(stream->data.size() % word_bytes == 0, "an instruction stream that is not whole words");
  words.reserve(stream->data.size() / word_bytes);
  const std::span<const uint8_t> data = stream->data;
  for (size_t i = 0; i < data.size(); i += word_bytes) words.push_back(word_of_bytes(data.subspan(i, word_bytes)));
  return words;
}

}  // namespace covenant::acg
