#include "rtl/cosim/build.h"

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "rtl/cosim/cache_folder.h"
#include "rtl/cosim/identity.h"
#include "rtl/cosim/process.h"
#include "rtl/cosim/tools.h"

namespace covenant::rtl {

namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr std::string_view kLibrary = "libcovenant_model.so";
constexpr std::string_view kLog = "build.log";

struct Step {
  std::string what;
  std::vector<std::string> command;
};

/// `compiler_cache`: a program that compilers are called through, or nothing.
std::vector<Step> build_steps(const Recipe& recipe, uint32_t jobs, const std::string& compiler,
                              const std::string& compiler_cache) {
  std::string flags = "-std=c++20 -fPIC -I.." + recipe.flags;
  // Several models may be loaded at a time: none may take an inline variable of another for its own. Clang never does.
  if (compiler == "g++") flags += " -fno-gnu-unique";
  std::vector<std::string> verilate{"verilator", "--cc",     "--exe",          "-O3",    "--top-module",
                                    recipe.top,  "--prefix", "V" + recipe.top, "--Mdir", "obj"};
  verilate.insert(verilate.end(), recipe.sources.begin(), recipe.sources.end());
  verilate.insert(verilate.end(),
                  {"-o", std::string(kLibrary), "-LDFLAGS", "-shared -Wl,-Bsymbolic", "-CFLAGS", flags});
  // Verilator's own makefile; its default for the code that runs in every cycle is -Os.
  std::vector<std::string> compile{"make",
                                   "-C",
                                   "obj",
                                   "-f",
                                   "V" + recipe.top + ".mk",
                                   fmt::format("-j{}", jobs),
                                   "OPT_SLOW=-O0",
                                   "CXX=" + compiler,
                                   "LINK=" + compiler,
                                   recipe.quick ? "OPT_FAST=-O1" : "OPT_FAST=-O2 -march=native",
                                   "OPT_GLOBAL=-O1"};
  if (!compiler_cache.empty()) compile.push_back("OBJCACHE=" + compiler_cache);
  return {{"verilating", verilate}, {"compiling", compile}};
}

/// Complaint of a step, from its log.
struct Complaint {
  std::string line;  ///< the first one that names an error
  bool is_of_room = false;
};

Complaint complaint_in(const fs::path& log) {
  std::ifstream input(log);
  Complaint complaint;
  for (std::string line; std::getline(input, line);) {
    complaint.is_of_room = complaint.is_of_room || line.find("No space left on device") != std::string::npos;
    const bool is_error = line.find("%Error") != std::string::npos || line.find("error:") != std::string::npos;
    if (complaint.line.empty() && is_error) complaint.line = line;
  }
  return complaint;
}

/// Reports progress; false if the build is to end.
bool told(const Recipe& recipe, const std::string& step, uint32_t done, uint32_t steps) {
  return !recipe.progress || recipe.progress(step, done, steps);
}

Diagnostic unwanted(const Recipe& recipe) {
  return {"RTL0019", {}, recipe.name,     "the build of the Verilated model was ended before its end",
          "",        {}, "build it again"};
}

/// Removes a folder as far as that goes: what stays goes with the next build.
void remove_work(const fs::path& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

/// Why a step has failed. Its log is all that is kept of the work, as `kept_log`.
Diagnostic failure(const Step& step, const fs::path& work, const fs::path& kept_log) {
  const fs::path log = work / kLog;
  const Complaint complaint = complaint_in(log);
  const bool has_no_room = complaint.is_of_room || is_full(work);
  std::error_code error;
  fs::copy_file(log, kept_log, fs::copy_options::overwrite_existing, error);
  if (has_no_room) return no_room(kept_log.parent_path());
  return {"RTL0011",
          {},
          "",
          fmt::format("the Verilated model could not be built ({})", step.what),
          complaint.line,
          {},
          fmt::format("read {}", kept_log.string())};
}

/// Runs the steps in the folder `work`.
Status build_in(const fs::path& work, const Recipe& recipe, const Tools& tools, const fs::path& kept_log) {
  if (Status written = write_files(recipe.files, work); !written) return written;
  const std::vector<Step> steps = build_steps(recipe, recipe.jobs, tools.compiler, find_compiler_cache(tools.compiler));
  const auto count = static_cast<uint32_t>(steps.size());
  for (uint32_t k = 0; k < count; ++k) {
    const Step& step = steps[k];
    bool is_wanted = true;
    const auto goes_on = [&] { return is_wanted = is_wanted && told(recipe, step.what, k, count); };
    const int code = goes_on() ? run_process(step.command, work, work / kLog, goes_on) : kEnded;
    if (!is_wanted) return unwanted(recipe);
    if (code != 0) return failure(step, work, kept_log);
  }
  told(recipe, "done", count, count);
  return Done{};
}

/// Builds in a folder of its own and moves it into place, so that a half-built model is never found.
Status build(const fs::path& folder, const Recipe& recipe, const Tools& tools) {
  if (Status found = check_make(); !found) return found;
  const Result<fs::path> work = work_folder(folder);
  if (!work) return work.error();
  const fs::path kept_log = folder.string() + ".log";
  std::error_code ignored;
  fs::remove(kept_log, ignored);
  if (Status built = build_in(*work, recipe, tools, kept_log); !built) {
    remove_work(*work);
    return built;
  }
  return move_folder(*work, folder);
}

/// Loads the library of a folder.
Result<Done> load(const fs::path& library, const char* symbol, BuiltLibrary& built) {
  if (void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL); handle != nullptr) {
    built.handle = std::shared_ptr<void>(handle, [](void* opened) { dlclose(opened); });
    built.symbol = dlsym(handle, symbol);
  }
  if (built.symbol != nullptr) return Done{};
  const char* reason = dlerror();
  return Diagnostic{"RTL0012",
                    {},
                    "",
                    "the Verilated model cannot be loaded",
                    reason == nullptr ? "" : reason,
                    {},
                    fmt::format("remove {} and build it again", built.folder.string())};
}

}  // namespace

Result<BuiltLibrary> build_library(const Recipe& recipe, const fs::path& cache, const char* symbol) {
  if (Status ready = prepare_cache(cache); !ready) return ready.error();
  const fs::path place = fs::absolute(cache);
  const Result<Tools> tools = find_tools();
  if (!tools) return tools.error();
  std::string commands;
  // The number of jobs does not change the result, nor does a compiler cache.
  for (const Step& step : build_steps(recipe, 1, tools->compiler, {})) {
    commands += fmt::format(" {}", fmt::join(step.command, " "));
  }
  const std::string identity = tools->verilator + tools->compiler_version + processor() + commands;
  BuiltLibrary built;
  constexpr size_t kNameInFolder = 64;  // file systems bound the length of a name
  built.folder =
      place / fmt::format("{}-{}", recipe.name.substr(0, kNameInFolder), content_hash(recipe.files, identity));
  const fs::path library = built.folder / "obj" / kLibrary;
  Lock lock(built.folder.string() + ".lock");
  if (!lock.is_open()) return cannot_keep(place, std::generic_category().message(errno));
  if (!lock.take([&] { return told(recipe, "waiting for another process that builds it", 0, 1); })) {
    return unwanted(recipe);
  }
  if (lock.is_held()) remove_remains(built.folder, library);
  if (!fs::exists(library)) {
    const auto begin = std::chrono::steady_clock::now();
    if (const Status done = build(built.folder, recipe, *tools); !done) return done.error();
    built.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  if (const Result<Done> done = load(library, symbol, built); !done) return done.error();
  return built;
}

}  // namespace covenant::rtl
