/// Allocates off-chip memory (docs/reference/memory-map.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/program/program.h"
#include "compiler/storage/storage.h"

namespace covenant::compiler {

/// Bytes to whose multiples segments are aligned: the beat of the widest edge.
uint64_t segment_alignment(const acg::Machine& machine);

/// Bytes to whose multiples blocks of words are aligned: whole words that are whole beats of the edge to the
/// instruction memory.
uint64_t instruction_alignment(const acg::Machine& machine);

/// Bytes that stay free after every segment: a load of a vector of input channels may read past the last channel of a
/// tensor, at most one vector of the reduction of a matrix product.
uint64_t segment_guard(const acg::Machine& machine);

/// A segment whose bytes others may use before and after its lifetime.
struct Tenant {
  std::string name;
  uint64_t size = 0;  ///< bytes
  Lifetime lifetime;
};

/// Appends segments one after the other, in each off-chip memory from address 0 on. Segments between layers share bytes
/// if they are never alive at the same time. Layers do not overlap, so a lifetime is a range of layers.
class MemoryPlan {
 public:
  explicit MemoryPlan(const acg::Machine& machine);

  /// Addresses of new intermediate segments in the memory of activations, in the order of `tenants`: the largest are
  /// placed first, each at the lowest address at which it touches none that is alive with it. Fails as `add`.
  Result<std::vector<uint64_t>> add_shared(const std::vector<Tenant>& tenants);

  /// Address of a new segment of `size` bytes in the memory of its kind: that of instruction words for words, that of
  /// activations for all else. `data`: its content, or empty. Error: GEN0013 (the memory, or the range of 32 address
  /// bits, is full).
  Result<uint64_t> add(const std::string& name, acg::SegmentKind kind, uint64_t size, std::vector<uint8_t> data = {});
  /// The same in `memory`, an off-chip one.
  Result<uint64_t> add_in(acg::MemoryId memory, const std::string& name, acg::SegmentKind kind, uint64_t size,
                          std::vector<uint8_t> data = {});

  /// Segments in the order in which they were added, each at its address in its own memory.
  const std::vector<acg::Segment>& segments() const { return segments_; }
  /// First address of `memory` past everything in it, guard included.
  uint64_t end(acg::MemoryId memory) const { return ends_.at(memory.value); }
  uint64_t end() const { return end(activations_); }
  acg::MemoryId activations() const { return activations_; }
  /// The memory of instruction words.
  acg::MemoryId words() const { return words_; }

  /// The contents of the memories, one after the other in the program's image.
  std::vector<acg::MemoryRange> ranges() const;
  /// The segments at their addresses in the image that `ranges` describes.
  std::vector<acg::Segment> segments_of_image() const;

 private:
  Status check_room(acg::MemoryId memory, const std::string& name, uint64_t address, uint64_t size) const;

  std::vector<acg::Memory> memories_;  ///< memories of the machine
  acg::MemoryId activations_;
  acg::MemoryId words_;  ///< memory from which words are fetched
  uint64_t alignment_;
  uint64_t instruction_alignment_;  ///< alignment of the segment of words: a multiple of a word and of a beat
  uint64_t guard_;
  std::vector<uint64_t> ends_;  ///< by memory
  std::vector<acg::Segment> segments_;
  std::vector<acg::MemoryId> homes_;  ///< memory of each segment
};

/// The byte of the image at `address` of `memory`.
uint64_t image_address(const std::vector<acg::MemoryRange>& ranges, acg::MemoryId memory, uint64_t address);

}  // namespace covenant::compiler
