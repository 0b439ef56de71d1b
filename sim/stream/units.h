/// The table of unit kinds that this model of stream machines has.
#pragma once

#include <span>

#include "sim/stream/common/unit.h"

namespace covenant::sim {

/// The kinds that a machine is built round first: a layer is reported under its busy engine whose row comes first.
std::span<const UnitRow* const> unit_rows();
/// Null if there is no model of the kind.
const UnitRow* find_unit(acg::UnitKind kind);
/// Precondition: there is a model of the kind.
const UnitRow& unit_row(acg::UnitKind kind);
/// True for words that use the port of the unit that they are for.
bool uses_port(acg::Operation operation);
/// True if a layer is reported under an engine of `one` rather than of `other`.
bool comes_before(const UnitRow& one, const UnitRow& other);
/// Part of the work that an engine could have done in the cycles of a block that is reported under it.
double utilisation(const BlockStatistics& block, const acg::Machine& machine, const acg::Engine& engine);

}  // namespace covenant::sim
