/// Numerics of a machine (rounding, scaling, width of sums), as declared by the capabilities and attributes of its
/// nodes.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/requantization.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

/// True if the machine scales sums in fixed point: a node has REQUANT_FIXED, and none has REQUANT.
bool is_fixed_point(const Machine& machine);

/// True if the fixed-point shift after a product rounds halves away from zero (attribute `half_away`).
/// Otherwise it rounds halves up.
bool rounds_half_away(const Compute& compute);

/// The same for the machine: its nodes agree.
bool rounds_half_away(const Machine& machine);

Requantization requantization(const Machine& machine);

/// Element types of quantised tensors on this machine: the narrow integers to which it scales sums, each once, in the
/// order of declaration.
std::vector<DType> element_dtypes(const Machine& machine);

/// Width in bits of the sums of a node: its attribute `accumulator`, 32 by default.
uint32_t accumulator_bits(const Compute& compute);

/// Width in bits of the machine's sums, on which its nodes agree; 32 if none declares it.
uint32_t accumulator_bits(const Machine& machine);

/// True if the sums of a node saturate (attribute `saturates`). Otherwise they wrap.
bool saturates(const Compute& compute);

/// The same for the machine: its nodes agree.
bool saturates(const Machine& machine);

}  // namespace covenant::acg
