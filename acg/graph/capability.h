/// Capabilities: what a compute node can do (section 2.1.3 of the Covenant paper).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/dtype.h"

namespace covenant::acg {

/// The member of a family of element types: for kFixed its integer bits (sign included) and fraction bits, for kNamed
/// its name. Empty for all other types.
struct ElementFormat {
  uint32_t integer_bits = 0;
  uint32_t fraction_bits = 0;
  std::string name;
  bool operator==(const ElementFormat&) const = default;
};

/// `dtype f8e4m3 { bits = 8; }`: an element type that the machine declares. This program knows its name and width only.
struct NamedDType {
  std::string name;
  uint32_t bits = 0;
  bool operator==(const NamedDType&) const = default;
};

/// One operand of a capability: `(i8,64,64)` is {kI8, {64, 64}}, `(fixed(8,8),4)` is {kFixed, {4}, {8, 8, ""}}.
struct CapabilityOperand {
  DType dtype = DType::kI32;
  std::vector<uint64_t> shape;
  ElementFormat format{};
  bool operator==(const CapabilityOperand&) const = default;
};

/// One capability (section 2.1.3): `(i32,64)=GEMM((i8,64),(i8,64,64),(i32,64))`.
struct Capability {
  std::string name;
  CapabilityOperand output;
  std::vector<CapabilityOperand> inputs;
  uint32_t latency = 1;    ///< cycles in the execute stage of the unit
  uint32_t occupancy = 1;  ///< cycles until the unit can start the next one
  double energy = 0;       ///< pJ per execution; 0: unknown
  bool operator==(const Capability&) const = default;
};

}  // namespace covenant::acg
