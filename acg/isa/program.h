/// A compiled program: what the compiler emits and every backend runs.
///
/// In memory it is this struct, on disk one `.cprog` file (`acg/isa/program_file.h`). It carries its machine, so
/// running it needs nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/isa/instruction_word.h"

namespace covenant::acg {

/// What a range of off-chip memory holds.
enum class SegmentKind : uint8_t { kInstructions, kConstant, kInput, kOutput, kIntermediate };

/// A named range of off-chip memory. `data` is its initial content; empty for what the run itself writes.
struct Segment {
  std::string name;
  SegmentKind kind = SegmentKind::kConstant;
  uint64_t address = 0;  ///< byte of the image, aligned to the widest edge
  uint64_t size = 0;     ///< bytes
  std::vector<uint8_t> data;
  bool operator==(const Segment&) const = default;
};

/// real = (stored - zero_point) * scale.
struct Quantization {
  float scale = 1.0F;
  int32_t zero_point = 0;
  bool operator==(const Quantization&) const = default;
};

/// One step in which the indices of a dimension are counted: `count` of them, `stride` elements of memory apart.
struct Stride {
  uint64_t count = 1;
  uint64_t stride = 0;
  bool operator==(const Stride&) const = default;
};

/// How a model's tensor lies in off-chip memory: element [i0, i1, ...] at `address` + bytes of an element * (`offset` +
/// the sum of what each index steps).
struct TensorBinding {
  std::string name;
  DType dtype = DType::kU8;     ///< of the stored elements
  std::vector<uint64_t> shape;  ///< the model's (NCHW or any rank)
  /// Of each dimension, outermost step first: one {size, stride}, or several where it is counted in tiles. Index i of
  /// {a, s}, {b, t} lies at (i / b) * s + (i % b) * t.
  std::vector<std::vector<Stride>> strides;
  uint64_t offset = 0;    ///< elements in front of the first one
  uint64_t elements = 0;  ///< of memory, padding included
  int32_t pad_value = 0;  ///< what lies in memory where no element of the tensor lies
  uint64_t address = 0;
  /// The model's own type at this boundary is f32 and the host (de)quantises with `quantization`.
  bool host_quantizes = false;
  Quantization quantization;
  std::optional<DType> model_dtype{};  ///< the model's quantised type, if memory holds it in wider elements
  bool operator==(const TensorBinding&) const = default;
};

/// Bytes of the tensor as it lies in memory, padding included. Nothing if they are more than 64 bits count.
std::optional<uint64_t> size_in_memory(const TensorBinding& binding);

/// Elements that index `index` of a dimension is away from index 0. Precondition: there is a step.
uint64_t steps_to(const std::vector<Stride>& strides, uint64_t index);

/// One block of the instruction stream: a layer, all engines together.
struct Block {
  std::string layer;         ///< the model's node name; of several that were fused, all with `+` between them
  std::string operation;     ///< "conv", "gemm", "add", "conv+add", ...
  uint64_t first_word = 0;   ///< index into the instruction stream, the first group's header
  uint64_t words = 0;        ///< including headers and BLOCK_END, without alignment padding
  uint64_t macs = 0;         ///< real multiply-accumulates of the layer, padding not counted
  uint64_t elementwise = 0;  ///< real SIMD operations of the layer
  std::string codelet;       ///< the scheduled codelet as text: what `interpret` runs
  /// Surrogates of the codelet -> segments they stand for.
  std::map<std::string, std::string> bindings;
  std::vector<std::string> fused{};  ///< names of the layers that were fused into this one, if any
  bool operator==(const Block&) const = default;
};

/// A tensor of the model that a block writes, and where it leaves it.
struct BlockResult {
  size_t block = 0;  ///< index into Program::blocks
  TensorBinding tensor;
  bool operator==(const BlockResult&) const = default;
};

/// The part of a program's image that one off-chip memory holds: its byte 0 is byte `first` of the image.
struct MemoryRange {
  MemoryId memory;
  uint64_t first = 0;
  uint64_t bytes = 0;  ///< that the program uses
  bool operator==(const MemoryRange&) const = default;
};

/// Addresses in it are bytes of its image: the content of all off-chip memories, one after the other. Of a machine with
/// one, they are those of the memory.
struct Program {
  Machine machine;
  std::string model;          ///< file name of the model, without its folder
  uint64_t entry = 0;         ///< address of the first block
  uint64_t memory_bytes = 0;  ///< of the image
  /// Of several off-chip memories each one's part, as declared; empty for a machine with one, which holds all.
  std::vector<MemoryRange> ranges{};
  std::vector<Segment> segments;
  std::vector<TensorBinding> inputs;
  std::vector<TensorBinding> outputs;
  std::vector<Block> blocks;
  /// ONNX models that the host runs: one makes the inputs, one takes what the machine has made; or nothing.
  std::vector<uint8_t> host_start{};
  std::vector<uint8_t> host_end{};
  bool operator==(const Program&) const = default;
};

/// What each off-chip memory holds, as declared; also of a machine with one.
std::vector<MemoryRange> memory_ranges(const Program& program);
/// Of the first block, in the memory from which words are fetched. Precondition: there is one.
uint64_t entry_address(const Program& program);

/// The instruction words of a program as one stream: whole bytes, little-endian, each block starting where both a word
/// and a beat of the edge to the instruction memory begin, the gaps filled with zero.
std::vector<InstructionWord> instruction_words(const Program& program);

}  // namespace covenant::acg
