/// Instructions: what one execution of a capability computes, as a set of instances (Rieber, Acosta and Fröning, "The
/// Programming of Deep Learning Accelerators as a Constraint Satisfaction Problem", section 3.1).
///
/// Made from the shapes of a capability alone, by the roles of compiler/codelet/roles.h; no machine is known by name.
/// A product takes matrices [rows, inner] and [inner, columns], also as vectors: a systolic array
/// `(i32,16)=GEMM((i8,16),(i8,16,16),(i32,16))` has 1 row, 16 columns and an inner axis of 16, as VTA's GEMM of
/// 1x16x16; `(i32,32)=GEMM((u8,32,4),(u8,4),(i32,32))` has 32 rows, 1 column and an inner axis of 4. Products of lanes
/// (MAC, and operands of equal shape that are no matrices) and all other functions have lanes, MAC also an inner axis.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/dtype.h"
#include "acg/graph/graph.h"
#include "acg/graph/queries.h"
#include "compiler/embedding/workload.h"

namespace covenant::compiler::embedding {

/// One axis of the box of instances.
struct InstructionAxis {
  std::string name;           ///< "rows", "columns", "inner", "lanes"
  int64_t size = 1;           ///< may be 1
  bool is_reduction = false;  ///< its instances add to the same element of the output
  bool operator==(const InstructionAxis&) const = default;
};

/// An operand has one element for each point of the axes that index it; along the others it is broadcast.
struct InstructionOperand {
  DType dtype = DType::kI32;
  std::vector<size_t> axes;  ///< outermost first; none for a number, or for a table that is looked up
  bool mentions(size_t axis) const;
  bool operator==(const InstructionOperand&) const = default;
};

struct Instruction {
  std::string compute;           ///< the capability: "GEMM"
  acg::CapabilityMatch match{};  ///< whose capability it is
  std::vector<InstructionAxis> axes;
  std::vector<InstructionOperand> inputs;  ///< without the operand that sums start from, which is as the output
  InstructionOperand output;
  bool commutes = false;  ///< the first two inputs may change places
  bool operator==(const Instruction&) const = default;
};

/// Instances of one execution: the product of the sizes of all axes.
int64_t instances(const Instruction& instruction);

/// Axes and sizes as text: `GEMM rows 1 columns 16 inner 16`.
std::string print(const Instruction& instruction);

/// True if the two functions do the same with their operands, apart from how many elements they take: the same name, or
/// both add up products (GEMM, MMUL, MAC).
bool is_alike(const std::string& one, const std::string& other);

/// The instruction of a capability. Nothing if its operands' extents fit neither a product of matrices nor lanes.
std::optional<Instruction> instruction_of(const acg::Capability& capability, acg::CapabilityMatch match = {});

/// True if the workload's operands, the first two exchanged or not, have the types of the instruction's.
bool has_types(const Instruction& instruction, const Workload& workload, bool is_exchanged);

/// Instructions of all capabilities of the machine that do what the workload's compute does, on operands of its types,
/// in its order or, for functions that commute, with the first two exchanged; in the order of declaration.
std::vector<Instruction> instructions_for(const Workload& workload, const acg::Machine& machine);

}  // namespace covenant::compiler::embedding
