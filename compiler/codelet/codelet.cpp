#include "compiler/codelet/codelet.h"

#include <algorithm>

namespace covenant::compiler::codelet {

bool Surrogate::operator==(const Surrogate& other) const {
  return kind == other.kind && name == other.name && shape == other.shape && dtype == other.dtype &&
         location == other.location && fill == other.fill && reads_outside(*this) == reads_outside(other) &&
         value == other.value && packing == other.packing && logical_shape == other.logical_shape &&
         strides == other.strides && offset == other.offset;
}

bool reads_outside(const Surrogate& surrogate) { return surrogate.has_fill || surrogate.fill != Expression(0); }

bool Reference::mentions(const std::string& variable) const {
  return std::any_of(indices.begin(), indices.end(), [&](const Expression& index) { return index.mentions(variable); });
}

bool Reference::operator==(const Reference& other) const {
  return surrogate == other.surrogate && indices == other.indices;
}

bool Codelet::operator==(const Codelet& other) const {
  return name == other.name && implements == other.implements && surrogates == other.surrogates && body == other.body;
}

}  // namespace covenant::compiler::codelet
