/// Finds where the results of layers are in off-chip memory.
#pragma once

#include <string>
#include <vector>

#include "acg/program/program.h"
#include "compiler/codelet/codelet.h"
#include "compiler/network/network.h"

namespace covenant::compiler {

/// Elements of a surrogate, padding included.
uint64_t elements_of(const codelet::Surrogate& surrogate);
/// Bytes of a bound surrogate, all of its elements dense.
uint64_t size_of(const codelet::Surrogate& surrogate);

/// Elements of memory up to the last one of a surrogate that is a view of it, as whatever writes it sees it; 0 of any
/// other one.
uint64_t elements_spanned(const codelet::Surrogate& surrogate);

/// The surrogate called `name` that a layer binds. Precondition: the codelet has it.
const codelet::Surrogate& surrogate_named(const codelet::Codelet& codelet, const std::string& name);

/// The activation's storage as a scheduled codelet sees it: if it is viewed as whole vectors, it has as many channels
/// as these; otherwise it is unchanged.
Storage storage_seen(const Activation& activation, const codelet::Surrogate& surrogate);

/// The results of every layer, in order of execution, under their names in the model. Precondition: `program` was made
/// from `network`, and layer i is `scheduled[i]`.
std::vector<acg::BlockResult> layer_results(const Network& network, const std::vector<codelet::Codelet>& scheduled,
                                            const acg::Program& program);

}  // namespace covenant::compiler
