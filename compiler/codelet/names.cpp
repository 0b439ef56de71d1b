#include "compiler/codelet/names.h"

#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {

Names::Names(const codelet::Codelet& source) {
  for (const codelet::Surrogate& surrogate : source.surrogates) taken_.insert(surrogate.name);
  for_each_operation(source.body, [&](const codelet::Operation& operation, const std::vector<const codelet::Loop*>&) {
    if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) taken_.insert(loop->variable);
    if (const auto* transfer = std::get_if<codelet::Transfer>(&operation.op)) taken_.insert(transfer->local);
  });
}

std::string Names::fresh(const std::string& name) {
  for (int i = 1;; ++i) {
    std::string candidate = name + std::to_string(i);
    if (taken_.insert(candidate).second) return candidate;
  }
}

std::string Names::take(const std::string& name, const std::string& prefix) {
  if (taken_.insert(name).second) return name;
  const std::string prefixed = prefix + "_" + name;
  return taken_.insert(prefixed).second ? prefixed : fresh(prefixed);
}

}  // namespace covenant::compiler
