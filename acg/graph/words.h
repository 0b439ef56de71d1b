/// The words of the text and JSON forms for the enums of a machine: one table each for reading, writing and messages.
#pragma once

#include <array>

#include "acg/base/named_value.h"
#include "acg/graph/graph.h"

namespace covenant::acg {

inline constexpr std::array<NamedValue<MemoryKind>, 6> kMemoryKinds{{{MemoryKind::kOffchip, "offchip"},
                                                                     {MemoryKind::kScratchpad, "scratchpad"},
                                                                     {MemoryKind::kInstruction, "instruction"},
                                                                     {MemoryKind::kImmediate, "immediate"},
                                                                     {MemoryKind::kRegisterFile, "register_file"},
                                                                     {MemoryKind::kCache, "cache"}}};

inline constexpr std::array<NamedValue<PortDirection>, 3> kPortDirections{
    {{PortDirection::kIn, "in"}, {PortDirection::kOut, "out"}, {PortDirection::kBoth, "both"}}};

inline constexpr std::array<NamedValue<Trigger>, 2> kTriggers{
    {{Trigger::kMnemonic, "mnemonic"}, {Trigger::kDataflow, "dataflow"}}};

inline constexpr std::array<NamedValue<FieldKind>, 4> kFieldKinds{{{FieldKind::kInteger, "ifield"},
                                                                   {FieldKind::kEnumeration, "efield"},
                                                                   {FieldKind::kConstant, "constant"},
                                                                   {FieldKind::kFixed, "fixed"}}};

}  // namespace covenant::acg
