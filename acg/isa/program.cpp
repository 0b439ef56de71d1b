#include "acg/isa/program.h"

#include "acg/base/check.h"
#include "acg/base/rounding.h"

namespace covenant::acg {

std::optional<uint64_t> size_in_memory(const TensorBinding& binding) {
  const size_t rank = binding.shape.size();
  uint64_t size = bytes(binding.dtype);
  bool overflow = false;
  const auto multiply = [&](uint64_t factor) { overflow = overflow || __builtin_mul_overflow(size, factor, &size); };
  for (size_t i = 0; i < rank; ++i) {
    if (i == 1 && (rank == 2 || rank == 4)) {
      multiply(binding.padded_channels);
    } else if (i == 2 && rank == 4) {
      multiply(ceil_divide(binding.shape[i], binding.row_group));
      multiply(binding.row_group);
    } else {
      multiply(i == 3 && rank == 4 && binding.row_pixels > 0 ? binding.row_pixels : binding.shape[i]);
    }
  }
  return overflow ? std::nullopt : std::optional(size);
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
