#include "compiler/codelet/codelet.h"

namespace covenant::compiler::codelet {

bool Surrogate::operator==(const Surrogate& other) const {
  return kind == other.kind && name == other.name && shape == other.shape && dtype == other.dtype &&
         location == other.location && fill == other.fill && value == other.value && packing == other.packing &&
         logical_shape == other.logical_shape;
}

}  // namespace covenant::compiler::codelet
