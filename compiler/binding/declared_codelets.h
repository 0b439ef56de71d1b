/// Codelets of a user's folder, each of which is an operator.
#pragma once

#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/srdfg/declared.h"

namespace covenant::compiler {

/// One operator for each codelet, with as many inputs as the codelet has `inp`s.
srdfg::DeclaredOperators declared_operators(const std::vector<codelet::Codelet>& codelets);

/// Names of the codelet's tensors of one kind, in order: those of the operator's inputs or outputs.
std::vector<std::string> tensors_of(const codelet::Codelet& codelet, codelet::SurrogateKind kind);

/// The codelet of this name, or null.
const codelet::Codelet* find_codelet(const std::vector<codelet::Codelet>& codelets, const std::string& name);

}  // namespace covenant::compiler
