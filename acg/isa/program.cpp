#include "acg/isa/program.h"

#include "acg/base/check.h"

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

std::vector<uint32_t> instruction_words(const Program& program) {
  std::vector<uint32_t> words;
  const Segment* stream = nullptr;
  for (const Segment& segment : program.segments) {
    if (segment.kind != SegmentKind::kInstructions) continue;
    check(stream == nullptr, "a program with two instruction streams");
    stream = &segment;
  }
  if (stream == nullptr) return words;
  check(stream->data.size() % 4 == 0, "an instruction stream that is not whole words");
  words.reserve(stream->data.size() / 4);
  for (size_t i = 0; i < stream->data.size(); i += 4) {
    uint32_t word = 0;
    for (size_t byte = 0; byte < 4; ++byte) word |= uint32_t{stream->data[i + byte]} << (8 * byte);
    words.push_back(word);
  }
  return words;
}

}  // namespace covenant::acg
