/// Rules: which embeddings a search may give. Strict ones are those of the paper's section 5.2; each relaxation adds
/// more, and is named in what is found (Rieber, Acosta and Fröning, "The Programming of Deep Learning Accelerators as a
/// Constraint Satisfaction Problem", sections 5.2 and 6).
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace covenant::compiler::embedding {

enum class Relaxation : uint8_t {
  /// Factors that do not divide: places of the instruction stay idle, axes are longer in memory. Along a reduction an
  /// operand of the workload must be constant: its zeros make the rest add nothing.
  kPad,
  /// Several axes of the workload in one axis of the instruction: each by a factor, or some that could lie there alone
  /// counted as one, row by row, so that a step may begin in the middle of a row.
  kFuse,
  /// Elements of an axis, or positions of a window, at equal distances in the workload or in a tensor, instead of side
  /// by side.
  kStrided,
  /// Taps explicit in memory: an axis that shares an index with another one (`oh*2 + kh`) lies in the instruction, so
  /// that each element stands in memory once for every use; a constant may be repeated, too.
  kUnroll,
  /// Positions overlap along taps: two outputs of an axis or more are columns, positions that they see are inner
  /// elements, as many at once as the instruction takes, and constants are Toeplitz or block-diagonal matrices, with
  /// zeros where no tap connects the two.
  kBand,
  kExchange,  ///< the first two operands change places: which of them is the matrix
};

/// `pad`, `fuse`, `strided`, `unroll`, `band`, `exchange`.
std::string_view name_of(Relaxation relaxation);
std::optional<Relaxation> relaxation_named(std::string_view name);
/// All of them, in the order of the enumeration, which is that of how far they go.
const std::set<Relaxation>& all_relaxations();
/// `pad, fuse`, or `none`.
std::string names_of(const std::set<Relaxation>& relaxations);

/// Isomorphism holds under all rules (instances share an element of an operand where those of the instruction
/// do), all outputs and all instances different, axis-parallel hyper-rectangles that use each axis of a tensor once,
/// the first instance at the origin, and exact cover: translates of the embedding do each instance of the workload
/// once. Without relaxations also: every place is used, elements are dense, each index has one axis, factors divide
/// extents.
struct Rules {
  std::set<Relaxation> allowed{};
  uint64_t most_nodes = 4'000'000;  ///< factors tried before the search gives up
  /// Only embeddings of which no factor can grow, under the same rules, without another one shrinking or a window of a
  /// band taking more steps: any other takes at least as many steps, and elements of packed constants, as one of these.
  /// Matters for `pad` alone.
  bool only_full = true;
  /// Also those that differ only in the order of factors within an axis: they take the same steps and the same memory.
  bool every_order = false;
};

/// No relaxation.
Rules strict();
/// All of them.
Rules relaxed();

}  // namespace covenant::compiler::embedding
