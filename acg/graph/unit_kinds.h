/// What each unit kind asks of a compute node: its attributes and the capabilities it may have.
/// One entry per page of `docs/reference/units/`.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace covenant::acg {

enum class AttributeKind : uint8_t {
  kInteger,    ///< a number, at least 1
  kInputRole,  ///< a memory that the unit reads: an edge leads from it to the node
  kOutputRole  ///< a memory that the unit writes: an edge leads to it from the node
};

struct UnitAttribute {
  std::string_view name;
  AttributeKind kind = AttributeKind::kInteger;
  int64_t highest = 0;  ///< of integers
};

/// A capability and the operations that do it, in one word or in several.
struct UnitCapability {
  std::string_view name;
  std::span<const std::string_view> operations;  ///< "simd_array.max"; none: no words do it
  bool is_any_enough = false;                    ///< one of the operations does it; otherwise all are needed
};

struct UnitKind {
  std::string_view name;
  std::span<const UnitAttribute> attributes;     ///< all of them are required
  std::span<const UnitCapability> capabilities;  ///< what its capabilities may be called
  /// Other attributes and capabilities are taken as well: a unit that this program can describe but not simulate.
  bool is_open = false;
};

std::span<const UnitKind> unit_kinds();
/// Null if there is none of this name.
const UnitKind* find_unit_kind(std::string_view name);

}  // namespace covenant::acg
