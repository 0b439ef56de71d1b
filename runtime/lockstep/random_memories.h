/// What random machines have between off-chip memory and their nodes, beyond one scratchpad for each operand.
///
/// Drawn, each with draws of its own, so that machines without it are what they would be: an L2 that some tiles pass on
/// their way in or out (one machine of four), latencies of edges, numbers of channels and of buffers, bias and output
/// memories of other elements, or of two arrays, a scratchpad that nothing needs, off-chip memories of their own for
/// weights or for words (one machine of four), and names that are hard for what is made of them (words of languages,
/// names equal but for case, long ones, underscores at their ends).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/lockstep/draw.h"
#include "runtime/lockstep/random_shapes.h"

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
  /// Of a bias or output memory whose addresses select a divisor of `bytes`; nothing if it is an ordinary one and none
  /// other `is_needed`.
  std::optional<Shape> sums(int64_t bytes, bool is_needed);
  /// Whether a second array has the first one's bias memory; asked anew, its output memory.
  bool is_shared();
  /// ` latency = ...;` of an edge, or nothing.
  std::string latency();

  /// Both ends of an edge that would lead from `from` to `to`: another off-chip memory in place of DRAM for what lies
  /// there, L2 where tiles pass it.
  std::pair<std::string, std::string> way(const std::string& from, const std::string& to);
  /// The memory of the level between, if there is one, to the declarations and to the names of scratchpads. Their
  /// buffers hold whole elements of so many bits.
  void add_level(std::vector<std::string>& lines, std::vector<std::string>& scratchpads, int64_t element_bits);
  void add_spare(std::vector<std::string>& lines, std::vector<std::string>& scratchpads, int64_t element_bits);
  /// Off-chip memories beside DRAM, anywhere among the declarations.
  void add_apart(std::vector<std::string>& lines);
  /// Edges of what was added, after all ways are known; their engines are added to `engines`.
  std::vector<std::string> edges(std::vector<std::string>& engines);

  /// The text of a machine with its nodes renamed, if the draw says so.
  std::string renamed(const std::string& text);

 private:
  /// The off-chip memory from which `to` is loaded.
  std::string source_of(const std::string& to);

  Draw level_draw_, latency_draw_, sizes_draw_, spare_draw_, names_draw_, sums_draw_, apart_draw_;
  bool has_level_, has_latencies_, has_sizes_, has_spare_, has_names_, has_sums_;
  bool has_weights_apart_ = false, has_biases_apart_ = false;  ///< in FLASH
  std::string words_ = "DRAM";                                 ///< where they lie
  bool fills_level_ = false, empties_level_ = false;           ///< tiles pass it on their way in, on their way out
  uint32_t slot_bits_ = 2;
};

}  // namespace covenant::runtime
