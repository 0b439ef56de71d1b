/// Properties of each kind of unit in the description of machines: one row a kind.
///
/// The rows are in `acg/units`, a file for each kind. Code of other rooms of `acg` asks the row of a unit and compares
/// no kinds, so that a new kind is a row and a file of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "acg/graph/graph.h"
#include "acg/operations/operation.h"

namespace covenant::acg {

namespace checks {
struct CheckedNode;  // acg/validate/validate_context.h
}

/// Place of the units of a kind in a machine.
enum class UnitPlace : uint8_t {
  kPart,  ///< inside of engines
  kNode,  ///< a compute node
  kEdge   ///< the engine of each edge on which tiles move
};

enum class AttributeKind : uint8_t {
  kInteger,    ///< a number
  kInputRole,  ///< a memory that the unit reads: an edge leads from it to the node
  kOutputRole  ///< a memory that the unit writes: an edge leads to it from the node
};

/// The part of a machine's numerics that an attribute declares (acg/graph/numerics.h).
enum class Numerics : uint8_t {
  kNone,
  kAccumulatorBits,  ///< width of the sums that the unit makes
  kSaturation,       ///< 1: sums saturate instead of wrapping
  kHalvesAway        ///< 1: fixed-point shifts round halves away from zero instead of up
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
  Numerics declares = Numerics::kNone;
  bool may_be_registers = false;  ///< for roles: the memory may be a register file instead of a scratchpad
};

/// A capability and the operations that implement it, one of them or several together.
struct UnitCapability {
  std::string_view name;
  std::span<const Operation> operations;  ///< empty: no operation implements it
  bool is_any_enough = false;             ///< any one of the operations implements it; otherwise all are needed
};

/// Shapes of a capability that match the size of its node.
struct CapabilityShapes {
  std::vector<uint64_t> output;
  std::vector<std::vector<uint64_t>> inputs;
  std::string_view sizes;      ///< the attributes that they follow, for messages: "rows and columns"
  bool may_broadcast = false;  ///< an input may be one element instead
};

/// The row of a kind.
struct UnitInfo {
  UnitKind kind = UnitKind::kDescribed;
  UnitPlace place = UnitPlace::kPart;
  std::span<const UnitAttribute> attributes{};
  std::span<const UnitCapability> capabilities{};  ///< capabilities that a node of this kind may have
  /// Other attributes and capabilities are accepted as well: the unit can be described, but nothing executes its words.
  bool is_open = false;
  bool issues_packets = false;   ///< its words are issued several at once; the first such node stands for the core
  bool addresses_bytes = false;  ///< its memories have no elements of less than a byte
  /// Cycles from accepting the last beat of work to the first cycle in which its effect is visible. Null: 1, the engine
  /// drains before the next word.
  uint32_t (*depth)(const Machine& machine, const Engine& engine) = nullptr;
  /// Shapes that match the size of a node of this kind. Null: any.
  CapabilityShapes (*shapes)(const Machine& machine, const Compute& compute, const Capability& capability) = nullptr;
  /// Checks a node of this kind, and the mnemonics that program it, beyond what the rest of the row states. Throws
  /// Failure. Null: there is no more to check.
  void (*check)(const checks::CheckedNode& node) = nullptr;
};

/// The rows of all kinds, in the order of UnitKind.
std::span<const UnitInfo* const> unit_table();
const UnitInfo& info(UnitKind kind);
/// The row of what moves tiles on edges.
const UnitInfo& edge_unit();
/// True if `operation` takes part in the capability called `capability` of this unit.
bool takes_part(const UnitInfo& unit, std::string_view capability, Operation operation);

/// The row of a kind of compute node. Null for other kinds.
const UnitInfo* find_compute_unit(UnitKind kind);
/// The kind called `name`, or nothing if it is not a kind of compute node.
std::optional<UnitKind> compute_unit_named(std::string_view name);
/// Words that `unit = ...;` takes.
std::vector<std::string> compute_unit_names();

}  // namespace covenant::acg
