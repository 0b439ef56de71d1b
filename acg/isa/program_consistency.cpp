#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "acg/graph/queries.h"
#include "acg/isa/program_header.h"

namespace covenant::acg {
namespace {

[[noreturn]] void contradiction(const SourceLocation& where, std::string subject, std::string message,
                                std::string offending, std::vector<std::string> allowed = {}) {
  throw Failure{{"PRG0006", where, std::move(subject), std::move(message), std::move(offending), std::move(allowed),
                 "compile the model again"}};
}

/// Is `size` bytes from `address` on within `limit` bytes?
bool fits(uint64_t address, uint64_t size, uint64_t limit) { return address <= limit && size <= limit - address; }

void check_memory(const Program& program, const SourceLocation& where) {
  const std::vector<Memory>& memories = program.machine.memories;
  const auto offchip = std::find_if(memories.begin(), memories.end(),
                                    [](const Memory& memory) { return memory.kind == MemoryKind::kOffchip; });
  if (offchip == memories.end()) contradiction(where, "machine", "it has no off-chip memory to hold a program", "");
  if (program.memory_bytes > offchip->buffer_bytes()) {
    contradiction(where, "memory_bytes", "more than the off-chip memory holds", fmt::format("{}", program.memory_bytes),
                  {fmt::format("0..{}", offchip->buffer_bytes())});
  }
}

void check_segments(const Program& program, const SourceLocation& where) {
  const Segment* stream = nullptr;
  std::set<std::string> names;
  for (const Segment& segment : program.segments) {
    const std::string subject = "segment " + segment.name;
    if (!names.insert(segment.name).second) contradiction(where, subject, "a segment said twice", segment.name);
    if (!fits(segment.address, segment.size, program.memory_bytes)) {
      contradiction(where, subject, "it lies past the end of the program's memory",
                    fmt::format("{} bytes at {}", segment.size, segment.address),
                    {fmt::format("0..{}", program.memory_bytes)});
    }
    if (!segment.data.empty() && segment.data.size() != segment.size) {
      contradiction(where, subject, "its data are not as long as it is", fmt::format("{} bytes", segment.data.size()),
                    {"0 bytes", fmt::format("{} bytes", segment.size)});
    }
    if (segment.kind != SegmentKind::kInstructions) continue;
    if (stream != nullptr) contradiction(where, subject, "a second segment of instructions", segment.name);
    if (segment.data.size() % 4 != 0) {
      contradiction(where, subject, "instructions are not whole words", fmt::format("{} bytes", segment.data.size()));
    }
    stream = &segment;
  }
  const bool inside = stream != nullptr && program.entry >= stream->address &&
                      program.entry - stream->address < std::max<uint64_t>(stream->size, 1);
  if (stream != nullptr && !inside) {
    contradiction(where, "entry", "it lies outside the instructions", fmt::format("{}", program.entry));
  }
  const uint64_t words = stream == nullptr ? 0 : stream->data.size() / 4;
  for (const Block& block : program.blocks) {
    if (fits(block.first_word, block.words, words)) continue;
    contradiction(where, "layer " + block.layer, "its block lies outside the instructions",
                  fmt::format("{} words from word {} on", block.words, block.first_word),
                  {fmt::format("0..{}", words)});
  }
  for (const Block& block : program.blocks) {
    for (const auto& [surrogate, name] : block.bindings) {
      if (!names.contains(name)) contradiction(where, "layer " + block.layer, "it binds an unknown segment", name);
    }
  }
}

void check_binding(const Program& program, const TensorBinding& binding, const SourceLocation& where) {
  const bool has_channels = binding.shape.size() == 2 || binding.shape.size() == 4;
  if (has_channels && binding.padded_channels < binding.shape[1]) {
    contradiction(where, "tensor " + binding.name, "fewer channels in memory than it has",
                  fmt::format("{}", binding.padded_channels), {fmt::format("{} and more", binding.shape[1])});
  }
  const bool has_rows = binding.row_pixels > 0 || binding.left_pixels > 0;
  const bool row_fits = binding.shape.size() == 4 && binding.left_pixels <= binding.row_pixels &&
                        binding.shape[3] <= binding.row_pixels - binding.left_pixels;
  if (binding.row_group == 0 || (binding.row_group > 1 && (!has_rows || binding.row_group > binding.shape[2]))) {
    contradiction(where, "tensor " + binding.name, "its rows do not lie in groups of so many",
                  fmt::format("{}", binding.row_group));
  }
  if (has_rows && !row_fits) {
    contradiction(where, "tensor " + binding.name, "its rows in memory do not hold its pixels",
                  fmt::format("{} pixels, {} of them in front", binding.row_pixels, binding.left_pixels));
  }
  const std::optional<uint64_t> size = size_in_memory(binding);
  if (!size || !fits(binding.address, *size, program.memory_bytes)) {
    contradiction(where, "tensor " + binding.name, "it lies past the end of the program's memory",
                  fmt::format("address {}", binding.address), {fmt::format("0..{}", program.memory_bytes)});
  }
}

}  // namespace

void check_consistent(const Program& program, const SourceLocation& where) {
  check_memory(program, where);
  check_segments(program, where);
  for (const TensorBinding& binding : program.inputs) check_binding(program, binding, where);
  for (const TensorBinding& binding : program.outputs) check_binding(program, binding, where);
}

}  // namespace covenant::acg
