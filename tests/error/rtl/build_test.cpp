/// What can go wrong while a model is built and loaded: tools that are missing or fail, a damaged cache.
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
    const auto model = build_model(*machine, {.cache = folder_ / "cache"});
    return model ? Diagnostic{} : model.error();
  }

  fs::path folder_;
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

TEST_F(Build, TakesTheCompilerThatIsThere) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0"; mkdir -p obj)");
  tool("make", R"(echo "error: $*"; exit 1)");
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
  EXPECT_NE(d.fix.find("build.log"), std::string::npos);
}

TEST_F(Build, DamagedLibrary) {
  tool("verilator", R"([ "$1" = --version ] && echo "Verilator 0"; mkdir -p obj)");
  tool("make", "echo damaged > obj/libcovenant_model.so");
  EXPECT_EQ(build().code, "RTL0012");
}

}  // namespace
}  // namespace covenant::rtl
