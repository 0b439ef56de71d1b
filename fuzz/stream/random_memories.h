/// Memories of random machines between off-chip memory and the nodes, beyond one scratchpad for each operand.
///
/// Drawn, each from a sequence of its own, so that machines without it do not change: an L2 that some tiles pass on
/// their path (one machine of four), latencies of edges, numbers of channels and of buffers, bias and output memories
/// with other elements or shared by two arrays, an unused scratchpad, separate off-chip memories for weights or words
/// (one machine of four), and names that are hard for generated code (keywords of languages, names that differ only in
/// case, long names, underscores at their ends).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/draw.h"
#include "fuzz/stream/random_shapes.h"

namespace covenant::runtime {

class RandomMemories {
 public:
  RandomMemories(uint64_t seed, uint64_t index);

  /// ` channels = ...;` of a scratchpad, or nothing. A SIMD array shares out its iterators to the channels of the
  /// memories that it addresses.
  std::string channels(bool is_addressed_by_lanes);
  /// Bits of a field that names any of the channels given so far.
  uint32_t slot_bits() const { return slot_bits_; }
  /// Buffers of one that would have `otherwise`.
  int64_t buffers(int64_t otherwise);
  /// The shape of a bias or output memory whose addresses select a divisor of `bytes`. Nothing if it is an ordinary one
  /// and no other `is_needed`.
  std::optional<Shape> sums(int64_t bytes, bool is_needed);
  /// True if a second array shares the first one's bias memory; the next call is about its output memory.
  bool is_shared();
  /// ` latency = ...;` of an edge, or nothing.
  std::string latency();

  /// The ends of an edge that would lead from `from` to `to`: another off-chip memory replaces DRAM for data that lies
  /// there, L2 is used where tiles pass it.
  std::pair<std::string, std::string> way(const std::string& from, const std::string& to);
  /// Adds the memory of the intermediate level, if there is one, to the declarations and to the names of scratchpads.
  /// Its buffers hold whole elements of `element_bits` bits.
  void add_level(std::vector<std::string>& lines, std::vector<std::string>& scratchpads, int64_t element_bits);
  void add_spare(std::vector<std::string>& lines, std::vector<std::string>& scratchpads, int64_t element_bits);
  /// Adds off-chip memories besides DRAM, anywhere among the declarations.
  void add_apart(std::vector<std::string>& lines);
  /// Edges of what was added, after all ways are known; their engines are added to `engines`.
  std::vector<std::string> edges(std::vector<std::string>& engines);

  /// The text of a machine, with its nodes renamed if so drawn.
  std::string renamed(const std::string& text);

 private:
  /// The off-chip memory from which `to` is loaded.
  std::string source_of(const std::string& to);

  Draw level_draw_, latency_draw_, sizes_draw_, spare_draw_, names_draw_, sums_draw_, apart_draw_;
  bool has_level_, has_latencies_, has_sizes_, has_spare_, has_names_, has_sums_;
  bool has_weights_apart_ = false, has_biases_apart_ = false;  ///< true: in FLASH
  std::string words_ = "DRAM";                                 ///< memory of the words
  bool fills_level_ = false, empties_level_ = false;           ///< tiles pass it on their way in, on their way out
  uint32_t slot_bits_ = 2;
};

}  // namespace covenant::runtime
