/// Workloads: what an operator computes, as a set of instances with affine accesses (Rieber, Acosta and Fröning, "The
/// Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem", section 3.2).
///
/// Every compute of a bound codelet is a workload: its instances are the points of the box of the loops around it, and
/// each operand's element is affine in the point. Nothing here knows an operator or a codelet by name.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "acg/base/dtype.h"
#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"

namespace covenant::compiler::embedding {

/// Most instances of a workload, most extent of an axis, and most an index reaches. Arithmetic on sums of two of these
/// stays within 64 bits.
inline constexpr int64_t kMostInstances = int64_t{1} << 62;

/// Most axes of a workload: searches count choices of them in 32 bits.
inline constexpr size_t kMostAxes = 31;

/// A loop around the compute, counted 0, 1, ..., extent - 1 whatever its bounds and stride are.
struct Axis {
  std::string name;  ///< the loop's variable
  int64_t extent = 1;
  bool is_reduction = false;  ///< does not index the output: its instances add to the same element
  bool operator==(const Axis&) const = default;
};

/// One dimension's index: offset + the sum of coefficients[a] * (point on axis a).
struct AffineIndex {
  int64_t offset = 0;
  std::vector<int64_t> coefficients;  ///< one for each axis of the workload
  int64_t at(std::span<const int64_t> point) const;
  /// True if the index depends on the axis.
  bool mentions(size_t axis) const { return coefficients[axis] != 0; }
  bool operator==(const AffineIndex&) const = default;
};

/// The element of a tensor that an instance reads or writes.
struct Access {
  std::string tensor;  ///< the surrogate; empty for a number in the text, which has no indices
  DType dtype = DType::kI32;
  std::vector<int64_t> shape;        ///< outermost dimension first
  std::vector<AffineIndex> indices;  ///< one for each dimension
  std::optional<int64_t> fill;       ///< what reads outside of the shape give, where they are intended
  bool is_constant = false;  ///< known at compile time: may be permuted, repeated, and interspersed with zeros for free
  /// True if a dimension's index depends on the axis.
  bool mentions(size_t axis) const;
  bool operator==(const Access&) const = default;
};

struct Workload {
  std::string compute;          ///< its capability: "GEMM"
  std::vector<Axis> axes;       ///< outermost first
  std::vector<Access> inputs;   ///< what each instance reads, in the order of the capability's operands
  Access output;                ///< what each instance writes or adds to
  std::optional<Access> start;  ///< what sums start from: the third operand of GEMM and MAC
  bool operator==(const Workload&) const = default;
};

/// Instances of the workload: the product of all extents, at most kMostInstances.
int64_t instances(const Workload& workload);

/// The work of each instance as text: `acc[n,oh,ow,oc] = GEMM(x[n,oh*2+kh-3,ow*2+kw-3,ic], w[kh,kw,ic,oc])`.
std::string print(const Workload& workload);

/// The workloads of all computes of a codelet, in the order of its text. `constants`: surrogates that are known at
/// compile time, besides those that the pass `pack` has packed. Precondition: bound. Errors: EMB0001 (a compute whose
/// loops are no box of numbers, more than kMostAxes, or an index that is not affine in their variables), EMB0002 (more
/// than kMostInstances).
///
///     Result<std::vector<Workload>> both = workloads_of(*bind(conv, layer), {"w", "b", "s"});  // GEMM, REQUANT
Result<std::vector<Workload>> workloads_of(const codelet::Codelet& bound, const std::set<std::string>& constants = {});

/// The workload of most instances, the first of equals: what the operator's time goes to. Errors: those of
/// `workloads_of`; EMB0001 for a codelet without a compute.
Result<Workload> workload_of(const codelet::Codelet& bound, const std::set<std::string>& constants = {});

}  // namespace covenant::compiler::embedding
