/// Errors while a model is built and loaded: tools that are missing or fail, a damaged cache.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

#include "acg/lang/load.h"
#include "rtl/cosim/model.h"

namespace covenant::rtl {
namespace {

namespace fs = std::filesystem;

/// How Make says its version.
const std::string kMake = R"([ "$1" = --version ] && echo "GNU Make 0" && exit 0
)";

/// A folder of its own with tools of its own in it, which stand before all others in PATH (or instead of them).
class Build : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("covenant_rtl_error_" + std::to_string(getpid()));
    fs::create_directories(folder_ / "tools");
    path_ = std::getenv("PATH");
    setenv("PATH", ((folder_ / "tools").string() + ":/bin:/usr/bin").c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    fs::remove_all(folder_);
  }
  void tool(const std::string& name, const std::string& script) {
    std::ofstream(folder_ / "tools" / name) << "#!/bin/sh\n" << script << "\n";
    fs::permissions(folder_ / "tools" / name, fs::perms::owner_all);
  }
  Diagnostic build() {
    const auto machine = acg::load_machine("genesys", {{"M", "3"}, {"N", "4"}});
    const auto model = build_model(*machine, {.cache = cache_.empty() ? folder_ / "cache" : cache_});
    return model ? Diagnostic{} : model.error();
  }

  fs::path folder_;
  fs::path cache_;
  std::string path_;
};

TEST_F(Build, WithoutVerilator) {
  tool("verilator", "exit 127");
  const Diagnostic d = build();
  EXPECT_EQ(d.code, "RTL0010");
  EXPECT_EQ(d.offending, "verilator");
}

TEST_F(Build, WithoutCompiler) {
  tool("clang++", "exit 127");
  tool("g++", "exit 127");
  const Diagnostic d = build();
  EXPECT_EQ(d.code, "RTL0010");
  EXPECT_EQ(d.offending, "clang++ or g++");
}

TEST_F(Build, WithoutMake) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0")");
  tool("clang++", "echo clang");
  tool("make", "exit 127");
  const Diagnostic d = build();
  EXPECT_EQ(d.code, "RTL0010");
  EXPECT_EQ(d.offending, "make");
}

TEST_F(Build, TakesTheCompilerThatIsThere) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0"; mkdir -p obj)");
  tool("make", kMake + R"(echo "error: $*"; exit 1)");
  tool("clang++", "echo clang");
  EXPECT_NE(build().offending.find("CXX=clang++ LINK=clang++"), std::string::npos);
  tool("clang++", "exit 127");
  EXPECT_NE(build().offending.find("CXX=g++ LINK=g++"), std::string::npos);
}

TEST_F(Build, VerilatorFails) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0" && exit 0; echo "%Error: no luck"; exit 1)");
  const Diagnostic d = build();
  EXPECT_EQ(d.code, "RTL0011");
  EXPECT_EQ(d.offending, "%Error: no luck");
  ASSERT_TRUE(d.fix.starts_with("read ")) << d.fix;
  std::ifstream log(d.fix.substr(5));
  std::string line;
  std::getline(log, line);
  EXPECT_EQ(line, "%Error: no luck");
}

TEST_F(Build, ToolsHaveNoRoom) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0" && exit 0
mkdir -p obj; echo "obj/a.cpp: No space left on device"; exit 1)");
  const Diagnostic d = build();
  EXPECT_EQ(d.code, "RTL0015");
  EXPECT_EQ(d.offending, "No space left on device");
}

TEST_F(Build, WhatIsLeftOfOthersIsRemoved) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0"; mkdir -p obj)");
  tool("make", kMake + "echo damaged > obj/libcovenant_model.so");
  EXPECT_EQ(build().code, "RTL0012");
  fs::path model;
  for (const auto& entry : fs::directory_iterator(folder_ / "cache")) {
    if (entry.is_directory()) model = entry.path();
  }
  ASSERT_FALSE(model.empty());
  fs::remove(model / "obj" / "libcovenant_model.so");  // half of a model that a user has removed
  fs::create_directories(model.string() + ".12345");   // left by a killed build
  fs::create_directories(model.string() + ".mine");
  EXPECT_EQ(build().code, "RTL0012");
  EXPECT_TRUE(fs::exists(model / "obj" / "libcovenant_model.so"));
  EXPECT_FALSE(fs::exists(model.string() + ".12345"));
  EXPECT_TRUE(fs::exists(model.string() + ".mine"));
}

TEST_F(Build, MakeWorksWhereItCan) {
  // Make reads blanks, `$`, `#`, `:` and `=` of a path as its own.
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0" && exit 0; mkdir -p obj)");
  tool("make", kMake + R"(case "$PWD" in *[!A-Za-z0-9/._+@,-]*) echo "error: $PWD"; exit 1;; esac
pwd > obj/where; echo damaged > obj/libcovenant_model.so)");
  for (const char* name : {"a b", "a$b", "a#b", "a:b", "a=b", "a'b\"c", "ä"}) {
    cache_ = folder_ / name;
    EXPECT_EQ(build().code, "RTL0012") << name << ": " << build().offending;
    size_t models = 0;
    for (const auto& entry : fs::directory_iterator(cache_)) {
      if (!entry.is_directory()) continue;
      ++models;
      EXPECT_TRUE(fs::exists(entry.path() / "obj" / "libcovenant_model.so")) << entry.path();
      std::ifstream where(entry.path() / "obj" / "where");
      std::string worked_in;
      std::getline(where, worked_in);
      EXPECT_FALSE(fs::exists(worked_in)) << worked_in << " is left";
    }
    EXPECT_EQ(models, 1U) << name;
  }
}

TEST_F(Build, DamagedLibrary) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0"; mkdir -p obj)");
  tool("make", kMake + "echo damaged > obj/libcovenant_model.so");
  EXPECT_EQ(build().code, "RTL0012");
}

}  // namespace
}  // namespace covenant::rtl
