/// Matrices of wrapping 32-bit integers, in which sums of products are accumulated.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace covenant::compiler::reference {

/// Unsigned, because unsigned arithmetic wraps by definition; the bits are those of wrapping i32.
using Matrix = Eigen::Matrix<uint32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace covenant::compiler::reference
