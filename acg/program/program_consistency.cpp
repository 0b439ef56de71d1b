#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "acg/graph/queries.h"
#include "acg/program/program_header.h"

namespace covenant::acg {
namespace {

[[noreturn]] void contradiction(const SourceLocation& where, std::string subject, std::string message,
                                std::string offending, std::vector<std::string> allowed = {}) {
  throw Failure{{"PRG0006", where, std::move(subject), std::move(message), std::move(offending), std::move(allowed),
                 "compile the model again"}};
}

/// True if `size` bytes from `address` on are within `limit` bytes.
bool fits(uint64_t address, uint64_t size, uint64_t limit) { return address <= limit && size <= limit - address; }

/// The start addresses that `size` bytes may have within `limit`, as text; or the largest allowed size.
std::string places_of(uint64_t size, uint64_t limit) {
  return size <= limit ? fmt::format("from 0..{} on", limit - size) : fmt::format("at most {}", limit);
}

/// The range that holds `size` bytes from `address` on, or nothing.
std::optional<MemoryRange> range_around(const Program& program, uint64_t address, uint64_t size) {
  for (const MemoryRange& range : memory_ranges(program)) {
    if (address >= range.first && fits(address - range.first, size, range.bytes)) return range;
  }
  return std::nullopt;
}

/// A machine with several off-chip memories has one range for each, as declared, one after the other.
void check_ranges(const Program& program, const std::vector<MemoryId>& memories, const SourceLocation& where) {
  std::vector<std::string> said, names;
  for (const MemoryRange& range : program.ranges) said.push_back(get(program.machine, range.memory).name);
  for (const MemoryId memory : memories) names.push_back(get(program.machine, memory).name);
  if (memories.size() == 1) names.clear();
  if (said != names) {
    contradiction(where, "ranges", "not one for each of several off-chip memories",
                  fmt::format("{}", fmt::join(said, ", ")), names);
  }
  uint64_t end = 0;
  for (const MemoryRange& range : program.ranges) {
    const std::string subject = "range of " + get(program.machine, range.memory).name;
    if (range.first < end || !fits(range.first, range.bytes, program.memory_bytes)) {
      contradiction(where, subject, "it does not lie after the one before it, within the program's memory",
                    fmt::format("{} bytes at {}", range.bytes, range.first),
                    {fmt::format("{}..{}", end, program.memory_bytes)});
    }
    end = range.first + range.bytes;
  }
}

void check_memory(const Program& program, const SourceLocation& where) {
  std::vector<MemoryId> memories;
  for (uint32_t i = 0; i < program.machine.memories.size(); ++i) {
    if (program.machine.memories[i].kind == MemoryKind::kOffchip) memories.push_back(MemoryId{i});
  }
  if (memories.empty()) contradiction(where, "machine", "it has no off-chip memory to hold a program", "");
  check_ranges(program, memories, where);
  for (const MemoryRange& range : memory_ranges(program)) {
    const uint64_t capacity = get(program.machine, range.memory).buffer_bytes();
    if (range.bytes <= capacity) continue;
    contradiction(
        where, program.ranges.empty() ? "memory_bytes" : "range of " + get(program.machine, range.memory).name,
        "more than the off-chip memory holds", fmt::format("{}", range.bytes), {fmt::format("0..{}", capacity)});
  }
}

/// With several memories, one of them holds the whole range.
void check_one_memory(const Program& program, const std::string& subject, uint64_t address, uint64_t size,
                      const SourceLocation& where) {
  if (range_around(program, address, size)) return;
  contradiction(where, subject, "it does not lie in one of the off-chip memories",
                fmt::format("{} bytes at {}", size, address));
}

/// Instruction words lie in the memory from which they are fetched.
void check_source(const Program& program, const Segment& stream, const SourceLocation& where) {
  if (program.ranges.empty() || !instruction_edge(program.machine)) return;
  const MemoryId source = instruction_source(program.machine);
  const MemoryId memory = range_around(program, stream.address, stream.size).value().memory;
  if (memory == source) return;
  contradiction(where, "segment " + stream.name, "instructions lie in another memory than they are fetched from",
                get(program.machine, memory).name, {get(program.machine, source).name});
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
                    {places_of(segment.size, program.memory_bytes)});
    }
    check_one_memory(program, subject, segment.address, segment.size, where);
    if (!segment.data.empty() && segment.data.size() != segment.size) {
      contradiction(where, subject, "its data are not as long as it is", fmt::format("{} bytes", segment.data.size()),
                    {"0 bytes", fmt::format("{} bytes", segment.size)});
    }
    if (segment.kind != SegmentKind::kInstructions) continue;
    if (stream != nullptr) contradiction(where, subject, "a second segment of instructions", segment.name);
    if (segment.data.size() % program.machine.word_bytes() != 0) {
      contradiction(where, subject, "instructions are not whole words", fmt::format("{} bytes", segment.data.size()));
    }
    stream = &segment;
  }
  const bool inside = stream != nullptr && program.entry >= stream->address &&
                      program.entry - stream->address < std::max<uint64_t>(stream->size, 1);
  if (stream != nullptr && !inside) {
    contradiction(where, "entry", "it lies outside the instructions", fmt::format("{}", program.entry));
  }
  if (stream != nullptr) check_source(program, *stream, where);
  const uint64_t words = stream == nullptr ? 0 : stream->data.size() / program.machine.word_bytes();
  for (const Block& block : program.blocks) {
    if (fits(block.first_word, block.words, words)) continue;
    contradiction(where, "layer " + block.layer, "its block lies outside the instructions",
                  fmt::format("{} words from word {} on", block.words, block.first_word),
                  {places_of(block.words, words)});
  }
  for (const Block& block : program.blocks) {
    for (const auto& [surrogate, name] : block.bindings) {
      if (!names.contains(name)) contradiction(where, "layer " + block.layer, "it binds an unknown segment", name);
    }
  }
}

/// Offset in elements of the last element that a dimension reaches. Nothing if it does not fit 64 bits, or if the steps
/// count fewer indices than the dimension has.
std::optional<uint64_t> reach(uint64_t size, const std::vector<Stride>& strides) {
  uint64_t count = 1;
  uint64_t last = 0;
  for (const Stride& step : strides) {
    uint64_t far = 0;
    if (step.count == 0 || __builtin_mul_overflow(count, step.count, &count) ||
        __builtin_mul_overflow(step.count - 1, step.stride, &far) || __builtin_add_overflow(last, far, &last)) {
      return std::nullopt;
    }
  }
  return strides.empty() || count < size ? std::nullopt : std::optional(last);
}

void check_binding(const Program& program, const TensorBinding& binding, const SourceLocation& where) {
  const std::string subject = "tensor " + binding.name;
  if (binding.strides.size() != binding.shape.size()) {
    contradiction(where, subject, "it has not one list of strides for each dimension",
                  fmt::format("{}", binding.strides.size()), {fmt::format("{}", binding.shape.size())});
  }
  uint64_t count = 1;
  uint64_t last = binding.offset;
  bool overflow = false;
  for (size_t d = 0; d < binding.shape.size(); ++d) {
    const std::optional<uint64_t> far = reach(binding.shape[d], binding.strides[d]);
    if (!far) contradiction(where, subject, "its strides do not count this dimension", fmt::format("{}", d));
    overflow = overflow || __builtin_add_overflow(last, *far, &last) ||
               __builtin_mul_overflow(count, binding.shape[d], &count);
  }
  if (overflow || count > binding.elements || last >= binding.elements) {
    contradiction(where, subject, "its elements do not lie within its memory", fmt::format("{}", binding.elements));
  }
  const std::optional<uint64_t> size = size_in_memory(binding);
  if (!size || !fits(binding.address, *size, program.memory_bytes)) {
    contradiction(where, subject, "it lies past the end of the program's memory",
                  size ? fmt::format("{} bytes at {}", *size, binding.address) : "more than 64 bits count",
                  {places_of(size.value_or(UINT64_MAX), program.memory_bytes)});
  }
  check_one_memory(program, subject, binding.address, *size, where);
}

/// All bindings of a name, of which there is one at least.
std::vector<TensorBinding> bindings_named(const std::vector<TensorBinding>& bindings, const std::string& name,
                                          const SourceLocation& where) {
  std::vector<TensorBinding> found;
  for (const TensorBinding& binding : bindings) {
    if (binding.name == name) found.push_back(binding);
  }
  if (found.empty()) contradiction(where, "state", "an input or output that the program has not", name);
  return found;
}

}  // namespace

bool are_alike(const TensorBinding& one, const TensorBinding& other) {
  return one.model_dtype.value_or(one.dtype) == other.model_dtype.value_or(other.dtype) && one.shape == other.shape &&
         one.host_quantizes == other.host_quantizes && one.quantization == other.quantization &&
         one.pad_value == other.pad_value;
}

void check_state(const std::vector<StateTensor>& state, const std::vector<TensorBinding>& inputs,
                 const std::vector<TensorBinding>& outputs, const SourceLocation& where) {
  std::set<std::string> makers, readers;
  for (const StateTensor& pair : state) {
    const TensorBinding made = bindings_named(outputs, pair.output, where).front();
    for (const TensorBinding& read : bindings_named(inputs, pair.input, where)) {
      if (!are_alike(made, read))
        contradiction(where, "state " + pair.input, "it differs from its output", pair.output);
    }
    if (!makers.insert(pair.output).second || !readers.insert(pair.input).second) {
      contradiction(where, "state " + pair.input, "a tensor is in two pairs", pair.output);
    }
  }
}

void check_consistent(const Program& program, const SourceLocation& where) {
  check_memory(program, where);
  check_segments(program, where);
  for (const TensorBinding& binding : program.inputs) check_binding(program, binding, where);
  for (const TensorBinding& binding : program.outputs) check_binding(program, binding, where);
  check_state(program.state, program.inputs, program.outputs, where);
}

}  // namespace covenant::acg
