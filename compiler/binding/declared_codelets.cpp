#include "compiler/binding/declared_codelets.h"

#include <algorithm>

namespace covenant::compiler {

using codelet::Codelet;
using codelet::Surrogate;
using codelet::SurrogateKind;

srdfg::DeclaredOperators declared_operators(const std::vector<Codelet>& codelets) {
  srdfg::DeclaredOperators operators;
  for (const Codelet& codelet : codelets) {
    operators.push_back({codelet.implements, codelet.name, tensors_of(codelet, SurrogateKind::kInp).size()});
  }
  return operators;
}

std::vector<std::string> tensors_of(const Codelet& codelet, SurrogateKind kind) {
  std::vector<std::string> names;
  for (const Surrogate& surrogate : codelet.surrogates) {
    if (surrogate.kind == kind) names.push_back(surrogate.name);
  }
  return names;
}

const Codelet* find_codelet(const std::vector<Codelet>& codelets, const std::string& name) {
  const auto found =
      std::find_if(codelets.begin(), codelets.end(), [&](const Codelet& one) { return one.name == name; });
  return found == codelets.end() ? nullptr : &*found;
}

}  // namespace covenant::compiler
