/// The exponentials of a softmax as a table, and the factor by which they are multiplied.
#pragma once

#include <cstdint>
#include <vector>

#include "acg/base/dtype.h"

namespace covenant::compiler::srdfg {

/// The table of a softmax (compiler/operators/operators.h) over `count` elements at scale `x_scale`: f32, the entry of
/// byte 0 first. A power of two divides all entries where the largest one times `steps` would exceed f32.
std::vector<float> exponentials(float x_scale, uint64_t count, DType dtype, float steps);

/// f32(floor(1 / y_scale)): the factor of each exponential before it is divided by the sum of all.
float steps_to_one(float y_scale);

}  // namespace covenant::compiler::srdfg
