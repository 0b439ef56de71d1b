/// Table of the functions that bind the nodes of an operator to a layer.
#pragma once

#include <string_view>

#include "compiler/layers/layer_builder.h"

namespace covenant::compiler {

/// The function for an operation (compiler/operators/operators.h), or nothing: it is no layer, or a user's.
LayerBinder find_binder(std::string_view operation);

}  // namespace covenant::compiler
