/// Where everything lies in off-chip memory (docs/reference/memory-map.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/program.h"
#include "compiler/network/storage.h"

namespace covenant::compiler {

/// Bytes to whose multiples segments are aligned: the beat of the widest edge.
uint64_t segment_alignment(const acg::Machine& machine);

/// Bytes to whose multiples blocks of words are aligned: whole words that are whole beats of the edge to the
/// instruction memory.
uint64_t instruction_alignment(const acg::Machine& machine);

/// Bytes that stay free after every segment: a load of a vector of input channels may read past the last channel of a
/// tensor, at most one vector of the reduction of a matrix product.
uint64_t segment_guard(const acg::Machine& machine);

/// A segment that others may lie in too, before and after it is alive.
struct Tenant {
  std::string name;
  uint64_t size = 0;  ///< bytes
  Lifetime lifetime;
};

/// Appends segments one after the other. Those between layers share bytes: of two of them that are never alive together
/// the one may lie where the other did. Layers do not overlap, so a lifetime is a range of layers.
class MemoryPlan {
 public:
  explicit MemoryPlan(const acg::Machine& machine);

  /// Addresses of new intermediate segments, in the order of `tenants`: the largest are placed first, each at the
  /// lowest address at which it touches none that is alive with it. Fails as `add`.
  Result<std::vector<uint64_t>> add_shared(const std::vector<Tenant>& tenants);

  /// Address of a new segment of `size` bytes. `data`: its content, or empty.
  /// Fails (GEN0013) if off-chip memory, or what 32 address bits reach, is full.
  Result<uint64_t> add(const std::string& name, acg::SegmentKind kind, uint64_t size, std::vector<uint8_t> data = {});

  const std::vector<acg::Segment>& segments() const { return segments_; }
  /// First address past everything, guard included.
  uint64_t end() const { return end_; }

 private:
  Status check_room(const std::string& name, uint64_t address, uint64_t size) const;

  uint64_t alignment_;
  uint64_t instruction_alignment_;  ///< of the segment of words: a multiple of both
  uint64_t guard_;
  uint64_t capacity_;
  uint64_t end_ = 0;
  std::vector<acg::Segment> segments_;
};

}  // namespace covenant::compiler
