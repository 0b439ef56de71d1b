/// Layers for operators that a user's folder of codelets declares.
#pragma once

#include <string>
#include <vector>

#include "compiler/codelet/codelet.h"
#include "compiler/network/layer_builder.h"
#include "compiler/srdfg/declared.h"

namespace covenant::compiler {

/// One operator for each codelet, with as many inputs as the codelet has `inp`s.
srdfg::DeclaredOperators declared_operators(const std::vector<codelet::Codelet>& codelets);

/// Names of the codelet's tensors of one kind, in order: those of the operator's inputs or outputs.
std::vector<std::string> tensors_of(const codelet::Codelet& codelet, codelet::SurrogateKind kind);

/// The codelet of this name, or null.
const codelet::Codelet* find_codelet(const std::vector<codelet::Codelet>& codelets, const std::string& name);

/// Binds the codelet's tensors to the node's values, in order, and sets those of these params that the codelet has: C
/// (channels), P (all other elements), LOWEST, HIGHEST (of the stored dtype), ZERO (the zero point); `bind` refuses
/// others. Also sets the counts of `NetworkLayer`.
Status bind_declared(const codelet::Codelet& codelet, LayerBuilder& builder);

}  // namespace covenant::compiler
