/// Embeddings: which instances of a workload one execution of an instruction does, as a value (Rieber, Acosta and
/// Fröning, "The Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem", section 4).
///
/// Each axis of the instruction counts through factors of the workload's axes in mixed radix. A conv with VTA's GEMM:
/// `columns: oc*16 | inner: ic*16`. What is not placed is done one after the other, in steps, whose loops are `trips`.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "compiler/embedding/instruction.h"
#include "compiler/embedding/rules.h"
#include "compiler/embedding/workload.h"

namespace covenant::compiler::embedding {

/// `count` instances of an axis of the workload, `stride` apart. Of a banded axis and in a reduction of the
/// instruction: so many positions of the window that the axis' instances see.
struct Factor {
  size_t axis = 0;  ///< of the workload; one past the last: the axes that are counted as one
  int64_t count = 1;
  int64_t stride = 1;
  bool operator==(const Factor&) const = default;
};

struct Embedding {
  bool is_exchanged = false;                   ///< the workload's first input is the instruction's second operand
  std::vector<std::vector<Factor>> positions;  ///< of each axis of the instruction, outermost first
  std::vector<size_t> band;                    ///< banded axes of the workload, ascending
  std::vector<size_t> flat;  ///< axes of the workload that are counted as one, row-major, outermost first
  bool operator==(const Embedding&) const = default;
};

/// A banded axis o: the operand that is not the matrix has the index across*o + along*tap + offset in one dimension, of
/// which positions are multiples of `lattice`. Without a tap, the matrix is block-diagonal.
struct Band {
  size_t axis = 0;
  size_t matrix = 1;          ///< the operand of the instruction that is constant
  std::optional<size_t> tap;  ///< the axis of taps
  int64_t across = 1;         ///< positions from one output to the next
  int64_t along = 1;          ///< positions from one tap to the next
  int64_t lattice = 1;        ///< elements of the tensor from one position to the next: more than one are strided
  /// Positions that `outputs` adjacent outputs see, given the extent of the taps.
  int64_t window(int64_t outputs, const Workload& workload) const;
  /// True if the axis of the instruction is one of columns: in the matrix and the output.
  bool has_columns(const Instruction& instruction, size_t place) const;
  /// True if it is one of sums: in both operands, not in the output.
  bool has_sums(const Instruction& instruction, size_t place) const;
};

/// The input of the workload that is operand `input` of the instruction.
const Access& access_of(const Workload& workload, const Embedding& embedding, size_t input);
/// The axes that can be banded with these operands: in the output and in one dimension of the operand that is not
/// constant, there with at most one other axis, a reduction that the constant has. Nothing unless one operand is
/// constant and the instruction has an axis of columns (in that operand and the output) and one of sums.
std::vector<Band> bands_of(const Workload& workload, const Instruction& instruction, bool is_exchanged);

/// Instances of a factor's axis: its extent; the product of all that are counted as one.
int64_t extent_of(const Embedding& embedding, const Workload& workload, size_t axis);

/// A loop over steps. A banded axis has two: over its outputs, and over positions within the window.
struct Trip {
  size_t axis = 0;         ///< as a factor's
  int64_t count = 1;       ///< iterations
  int64_t distance = 1;    ///< instances, or positions, from one iteration to the next
  bool is_window = false;  ///< over positions within the window of a banded axis
  bool operator==(const Trip&) const = default;
};

/// All loops over steps with more than one iteration, outermost first: by axes of the workload, windows last.
std::vector<Trip> trips_of(const Embedding& embedding, const Workload& workload, const Instruction& instruction);
/// Executions of the instruction: the product of all trips; the largest number where it is beyond 64 bits.
int64_t steps(const Embedding& embedding, const Workload& workload, const Instruction& instruction);

/// Where a step begins: the point of its first instance, and the first position in the window of each banded axis, in
/// the order of `Embedding::band`.
struct Origin {
  std::vector<int64_t> point;  ///< by the axes of factors: one more than the workload's
  std::vector<int64_t> windows;
};
/// The origin of a step, given the iteration of each trip; of the first step, given none.
Origin origin_of(const Embedding& embedding, const Workload& workload, const std::vector<Trip>& trips,
                 std::span<const int64_t> iteration);
/// The instance of the workload that the instruction's instance `point` does in a step. Nothing where it is idle, or
/// multiplies by a zero of the packed constant.
std::optional<std::vector<int64_t>> instance_at(const Embedding& embedding, const Workload& workload,
                                                const Instruction& instruction, const Origin& origin,
                                                std::span<const int64_t> point);

/// Elements in memory of a constant of the workload, its input `input`, packed for the instruction: the number of
/// different operands that steps take, times the elements of each, its zeros and idle places included.
int64_t packed_elements(const Embedding& embedding, const Workload& workload, const Instruction& instruction,
                        size_t input);

/// The relaxations that the embedding needs.
std::set<Relaxation> relaxations_of(const Embedding& embedding, const Workload& workload,
                                    const Instruction& instruction);

}  // namespace covenant::compiler::embedding
