/// A compute of a codelet whose operands are in registers.
#pragma once

#include <variant>
#include <vector>

#include "acg/base/diagnostic.h"
#include "compiler/codelet/codelet.h"
#include "compiler/families/vliw/writer.h"

namespace covenant::compiler::vliw {

/// An operand of a compute: registers that hold it, in order, or a constant.
struct SelectedOperand {
  DType dtype = DType::kI32;
  std::variant<std::vector<Name>, codelet::Constant> value;
};

/// A compute on registers. Scales are fractions (fixed_scales.h).
struct SelectedCompute {
  const codelet::Compute& compute;
  DType dtype = DType::kI32;  ///< dtype of the result
  std::vector<Name> result;   ///< registers, in order
  std::vector<SelectedOperand> operands;
};

/// Registers of an operand. For a constant, as many as the result has, with the constant in all lanes.
std::vector<Name> registers_of(const SelectedCompute& wanted, size_t operand, Writer& writer);

/// An attribute of the compute; 0 if it has none of this name.
int32_t attribute_of(const SelectedCompute& wanted, const char* name);

/// Copies registers into those of the result.
void move_into(const SelectedCompute& wanted, const std::vector<Name>& from, Writer& writer, std::vector<CodeStep>& to);

/// The diagnostic GEN0051.
Diagnostic unknown_compute(const SelectedCompute& wanted);

}  // namespace covenant::compiler::vliw
