#include "rtl/cosim/tools.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace covenant::rtl {
namespace {

/// First line of a program's version; empty if it is not there, or fails. No file is written: where there is no room
/// for one, tools are still found.
std::string version_of(const std::string& program) {
  FILE* said = popen((program + " --version 2>/dev/null").c_str(), "r");
  if (said == nullptr) return {};
  std::string text;
  std::array<char, 256> part{};
  while (std::fgets(part.data(), part.size(), said) != nullptr) text += part.data();
  if (pclose(said) != 0) return {};
  return text.substr(0, text.find('\n'));
}

Diagnostic missing_tool(std::string_view tool) {
  return {"RTL0010",
          {},
          "",
          "a tool that the Verilated model is built with is missing",
          std::string(tool),
          {},
          "install verilator (5.006 or later), make and a compiler: `apt-get install verilator make clang`"};
}

}  // namespace

Result<Tools> find_tools() {
  Tools tools;
  tools.verilator = version_of("verilator");
  if (tools.verilator.empty()) return missing_tool("verilator");
  // Code of Clang is a tenth faster than that of GCC, and is compiled sooner.
  const std::optional<Compiler> compiler = find_compiler({"clang++", "g++"});
  if (!compiler) return missing_tool("clang++ or g++");
  tools.compiler = compiler->program;
  tools.compiler_version = compiler->version;
  return tools;
}

std::optional<Compiler> find_compiler(std::initializer_list<const char*> programs) {
  for (const char* program : programs) {
    std::string version = version_of(program);
    if (!version.empty()) return Compiler{program, std::move(version)};
  }
  return std::nullopt;
}

Status check_make() {
  if (version_of("make").empty()) return missing_tool("make");
  return Done{};
}

std::string find_compiler_cache(const std::string& compiler) {
  const std::string attempt = "ccache " + compiler + " -x c++ -c /dev/null -o /dev/null >/dev/null 2>&1";
  return std::system(attempt.c_str()) == 0 ? "ccache" : "";
}

}  // namespace covenant::rtl
