/// The family of streams: engines that run words in order, meet at tokens and move tiles by DMA (GeneSys, DNNWeaver).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "acg/graph/graph.h"
#include "compiler/optimisations.h"
#include "compiler/target/target.h"

namespace covenant::compiler::stream {

/// `machine` must outlive the target. It has none of the optimisations that can be left out.
std::unique_ptr<Target> make_target(const acg::Machine& machine, const Optimisations& optimisations);

/// What `emit` reports before `assembly` (words): buffered (locals have channels and offsets).
std::vector<std::string> stages();

}  // namespace covenant::compiler::stream
