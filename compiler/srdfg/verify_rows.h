/// Checks operations on the rows of [G,M,K] against operations.h: products of two activations, normalisation, and their
/// parts.
#pragma once

#include <string_view>

#include "compiler/srdfg/graph.h"

namespace covenant::compiler::srdfg {

bool works_on_rows(std::string_view operation);

/// True for row_mean, row_squares, row_variance and row_deviation, which make one f32 number per row.
bool is_row_number(std::string_view operation);

/// True for those, normalize_rows and scale_columns: operations without products.
bool is_normalisation(std::string_view operation);

/// Checks shapes and dtypes of such a node. Returns what is wrong, or an empty text. Precondition: the numbers of
/// inputs and outputs match operations.h, and they have rank 3 where it requires that.
std::string_view mistake_on_rows(const Node& node, const Graph& graph);

/// Checks the attributes other than lowest and highest. Returns what is wrong, or an empty text. Adds those that are
/// present to `known`.
std::string_view mistake_in_row_attributes(const Node& node, size_t& known);

}  // namespace covenant::compiler::srdfg
