/// Behaviour -> C++: a machine that does the same as the evaluator, cycle by cycle, and is compiled before it runs.
///
/// Where something unusual is met (an index past an array, an element that was never written, too much work), it has
/// the statement evaluated as the definition says, so that its diagnostics are those of the evaluator.
#pragma once

#include <map>
#include <string>

#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour::native {

/// Name of the source in `emit`'s files.
inline constexpr const char* kSource = "machine.cpp";

/// The files of the machine: its source, and the headers that it includes by their paths in this repository.
std::map<std::string, std::string> emit(const Behaviour& behaviour);

}  // namespace covenant::acg::behaviour::native
