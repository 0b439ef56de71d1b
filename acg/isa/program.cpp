#include "acg/isa/program.h"

#include <span>

#include "acg/base/check.h"
#include "acg/isa/word_text.h"

namespace covenant::acg {

std::optional<uint64_t> size_in_memory(const TensorBinding& binding) {
  uint64_t size = 0;
  const bool overflow = __builtin_mul_overflow(binding.elements, uint64_t{bytes(binding.dtype)}, &size);
  return overflow ? std::nullopt : std::optional(size);
}

uint64_t steps_to(const std::vector<Stride>& strides, uint64_t index) {
  uint64_t elements = 0;
  for (size_t i = strides.size(); i-- > 1;) {
    elements += index % strides[i].count * strides[i].stride;
    index /= strides[i].count;
  }
  return elements + index * strides.front().stride;
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
