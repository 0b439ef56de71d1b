/// Kinds of compute words of a SIMD array.
#pragma once

#include <cstddef>

#include "acg/isa/operation.h"

namespace covenant::acg {

/// True for the operations that run one SIMD loop nest (kAdd .. kReduceSum).
constexpr bool is_simd_compute(Operation operation) {
  return operation >= Operation::kAdd && operation <= Operation::kReduceSum;
}

/// True for the operations that go on with a result until the last iteration of their reduction levels.
constexpr bool is_simd_reduction(Operation operation) {
  return operation == Operation::kReduceMax || operation == Operation::kReduceSum;
}

/// Sources that a compute word reads: what it says of the others is ignored.
constexpr size_t simd_sources(Operation operation) {
  const bool is_unary = operation == Operation::kMove || operation == Operation::kLookup;
  return is_unary || is_simd_reduction(operation) ? 1 : 2;
}

}  // namespace covenant::acg
