/// Marks the sums of a graph that a machine's systolic arrays make, with their width.
///
/// before: a normalised graph
///
/// after: the same; nodes whose sums are narrower than a word have attributes (compiler/srdfg/accumulators.h), so that
/// reference operators give the bytes of the machine
#pragma once

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "compiler/srdfg/graph.h"

namespace covenant::compiler {

/// Sums of other units, of a SIMD array for one, have 32 bits. A graph for a machine without narrower sums is given
/// back as it is. Errors: as fit_elements; NET0032, its sums saturate, so that their order is part of what they are.
Result<srdfg::Graph> with_accumulators(srdfg::Graph graph, const acg::Machine& machine);

}  // namespace covenant::compiler
