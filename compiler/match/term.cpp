#include "compiler/match/term.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "acg/base/failure.h"
#include "compiler/match/term_reader.h"

namespace covenant::compiler::match {

Result<Term> parse_term(std::string_view text) {
  return guarded<Term>([&] {
    Reader reader(text, "");
    Term term = reader.term();
    reader.end();
    return term;
  });
}

std::string text_of(const Term& term) {
  std::vector<std::string> texts;
  for (const TermNode& node : term.nodes) {
    std::string text = (node.is_variable ? "?" : "") + node.name;
    for (const uint32_t child : node.children) text += " " + texts[child];
    texts.push_back(node.children.empty() ? std::move(text) : "(" + text + ")");
  }
  return texts.back();
}

std::vector<std::string> variables_of(const Term& term) {
  std::vector<std::string> names;
  for (const TermNode& node : term.nodes) {
    if (node.is_variable && std::ranges::find(names, node.name) == names.end()) names.push_back(node.name);
  }
  return names;
}

}  // namespace covenant::compiler::match
