// Errors while a machine is compiled and loaded: BEH0050 to BEH0054, and what is left of builds that were killed.
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "runtime/commands/adaptive_engine.h"
#include "runtime/commands/native_engine.h"
#include "tests/support/behaviour.h"

namespace covenant::runtime {
namespace {

namespace fs = std::filesystem;

/// A folder of its own, with compilers of its own that stand before all others in PATH.
class NativeBuild : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string test = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = fs::temp_directory_path() / ("covenant_" + test + std::to_string(getpid()));
    fs::create_directories(folder_ / "tools");
    path_ = std::getenv("PATH");
    setenv("PATH", ((folder_ / "tools").string() + ":/bin:/usr/bin").c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    fs::permissions(folder_, fs::perms::owner_all);
    fs::remove_all(folder_);
  }
  /// A compiler that says its version, and then does this.
  void compiler(const std::string& does, const std::string& name = "clang++") {
    tool(name, R"([ "$1" = --version ] && echo "clang version 0" && exit 0
)" + does);
  }
  void tool(const std::string& name, const std::string& script) {
    std::ofstream(folder_ / "tools" / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_ / "tools" / name, fs::perms::owner_all);
  }
  /// A compiler that does this before it compiles, in the place of the first that there is.
  void working_compiler(const std::string& before) {
    for (const std::string name : {"clang++", "g++"}) {
      std::istringstream folders(path_);
      for (std::string folder; std::getline(folders, folder, ':');) {
        if (fs::exists(fs::path(folder) / name))
          return compiler(fmt::format("{}; exec {}/{} \"$@\"", before, folder, name), name);
      }
      tool(name, "exit 127");
    }
  }
  Diagnostic build(const std::function<bool()>& goes_on = {}) {
    const auto opened = open_native(acg::testing::with(""), {folder_ / "cache", goes_on});
    return opened ? Diagnostic{} : opened.error();
  }
  /// Names in the cache that are no locks.
  std::vector<std::string> kept() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
      if (entry.path().extension() != ".lock") names.push_back(entry.path().filename().string());
    }
    return names;
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(NativeBuild, WithoutCompiler) {
  tool("clang++", "exit 127");
  tool("g++", "exit 127");
  const Diagnostic said = build();
  EXPECT_EQ(said.code, "BEH0050");
  EXPECT_EQ(said.offending, "clang++ or g++");
  EXPECT_FALSE(has_machine_compiler());
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
}

TEST_F(NativeBuild, WithoutCompilerTheEvaluatorGoesOn) {
  tool("clang++", "exit 127");
  tool("g++", "exit 127");
  AdaptiveEngine machine(acg::testing::with(""), {folder_ / "cache", {}}, {.work = 1});
  for (int value = 0; value < 3; ++value) {
    ASSERT_TRUE(acg::testing::write_at(machine, 1, value));
    EXPECT_EQ(*acg::testing::read_at(machine, 2), value);
  }
  EXPECT_FALSE(machine.is_compiled());
  EXPECT_EQ(machine.recorded(), 0U);
}

TEST_F(NativeBuild, WhatIsRecordedIsBounded) {
  working_compiler(":");
  constexpr uint64_t kMost = 4000;
  AdaptiveEngine machine(acg::testing::with("state y : i16 = 0; process p { y = wrap(i16, y + x); }"
                                            "instruction sum on bus { decode = read and address == 3; "
                                            "update { reply = y; } }"),
                         {folder_ / "cache", {}}, {.recorded = kMost});
  acg::behaviour::Evaluator evaluator(machine.behaviour());
  bool has_recorded = false;
  for (int value = 0; value < 200; ++value) {
    for (acg::behaviour::Engine* const one :
         {static_cast<acg::behaviour::Engine*>(&machine), static_cast<acg::behaviour::Engine*>(&evaluator)}) {
      ASSERT_TRUE(acg::testing::write_at(*one, 1, value));
      ASSERT_FALSE(*one->run(static_cast<uint64_t>(value % 5)));
    }
    EXPECT_EQ(*acg::testing::read_at(machine, 3), *acg::testing::read_at(evaluator, 3));
    has_recorded |= machine.recorded() > kMost / 2;
    EXPECT_LE(machine.recorded(), kMost);
  }
  EXPECT_TRUE(has_recorded);
  EXPECT_TRUE(machine.is_compiled());
  EXPECT_EQ(machine.recorded(), 0U);
  EXPECT_EQ(machine.cycles(), evaluator.cycles());
}

TEST_F(NativeBuild, CompilerFails) {
  compiler("echo 'machine.cpp:1: error: no luck'; exit 1");
  const Diagnostic said = build();
  EXPECT_EQ(said.code, "BEH0051");
  EXPECT_EQ(said.offending, "machine.cpp:1: error: no luck");
  ASSERT_TRUE(said.fix.starts_with("read ")) << said.fix;
  std::ifstream log(said.fix.substr(5, said.fix.find(", or") - 5));
  std::string line;
  std::getline(log, line);
  EXPECT_EQ(line, "machine.cpp:1: error: no luck");
  EXPECT_EQ(kept().size(), 1U);  // the log
}

TEST_F(NativeBuild, DamagedLibraryIsNotLoaded) {
  compiler("echo damaged > machine.so");
  EXPECT_EQ(build().code, "BEH0052");
}

TEST_F(NativeBuild, ALibraryThatIsNoLongerWhatWasBuiltIsBuiltAgain) {
  const fs::path count = folder_ / "count";
  working_compiler("echo built >> " + count.string());
  const auto builds = [&] { return fs::exists(count) ? fs::file_size(count) / 6 : 0; };
  ASSERT_EQ(build().code, "");
  ASSERT_EQ(build().code, "");
  EXPECT_EQ(builds(), 1U);
  const fs::path library = folder_ / "cache" / kept().front() / "machine.so";
  const auto size = fs::file_size(library);
  uint64_t expected = 1;
  const std::vector<std::function<void()>> damages{
      [&] { fs::resize_file(library, size / 2); },
      [&] { fs::resize_file(library, 0); },
      [&] { std::fstream(library, std::ios::in | std::ios::out).write("?", 1); },
      [&] { fs::remove(library.string() + ".id"); },
  };
  for (const std::function<void()>& damage : damages) {
    damage();
    EXPECT_FALSE(is_built(acg::testing::with(""), {folder_ / "cache", {}}));
    EXPECT_EQ(build().code, "");
    EXPECT_EQ(builds(), ++expected);
    EXPECT_EQ(fs::file_size(library), size);
  }
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(NativeBuild, ADamagedLibraryThatCannotBeBuiltAgainIsNotLoaded) {
  working_compiler("[ ! -e " + (folder_ / "gone").string() + " ] || { echo 'error: gone'; exit 1; }");
  ASSERT_EQ(build().code, "");
  fs::resize_file(folder_ / "cache" / kept().front() / "machine.so", 5000);
  std::ofstream(folder_ / "gone") << "it is";
  EXPECT_EQ(build().code, "BEH0051");
  const std::unique_ptr<acg::behaviour::Engine> machine =
      open_adaptive(acg::testing::with(""), {folder_ / "cache", {}});
  ASSERT_TRUE(acg::testing::write_at(*machine, 1, 7));
  EXPECT_EQ(*acg::testing::read_at(*machine, 2), 7);
}

TEST_F(NativeBuild, ACompilerThatMakesNothing) {
  compiler("exit 0");
  EXPECT_EQ(build().code, "BEH0052");
}

TEST_F(NativeBuild, CompilerHasNoRoom) {
  compiler("echo 'error: No space left on device'; exit 1");
  EXPECT_EQ(build().code, "BEH0053");
}

TEST_F(NativeBuild, AFileWhereTheCacheShouldBe) {
  compiler("exit 0");
  std::ofstream(folder_ / "cache") << "a file";
  const Diagnostic said = build();
  EXPECT_EQ(said.code, "BEH0053");
  EXPECT_NE(said.fix.find("COVENANT_MACHINE_CACHE"), std::string::npos);
}

TEST_F(NativeBuild, EndedByItsUser) {
  compiler("sleep 60");
  int asked = 0;
  EXPECT_EQ(build([&] { return ++asked < 3; }).code, "BEH0054");
  EXPECT_TRUE(kept().empty());
}

TEST_F(NativeBuild, WhatKilledBuildsLeftIsRemoved) {
  compiler("echo damaged > machine.so");
  EXPECT_EQ(build().code, "BEH0052");
  ASSERT_EQ(kept().size(), 1U);
  const std::string name = kept().front();
  fs::remove(folder_ / "cache" / name / "machine.so");
  fs::create_directories(folder_ / "cache" / (name + ".12345"));
  EXPECT_EQ(build().code, "BEH0052");
  EXPECT_EQ(kept(), std::vector<std::string>{name});
}

}  // namespace
}  // namespace covenant::runtime
