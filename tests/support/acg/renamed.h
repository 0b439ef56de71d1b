/// GeneSys with its nodes renamed.
#pragma once

#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "acg/lang/load.h"
#include "tests/support/folders.h"

namespace covenant::test {

/// `text` with every word in `names` replaced.
inline std::string renamed(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string result;
  std::string word;
  for (const char character : text + "\n") {
    if (std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_') {
      word += character;
      continue;
    }
    const auto other = names.find(word);
    result += other == names.end() ? word : other->second;
    result += character;
    word.clear();
  }
  return result;
}

/// GeneSys of 4x3, its nodes renamed; the edges that bring inputs and weights share `bus`, if it has a name.
inline acg::Machine renamed_genesys(const std::map<std::string, std::string>& names, const std::string& bus = "") {
  const auto content_of = [](const std::string& name) {
    std::stringstream content;
    content << std::ifstream(source_folder() + "/acg/machines/" + name).rdbuf();
    return content.str();
  };
  std::string text = content_of("genesys.acg");
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("include \"genesys_words.acg\";", content_of("genesys_words.acg"));
  if (!bus.empty()) {
    for (const std::string width : {"axi_input", "axi_weight"})
      replace("{ bandwidth = " + width + "; }", "{ bandwidth = " + width + "; bus = " + bus + "; }");
  }
  const auto machine = acg::parse_machine(renamed(text, names), "renamed.acg", "", {{"M", "4"}, {"N", "3"}});
  if (!machine) throw std::runtime_error(render(machine.error()));
  return *machine;
}

}  // namespace covenant::test
