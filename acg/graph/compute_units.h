/// What the unit of a compute node asks of it: its attributes and the capabilities it may have.
/// One entry per page of `docs/reference/units/` that describes a compute node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/isa/operation.h"

namespace covenant::acg {

enum class AttributeKind : uint8_t {
  kInteger,    ///< a number
  kInputRole,  ///< a memory that the unit reads: an edge leads from it to the node
  kOutputRole  ///< a memory that the unit writes: an edge leads to it from the node
};

struct UnitAttribute {
  std::string_view name;
  AttributeKind kind = AttributeKind::kInteger;
  int64_t highest = 0;  ///< of integers
  bool is_optional = false;
  int64_t lowest = 1;  ///< of integers
  /// What a machine that does not say it has: who says this says nothing.
  std::optional<int64_t> otherwise = std::nullopt;
};

/// A capability and the operations that do it, in one word or in several.
struct UnitCapability {
  std::string_view name;
  std::span<const Operation> operations;  ///< none: no words do it
  bool is_any_enough = false;             ///< one of the operations does it; otherwise all are needed
};

struct ComputeUnit {
  UnitKind kind = UnitKind::kDescribed;
  std::span<const UnitAttribute> attributes;
  std::span<const UnitCapability> capabilities;  ///< what its capabilities may be called
  /// Other attributes and capabilities are taken as well: a unit that this program can describe but not simulate.
  bool is_open = false;
};

/// Null for kinds that are no compute node: control, sequencer, address_generator, dma.
const ComputeUnit* find_compute_unit(UnitKind kind);
/// The kind written `name`, if compute nodes can be of it.
std::optional<UnitKind> compute_unit_named(std::string_view name);
/// What `unit = ...;` may say.
std::vector<std::string> compute_unit_names();

}  // namespace covenant::acg
