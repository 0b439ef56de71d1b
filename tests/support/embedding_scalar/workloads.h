/// Small workloads and instructions for tests of the scalar solver.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "compiler/embedding/instruction.h"
#include "compiler/embedding/workload.h"
#include "tests/support/embedding_scalar/tuples.h"

namespace covenant::test {

using compiler::embedding::Access;
using compiler::embedding::AffineIndex;
using compiler::embedding::Axis;
using compiler::embedding::Instruction;
using compiler::embedding::Workload;

/// An index of factors times axes, of so many axes.
inline AffineIndex index_of(size_t axes, std::initializer_list<std::pair<size_t, int64_t>> factors) {
  AffineIndex index{0, std::vector<int64_t>(axes, 0)};
  for (const auto& [axis, factor] : factors) index.coefficients[axis] += factor;
  return index;
}

/// The output, "y", has sums; all other tensors are bytes.
inline Access access_of(std::string tensor, std::vector<AffineIndex> indices) {
  Access access;
  access.dtype = tensor == "y" ? DType::kI32 : DType::kI8;
  access.tensor = std::move(tensor);
  access.indices = std::move(indices);
  return access;
}

/// y[m, n] += x[m, k] * w[k, n]
inline Workload product(int64_t m, int64_t n, int64_t k) {
  Workload workload;
  workload.compute = "GEMM";
  workload.axes = {{"m", m, false}, {"n", n, false}, {"k", k, true}};
  workload.inputs = {access_of("x", {index_of(3, {{0, 1}}), index_of(3, {{2, 1}})}),
                     access_of("w", {index_of(3, {{2, 1}}), index_of(3, {{1, 1}})})};
  workload.output = access_of("y", {index_of(3, {{0, 1}}), index_of(3, {{1, 1}})});
  return workload;
}

/// y[c, o] += x[i, o*stride + k] * w[c, i, k]: a convolution of rows.
inline Workload row_convolution(int64_t c, int64_t o, int64_t i, int64_t k, int64_t stride) {
  Workload workload;
  workload.compute = "GEMM";
  workload.axes = {{"c", c, false}, {"o", o, false}, {"i", i, true}, {"k", k, true}};
  workload.inputs = {access_of("x", {index_of(4, {{2, 1}}), index_of(4, {{1, stride}, {3, 1}})}),
                     access_of("w", {index_of(4, {{0, 1}}), index_of(4, {{2, 1}}), index_of(4, {{3, 1}})})};
  workload.output = access_of("y", {index_of(4, {{0, 1}}), index_of(4, {{1, 1}})});
  return workload;
}

/// output[rows, columns] += first[rows, inner] * second[inner, columns]
inline Instruction matrices(int64_t rows, int64_t columns, int64_t inner) {
  Instruction instruction;
  instruction.compute = "GEMM";
  instruction.axes = {{"rows", rows, false}, {"columns", columns, false}, {"inner", inner, true}};
  instruction.inputs = {{DType::kI8, {0, 2}}, {DType::kI8, {2, 1}}};
  instruction.output = {DType::kI32, {0, 1}};
  return instruction;
}

/// output[lanes] += first[lanes, inner] * second[lanes, inner]
inline Instruction pairs(int64_t lanes, int64_t inner) {
  Instruction instruction;
  instruction.compute = "MAC";
  instruction.axes = {{"lanes", lanes, false}, {"inner", inner, true}};
  instruction.inputs = {{DType::kI8, {0, 1}}, {DType::kI8, {0, 1}}};
  instruction.output = {DType::kI32, {0}};
  return instruction;
}

/// A product over drawn axes: spatial ones index the output, and an input or both; those that are summed over mostly
/// both. In an input an axis has an index of its own or, now and then, shares the one before; strides are 1 or 2.
inline Workload draw_workload(std::mt19937_64& random) {
  const size_t spatial = static_cast<size_t>(draw(random, 1, 3));
  const size_t axes = spatial + static_cast<size_t>(draw(random, 0, 2));
  Workload workload;
  workload.compute = "GEMM";
  workload.inputs = {access_of("x", {}), access_of("w", {})};
  workload.output = access_of("y", {});
  for (size_t axis = 0; axis < axes; ++axis) {
    workload.axes.push_back({std::string(1, static_cast<char>('a' + axis)), draw(random, 1, 4), axis >= spatial});
    if (axis < spatial) workload.output.indices.push_back(index_of(axes, {{axis, 1}}));
    const bool is_in_both = axis >= spatial && draw(random, 0, 4) != 0;
    const int64_t where = is_in_both ? 3 : draw(random, 1, 3);  // in the first input, the second one, or both
    for (size_t input = 0; input < 2; ++input) {
      if ((where & (int64_t{1} << input)) == 0) continue;
      std::vector<AffineIndex>& indices = workload.inputs[input].indices;
      const int64_t stride = draw(random, 0, 7) == 0 ? 2 : 1;
      if (!indices.empty() && draw(random, 0, 7) == 0) {
        indices.back().coefficients[axis] += stride;
      } else {
        indices.push_back(index_of(axes, {{axis, stride}}));
      }
    }
  }
  return workload;
}

/// 1, 2 or 4: products of such numbers divide each other often.
inline int64_t draw_power(std::mt19937_64& random) { return int64_t{1} << draw(random, 0, 2); }

/// A product over drawn axes of matrices: each is one of rows, of columns, or summed over. More often than those of
/// `draw_workload` it has embeddings, also of several axes in one.
inline Workload draw_product(std::mt19937_64& random) {
  const size_t axes = static_cast<size_t>(draw(random, 2, 4));
  Workload workload;
  workload.compute = "GEMM";
  workload.inputs = {access_of("x", {}), access_of("w", {})};
  workload.output = access_of("y", {});
  for (size_t axis = 0; axis < axes; ++axis) {
    const int64_t role = draw(random, 0, 2);
    workload.axes.push_back({std::string(1, static_cast<char>('a' + axis)), draw_power(random), role == 2});
    const AffineIndex own = index_of(axes, {{axis, 1}});
    if (role != 1) workload.inputs[0].indices.push_back(own);
    if (role != 0) workload.inputs[1].indices.push_back(own);
    if (role != 2) workload.output.indices.push_back(own);
  }
  return workload;
}

/// An instruction of at most `most` operations.
inline Instruction draw_instruction(std::mt19937_64& random, int64_t most) {
  while (true) {
    const Instruction drawn = draw(random, 0, 2) == 0
                                  ? pairs(draw(random, 1, 4), draw(random, 1, 4))
                                  : matrices(draw_power(random), draw(random, 1, 4), draw_power(random));
    if (instances(drawn) <= most) return drawn;
  }
}

}  // namespace covenant::test
