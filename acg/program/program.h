/// A compiled program: the output of the compiler and the input of every backend.
///
/// In memory it is this struct, on disk one `.cprog` file (`acg/program/program_file.h`). It contains its machine, so
/// that nothing else is needed to run it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/encoding/instruction_word.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// The content of a range of off-chip memory.
enum class SegmentKind : uint8_t { kInstructions, kConstant, kInput, kOutput, kIntermediate };

/// A named range of off-chip memory. `data` is its initial content; empty if the run itself writes it.
struct Segment {
  std::string name;
  SegmentKind kind = SegmentKind::kConstant;
  uint64_t address = 0;  ///< byte address in the image, aligned to the widest edge
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

/// One step in counting the indices of a dimension: `count` indices, `stride` elements of memory apart.
struct Stride {
  uint64_t count = 1;
  uint64_t stride = 0;
  bool operator==(const Stride&) const = default;
};

/// Layout of a model's tensor in off-chip memory: element [i0, i1, ...] is at `address` + bytes of an element *
/// (`offset` + the sum over the dimensions of their steps).
struct TensorBinding {
  std::string name;
  DType dtype = DType::kU8;     ///< type of the stored elements
  std::vector<uint64_t> shape;  ///< the model's shape (NCHW or any rank)
  /// The steps of each dimension, outermost first: one {size, stride}, or several if the dimension is tiled. Index i of
  /// {a, s}, {b, t} is at (i / b) * s + (i % b) * t.
  std::vector<std::vector<Stride>> strides;
  uint64_t offset = 0;    ///< elements before the first one
  uint64_t elements = 0;  ///< elements in memory, padding included
  int32_t pad_value = 0;  ///< value of the padding elements in memory
  uint64_t address = 0;
  /// True if the model's own type at this boundary is f32: the host then (de)quantises with `quantization`.
  bool host_quantizes = false;
  Quantization quantization;
  std::optional<DType> model_dtype{};  ///< the model's quantised type, if memory holds it in wider elements
  bool operator==(const TensorBinding&) const = default;
};

/// Bytes of the tensor in memory, padding included. Nothing if the number does not fit 64 bits.
std::optional<uint64_t> size_in_memory(const TensorBinding& binding);

/// Distance in elements from index 0 of a dimension to index `index`. Precondition: `strides` is not empty.
uint64_t steps_to(const std::vector<Stride>& strides, uint64_t index);

/// One block of the instruction stream: the words of one layer, for all engines.
struct Block {
  std::string layer;         ///< the model's node name; for fused nodes, all names joined by `+`
  std::string operation;     ///< "conv", "gemm", "add", "conv+add", ...
  uint64_t first_word = 0;   ///< index into the instruction stream: header of the first group
  uint64_t words = 0;        ///< including headers and BLOCK_END, without alignment padding
  uint64_t macs = 0;         ///< multiply-accumulates that the layer needs, padding not counted
  uint64_t elementwise = 0;  ///< SIMD operations that the layer needs, padding not counted
  std::string codelet;       ///< the scheduled codelet as text, which the backend `interpret` runs
  /// Maps surrogates of the codelet to the segments that they stand for.
  std::map<std::string, std::string> bindings;
  std::vector<std::string> fused{};  ///< names of the layers that were fused into this one, if any
  bool operator==(const Block&) const = default;
};

/// A tensor of the model that a block writes, and where it is stored.
struct BlockResult {
  size_t block = 0;  ///< index into Program::blocks
  TensorBinding tensor;
  bool operator==(const BlockResult&) const = default;
};

/// State: the content of an output after a run is that of an input in the next run.
struct StateTensor {
  std::string output;
  std::string input;
  bool operator==(const StateTensor&) const = default;
};

/// The part of a program's image that one off-chip memory holds: byte 0 of the memory is byte `first` of the image.
struct MemoryRange {
  MemoryId memory;
  uint64_t first = 0;
  uint64_t bytes = 0;  ///< bytes that the program uses
  bool operator==(const MemoryRange&) const = default;
};

/// A compiled program. Addresses are bytes of its image: the contents of all off-chip memories, one after the other. If
/// the machine has only one, they are the addresses of that memory.
struct Program {
  Machine machine;
  std::string model;          ///< file name of the model, without its folder
  uint64_t entry = 0;         ///< address of the first block
  uint64_t memory_bytes = 0;  ///< size of the image
  /// The part of each of several off-chip memories, as declared; empty for a machine with one, which holds all.
  std::vector<MemoryRange> ranges{};
  std::vector<Segment> segments;
  std::vector<TensorBinding> inputs;
  std::vector<TensorBinding> outputs;
  std::vector<Block> blocks;
  std::vector<StateTensor> state{};
  /// ONNX models that the host runs, or empty: `host_start` computes the inputs, `host_end` takes the machine's
  /// outputs.
  std::vector<uint8_t> host_start{};
  std::vector<uint8_t> host_end{};
  bool operator==(const Program&) const = default;
};

/// The part of the image that each off-chip memory holds, as declared; also for a machine with one.
std::vector<MemoryRange> memory_ranges(const Program& program);
/// Address of the first block in the memory from which words are fetched. Precondition: there is a block.
uint64_t entry_address(const Program& program);

/// The instruction words of a program as one stream: whole bytes, little-endian. Each block starts at a multiple of a
/// word and of a beat of the edge to the instruction memory; gaps are filled with zeros.
std::vector<InstructionWord> instruction_words(const Program& program);

}  // namespace covenant::acg
