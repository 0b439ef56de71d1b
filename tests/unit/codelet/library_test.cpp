#include "compiler/library/library.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "compiler/codelet/parse.h"
#include "compiler/codelet/print.h"
#include "compiler/codelet/verify.h"
#include "tests/support/folders.h"

namespace covenant::compiler {
namespace {

TEST(Library, HasEveryFileOfItsFolder) {
  std::vector<std::string> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(source_folder()) / "compiler/library")) {
    if (entry.path().extension() == ".cdlt") files.push_back(entry.path().stem());
  }
  std::sort(files.begin(), files.end());
  EXPECT_EQ(library_names(), files);
}

TEST(Library, CodeletsAreTheFilesAndVerify) {
  for (const std::string& name : library_names()) {
    const Result<codelet::Codelet> codelet = library_codelet(name);
    ASSERT_TRUE(codelet) << render(codelet.error());
    EXPECT_EQ(codelet->name, name);
    const Status verified = codelet::verify(*codelet, nullptr);
    EXPECT_TRUE(verified) << render(verified.error());
    std::ifstream file(std::filesystem::path(source_folder()) / "compiler/library" / (name + ".cdlt"));
    std::stringstream text;
    text << file.rdbuf();
    const Result<codelet::Codelet> from_file = codelet::parse(text.str(), name);
    ASSERT_TRUE(from_file);
    EXPECT_EQ(*codelet, *from_file);
    const Result<codelet::Codelet> again = codelet::parse(print(*codelet), name);
    ASSERT_TRUE(again) << render(again.error());
    EXPECT_EQ(*again, *codelet);
  }
}

}  // namespace
}  // namespace covenant::compiler
