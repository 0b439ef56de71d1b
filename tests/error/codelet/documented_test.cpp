// Every code of the sources has its line in docs/reference/diagnostics/CDL.md, a test here, and no line is stale.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

#include "tests/support/folders.h"

namespace covenant {
namespace {

std::set<std::string> codes_in(const std::filesystem::path& path) {
  std::set<std::string> codes;
  const std::regex code("CDL[0-9]{4}");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".md") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const std::string all = text.str();
    for (std::sregex_iterator match(all.begin(), all.end(), code), end; match != end; ++match)
      codes.insert(match->str());
  }
  return codes;
}

TEST(Codes, AreDocumentedAndTested) {
  const std::filesystem::path root(source_folder());
  const std::set<std::string> made = codes_in(root / "compiler");
  std::set<std::string> documented;
  std::ifstream page(root / "docs/reference/diagnostics/CDL.md");
  ASSERT_TRUE(page);
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| CDL")) documented.insert(line.substr(2, 7));
  }
  EXPECT_EQ(made, documented);
  EXPECT_EQ(made, codes_in(root / "tests/error/codelet"));
}

}  // namespace
}  // namespace covenant
