/// Comparison with committed texts.
#pragma once

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

#include "tests/support/folders.h"

namespace covenant::test {

/// Expects that `text` equals the file at `path`, relative to the root of the project. COVENANT_REWRITE_GOLDEN=1 writes
/// it there instead and fails once: the result has to be reviewed, and a run that writes its own answers has not
/// passed. `target`: the tests to run for that.
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
