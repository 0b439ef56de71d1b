/// The names of element types in a machine's text and JSON forms.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"

namespace covenant::acg {

/// Element types that a capability of `machine` may name: `i8`, ..., `fixed(Q,F)`, and those that the machine declares.
std::vector<std::string> element_type_names(const Machine& machine);
/// The element type as text: `i8`, `fixed(8,8)`, `f8e4m3`.
std::string element_type_text(const CapabilityOperand& operand);
/// The inverse: dtype and format of an operand, without its shape. Nothing if the machine has no such element type.
std::optional<CapabilityOperand> element_type_of(const Machine& machine, std::string_view text);
/// Bits of one element. Precondition: the element type is one of `machine`.
uint32_t element_bits(const Machine& machine, const CapabilityOperand& operand);

}  // namespace covenant::acg
