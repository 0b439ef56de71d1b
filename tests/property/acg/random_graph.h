/// Random valid machines of every shape that the language allows.
#pragma once

#include "acg/graph/graph.h"
#include "tests/property/acg/random_source.h"

namespace covenant::acg::testing {

/// A machine that passes `validate`: memories of every kind, open units with free attributes, ports, inner nodes, own
/// element types, costs; edges with and without ports. Without mnemonics: those have properties of their own.
Machine random_graph(RandomSource& random);

}  // namespace covenant::acg::testing
