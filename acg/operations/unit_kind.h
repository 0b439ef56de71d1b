/// The kinds of units that execute the operations of `acg/operations/operation.h`, and their names in machines and
/// messages.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "acg/base/named_value.h"

namespace covenant::acg {

/// A name is resolved once, when a machine is read; afterwards kinds are compared, never names. Each kind except the
/// last has a page `docs/reference/units/<name>.md`.
enum class UnitKind : uint8_t {
  kControl,           ///< the fetch unit
  kSequencer,         ///< loops and tokens; part of every engine
  kAddressGenerator,  ///< addresses of tiles; part of dma and systolic_array
  kDma,               ///< the engine of an edge of off-chip memory
  kSystolicArray,     ///< a compute node
  kSimdArray,         ///< a compute node
  kVliwCore,          ///< a compute node
  kDescribed          ///< a compute node of which only the graph is known: nothing executes its words
};

inline constexpr std::array<NamedValue<UnitKind>, 8> kUnitKinds{{{UnitKind::kControl, "control"},
                                                                 {UnitKind::kSequencer, "sequencer"},
                                                                 {UnitKind::kAddressGenerator, "address_generator"},
                                                                 {UnitKind::kDma, "dma"},
                                                                 {UnitKind::kSystolicArray, "systolic_array"},
                                                                 {UnitKind::kSimdArray, "simd_array"},
                                                                 {UnitKind::kVliwCore, "vliw_core"},
                                                                 {UnitKind::kDescribed, "described"}}};

constexpr std::string_view name_of(UnitKind kind) { return name_in(kUnitKinds, kind); }

}  // namespace covenant::acg
