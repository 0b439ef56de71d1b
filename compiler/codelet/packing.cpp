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

/// One step of a row-major walk over `shape`.
void advance(std::vector<int64_t>& index, const std::vector<int64_t>& shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) return;
    index[d] = 0;
  }
}

/// Row-major position of `index` in `shape`, or nothing if it lies outside.
std::optional<size_t> position(const std::vector<int64_t>& index, const std::vector<int64_t>& shape) {
  size_t at = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) return std::nullopt;
    at = at * static_cast<size_t>(shape[d]) + static_cast<size_t>(index[d]);
  }
  return at;
}

}  // namespace

std::vector<uint8_t> to_packed(const Surrogate& surrogate, std::span<const uint8_t> logical) {
  const std::vector<int64_t> shape = constants(surrogate.shape);
  const std::vector<int64_t>& source = surrogate.logical_shape.empty() ? shape : surrogate.logical_shape;
  const size_t width = bytes(surrogate.dtype.value());
  check(logical.size() == count(source) * width, "a tensor has not the size of its logical shape");
  const int32_t padding =
      surrogate.packing.empty() ? lane(surrogate.dtype.value(), surrogate.fill.constant().value()) : 0;
  std::vector<uint8_t> packed(count(shape) * width);
  std::vector<int64_t> index(shape.size());
  std::vector<int64_t> from(source.size());
  for (size_t at = 0; at < packed.size(); at += width, advance(index, shape)) {
    if (surrogate.packing.empty()) {
      from = index;
    } else {
      // Packings are affine in p0, p1, ...: evaluated without a map, weights are large.
      for (size_t d = 0; d < from.size(); ++d) {
        from[d] = 0;
        for (const Term& term : surrogate.packing[d].terms()) {
          check(term.names.size() <= 1, "a packing is not affine");
          const int64_t factor = term.names.empty() ? 1 : index.at(std::stoul(term.names[0].substr(1)));
          from[d] += term.coefficient * factor;
        }
      }
    }
    if (const std::optional<size_t> element = position(from, source)) {
      std::memcpy(packed.data() + at, logical.data() + *element * width, width);
    } else {
      store_element(surrogate.dtype.value(), padding, packed.data() + at);
    }
  }
  return packed;
}

std::vector<uint8_t> to_logical(const Surrogate& surrogate, std::span<const uint8_t> padded) {
  check(surrogate.packing.empty(), "a packed constant is not unpacked");
  if (surrogate.logical_shape.empty()) return {padded.begin(), padded.end()};
  const std::vector<int64_t> shape = constants(surrogate.shape);
  const size_t width = bytes(surrogate.dtype.value());
  check(padded.size() == count(shape) * width, "a tensor has not the size of its shape");
  std::vector<uint8_t> logical(count(surrogate.logical_shape) * width);
  std::vector<int64_t> index(shape.size());
  for (size_t at = 0; at < logical.size(); at += width, advance(index, surrogate.logical_shape)) {
    std::memcpy(logical.data() + at, padded.data() + position(index, shape).value() * width, width);
  }
  return logical;
}

}  // namespace covenant::compiler::codelet
