/// A compute of a codelet whose operands lie in registers.
#pragma once

#include <variant>
#include <vector>

#include "acg/base/diagnostic.h"
#include "compiler/codelet/codelet.h"
#include "compiler/target/vliw/writer.h"

namespace covenant::compiler::vliw {

/// An operand of a compute: registers that hold it in their order, or a constant.
struct SelectedOperand {
  DType dtype = DType::kI32;
  std::variant<std::vector<Name>, codelet::Constant> value;
};

/// A compute on registers. Scales are fractions (scales.h).
struct SelectedCompute {
  const codelet::Compute& compute;
  DType dtype = DType::kI32;  ///< of the result
  std::vector<Name> result;   ///< registers, in their order
  std::vector<SelectedOperand> operands;
};

/// Registers of an operand, as many as the result has of a constant: it lies in all lanes.
std::vector<Name> registers_of(const SelectedCompute& wanted, size_t operand, Writer& writer);

/// An attribute of the compute; 0 if it does not say it.
int32_t attribute_of(const SelectedCompute& wanted, const char* name);

/// Copies registers into those of the result.
void move_into(const SelectedCompute& wanted, const std::vector<Name>& from, Writer& writer, std::vector<Step>& to);

/// GEN0051.
Diagnostic unknown_compute(const SelectedCompute& wanted);

}  // namespace covenant::compiler::vliw
