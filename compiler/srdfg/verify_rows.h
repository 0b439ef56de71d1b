/// What operations.h says of nodes that work on the rows of [G,M,K]: products of two activations, normalisation, their
/// parts.
#pragma once

#include <string_view>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

bool works_on_rows(std::string_view operation);

/// row_mean, row_squares, row_variance, row_deviation: numbers of f32 that stand for rows.
bool is_row_number(std::string_view operation);

/// Those, normalize_rows and scale_columns: without products.
bool is_normalisation(std::string_view operation);

/// Whether shapes and dtypes of such a node fit; empty if they do. Precondition: inputs and outputs are as many as
/// operations.h has, of rank 3 where it says so.
std::string_view mistake_on_rows(const Node& node, const Graph& graph);

/// The attributes beside lowest and highest; empty if they fit. Those that are there are added to `known`.
std::string_view mistake_in_row_attributes(const Node& node, size_t& known);

}  // namespace covenant::compiler::srdfg
