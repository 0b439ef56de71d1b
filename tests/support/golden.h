/// Texts that were agreed on.
#pragma once

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "tests/support/folders.h"

namespace covenant::test {

/// `text` is what stands in `path`, from the root of the project. COVENANT_REWRITE_GOLDEN=1 writes it there instead,
/// and fails this once: what was written has to be looked at, and no run that writes its own answers is a passed one.
/// `target`: the tests to run for that.
inline void expect_golden(const std::string& path, const std::string& text, const std::string& target) {
  const std::string whole = source_folder() + "/" + path;
  const std::string command = "COVENANT_REWRITE_GOLDEN=1 ctest -R " + target;
  if (std::getenv("COVENANT_REWRITE_GOLDEN") != nullptr) {
    std::ofstream(whole) << text;
    FAIL() << path << " is written anew: look at `git diff`, and run again without COVENANT_REWRITE_GOLDEN";
  }
  std::ifstream file(whole);
  ASSERT_TRUE(file) << "no " << whole << ": run " << command;
  std::ostringstream wanted;
  wanted << file.rdbuf();
  EXPECT_EQ(text, wanted.str()) << "if the change is meant: " << command;
}

}  // namespace covenant::test
