#include "compiler/codelet/packing.h"

#include <cstring>

#include "acg/base/check.h"
#include "compiler/codelet/element.h"

namespace covenant::compiler::codelet {
namespace {

std::vector<int64_t> constants(const std::vector<Expression>& expressions) {
  std::vector<int64_t> result;
  for (const Expression& expression : expressions) {
    check(expression.constant().has_value(), "the shape of a tensor is not bound");
    result.push_back(expression.constant().value());
  }
  return result;
}

size_t count(const std::vector<int64_t>& shape) {
  size_t product = 1;
  for (const int64_t extent : shape) product *= static_cast<size_t>(extent);
  return product;
}

/// Advances `index` by one step of a row-major walk over `shape`.
void advance(std::vector<int64_t>& index, const std::vector<int64_t>& shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) return;
    index[d] = 0;
  }
}

/// Row-major position of `index` in `shape`. Nothing if it lies outside.
std::optional<size_t> position(const std::vector<int64_t>& index, const std::vector<int64_t>& shape) {
  size_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) return std::nullopt;
    at = at * static_cast<size_t>(shape[d]) + static_cast<size_t>(index[d]);
  }
  return at;
}

/// An index of the logical tensor as an affine function of the packed tensor's indices.
struct AffineIndex {
  int64_t base = 0;
  std::vector<int64_t> factors;  ///< one per dimension of the packed tensor

  int64_t evaluate(const std::vector<int64_t>& index) const {
    int64_t sum = base;
    for (size_t d = 0; d < factors.size(); ++d) sum += factors[d] * index[d];
    return sum;
  }
};

/// The packing as affine functions of p0, p1, ...; the identity if there is no packing.
std::vector<AffineIndex> affine_indices(const Surrogate& surrogate, size_t rank) {
  std::vector<AffineIndex> result;
  for (size_t d = 0; d < rank && surrogate.packing.empty(); ++d) {
    result.push_back({0, std::vector<int64_t>(rank)});
    result[d].factors[d] = 1;
  }
  for (const Expression& expression : surrogate.packing) {
    AffineIndex index{0, std::vector<int64_t>(rank)};
    for (const Term& term : expression.terms()) {
      check(term.names.size() <= 1, "a packing is not affine");
      if (term.names.empty()) {
        index.base += term.coefficient;
      } else {
        index.factors.at(std::stoul(term.names[0].substr(1))) += term.coefficient;
      }
    }
    result.push_back(std::move(index));
  }
  return result;
}

}  // namespace

std::vector<uint8_t> to_packed(const Surrogate& surrogate, std::span<const uint8_t> logical) {
  const std::vector<int64_t> shape = constants(surrogate.shape);
  const std::vector<int64_t>& source = surrogate.logical_shape.empty() ? shape : surrogate.logical_shape;
  const size_t width = bytes(surrogate.dtype.value());
  check(logical.size() == count(source) * width, "a tensor has not the size of its logical shape");
  const int32_t padding =
      surrogate.packing.empty() ? lane(surrogate.dtype.value(), surrogate.fill.constant().value()) : 0;
  const std::vector<AffineIndex> indices = affine_indices(surrogate, shape.size());
  std::vector<uint8_t> packed(count(shape) * width);
  if (packed.empty()) return packed;
  // Row by row: along the last dimension, every index advances by a constant step.
  const auto columns = static_cast<size_t>(shape.empty() ? 1 : shape.back());
  std::vector<int64_t> rows = shape;
  if (!rows.empty()) rows.back() = 1;
  std::vector<int64_t> row(shape.size());
  std::vector<int64_t> from(source.size());
  for (size_t at = 0; at < packed.size(); advance(row, rows)) {
    for (size_t d = 0; d < from.size(); ++d) from[d] = indices[d].evaluate(row);
    for (size_t column = 0; column < columns; ++column, at += width) {
      if (const std::optional<size_t> element = position(from, source)) {
        std::memcpy(packed.data() + at, logical.data() + *element * width, width);
      } else {
        store_element(surrogate.dtype.value(), padding, packed.data() + at);
      }
      for (size_t d = 0; d < from.size() && !shape.empty(); ++d) from[d] += indices[d].factors.back();
    }
  }
  return packed;
}

}  // namespace covenant::compiler::codelet
