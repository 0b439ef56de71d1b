/// What each kind of compute unit requires of its node: the attributes it takes and the capabilities it may have. One
/// entry per page of `docs/reference/units/` that describes a compute node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/operations/operation.h"

namespace covenant::acg {

enum class AttributeKind : uint8_t {
  kInteger,    ///< a number
  kInputRole,  ///< a memory that the unit reads: an edge leads from it to the node
  kOutputRole  ///< a memory that the unit writes: an edge leads to it from the node
};

struct UnitAttribute {
  std::string_view name;
  AttributeKind kind = AttributeKind::kInteger;
  int64_t highest = 0;  ///< for integer attributes
  bool is_optional = false;
  int64_t lowest = 1;  ///< for integer attributes
  /// Value of an optional attribute that the machine leaves out; setting this value explicitly is the same as leaving
  /// it out.
  std::optional<int64_t> otherwise = std::nullopt;
};

/// A capability and the operations that implement it, one of them or several together.
struct UnitCapability {
  std::string_view name;
  std::span<const Operation> operations;  ///< empty: no operation implements it
  bool is_any_enough = false;             ///< any one of the operations implements it; otherwise all are needed
};

struct ComputeUnit {
  UnitKind kind = UnitKind::kDescribed;
  std::span<const UnitAttribute> attributes;
  std::span<const UnitCapability> capabilities;  ///< capabilities that a node of this kind may have
  /// Other attributes and capabilities are accepted as well: the unit can be described but not simulated.
  bool is_open = false;
};

/// The compute unit of this kind. Null for kinds that are not compute nodes: control, sequencer, address_generator,
/// dma.
const ComputeUnit* find_compute_unit(UnitKind kind);
/// The kind called `name`, or nothing if it is not a kind of compute node.
std::optional<UnitKind> compute_unit_named(std::string_view name);
/// Words that `unit = ...;` takes.
std::vector<std::string> compute_unit_names();

}  // namespace covenant::acg
