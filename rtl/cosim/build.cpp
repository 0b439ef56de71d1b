#include "rtl/cosim/build.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <functional>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "rtl/cosim/process.h"

namespace covenant::rtl {

namespace {

namespace fs = std::filesystem;
using Files = std::map<std::string, std::string>;

constexpr std::string_view kLibrary = "libcovenant_model.so";

uint64_t fnv(std::string_view text, uint64_t hash) {
  for (const char character : text) hash = (hash ^ static_cast<uint8_t>(character)) * 0x100000001b3ULL;
  return (hash ^ text.size()) * 0x100000001b3ULL;
}

/// Names a set of files with what they are compiled by.
std::string content_hash(const Files& files, std::string_view options) {
  uint64_t low = 0xcbf29ce484222325ULL;
  uint64_t high = 0x84222325cbf29ce4ULL;
  low = fnv(options, low);
  high = fnv(options, high);
  for (const auto& [name, text] : files) {
    low = fnv(text, fnv(name, low));
    high = fnv(name, fnv(text, high));
  }
  return fmt::format("{:016x}{:016x}", high, low);
}

void write_files(const Files& files, const fs::path& folder) {
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << text;
  }
}

struct Step {
  std::string what;
  std::vector<std::string> command;
};

struct Compiler {
  std::string program;
  std::string version;  ///< first line of its version output; empty: it was not found
};

/// `compiler_cache`: a program that compilers are called through, or nothing.
std::vector<Step> build_steps(const Recipe& recipe, uint32_t jobs, const Compiler& compiler,
                              const std::string& compiler_cache) {
  std::string flags = "-std=c++20 -fPIC -I.." + recipe.flags;
  // Several models may be loaded at a time: none may take an inline variable of another for its own. Clang never does.
  if (compiler.program == "g++") flags += " -fno-gnu-unique";
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
                                   "CXX=" + compiler.program,
                                   "LINK=" + compiler.program,
                                   recipe.quick ? "OPT_FAST=-O1" : "OPT_FAST=-O2 -march=native",
                                   "OPT_GLOBAL=-O1"};
  if (!compiler_cache.empty()) compile.push_back("OBJCACHE=" + compiler_cache);
  return {{"verilating", verilate}, {"compiling", compile}};
}

std::string first_line_of(const std::vector<std::string>& command, const fs::path& folder) {
  const fs::path log = folder / fmt::format("version-{}.txt", getpid());
  if (run_process(command, folder, log) != 0) return {};
  std::string line;
  std::ifstream input(log);
  std::getline(input, line);
  input.close();
  fs::remove(log);
  return line;
}

/// Code of Clang is a tenth faster than that of GCC, and is compiled sooner.
Compiler find_compiler(const fs::path& folder) {
  for (const char* program : {"clang++", "g++"}) {
    std::string version = first_line_of({program, "--version"}, folder);
    if (!version.empty()) return {program, std::move(version)};
  }
  return {};
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

std::string tail_of(const fs::path& log) {
  std::ifstream input(log);
  std::string line;
  std::string found;
  while (std::getline(input, line)) {
    if (found.empty() && (line.find("%Error") != std::string::npos || line.find("error:") != std::string::npos))
      found = line;
  }
  return found;
}

/// Held while a model is built, so that two processes do not do the same work.
class Lock {
 public:
  explicit Lock(const fs::path& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {}
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (file_ >= 0) close(file_);
  }

  /// Waits while another process holds it; false if `goes_on` ends that.
  bool take(const std::function<bool()>& goes_on) {
    constexpr auto kPause = std::chrono::milliseconds(50);
    while (file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      if (!goes_on()) return false;
      std::this_thread::sleep_for(kPause);
    }
    return true;
  }

 private:
  int file_;
};

/// Make, and the makefiles that Verilator writes, take these characters of a path as they are; blanks, `$`, `#`, `:`,
/// `=` and quotes they do not.
bool is_plain(const fs::path& path) {
  return std::ranges::all_of(path.string(), [](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 ||
           std::string_view("/._-+@,").find(character) != std::string_view::npos;
  });
}

/// A new folder of temporary files that Make can work in.
Result<fs::path> plain_folder(const fs::path& cache) {
  std::error_code error;
  for (const fs::path& parent : {fs::temp_directory_path(error), fs::path("/tmp"), fs::path("/var/tmp")}) {
    std::string name = (parent / "covenant-rtl-XXXXXX").string();
    if (is_plain(parent) && mkdtemp(name.data()) != nullptr) return fs::path(name);
  }
  return Diagnostic{"RTL0015",
                    {cache.string()},
                    "",
                    "Make cannot build in this folder, nor is there one for temporary files that it can build in",
                    "a path with blanks or other characters that Make reads as its own",
                    {"paths of letters, digits and / . _ - + @ ,"},
                    "name such a folder with --rtl-cache or COVENANT_RTL_CACHE, or with TMPDIR"};
}

/// Moves a folder, over file systems too; nothing is at `to` unless all of it is.
void move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error == std::errc::cross_device_link) {
    const fs::path beside = to.string() + fmt::format(".{}", getpid());
    fs::remove_all(beside, error);
    fs::copy(from, beside, fs::copy_options::recursive, error);
    if (!error) fs::rename(beside, to, error);
    fs::remove_all(beside);
  }
  fs::remove_all(from);  // also if another process was faster
}

/// Reports progress; false if the build is to end.
bool told(const Recipe& recipe, const std::string& step, uint32_t done, uint32_t steps) {
  return !recipe.progress || recipe.progress(step, done, steps);
}

Diagnostic unwanted(const Recipe& recipe) {
  return {"RTL0019", {}, recipe.name,     "the build of the Verilated model was ended before its end",
          "",        {}, "build it again"};
}

/// Builds in a folder of its own and moves it into place, so that a half-built model is never found.
Result<Done> build_in(const fs::path& folder, const Recipe& recipe, const Compiler& compiler) {
  fs::path work = folder.string() + fmt::format(".{}", getpid());
  if (is_plain(work)) {
    fs::remove_all(work);
  } else {
    Result<fs::path> elsewhere = plain_folder(folder.parent_path());
    if (!elsewhere) return elsewhere.error();
    work = std::move(*elsewhere);
  }
  write_files(recipe.files, work);
  const fs::path log = work / "build.log";
  const bool has_ccache = !first_line_of({"ccache", "--version"}, work).empty();
  const std::vector<Step> steps = build_steps(recipe, recipe.jobs, compiler, has_ccache ? "ccache" : "");
  const auto count = static_cast<uint32_t>(steps.size());
  for (uint32_t k = 0; k < count; ++k) {
    const Step& step = steps[k];
    bool is_wanted = true;
    const auto goes_on = [&] { return is_wanted = is_wanted && told(recipe, step.what, k, count); };
    const int code = goes_on() ? run_process(step.command, work, log, goes_on) : kEnded;
    if (!is_wanted) {
      fs::remove_all(work);
      return unwanted(recipe);
    }
    if (code != 0) {
      return Diagnostic{"RTL0011",
                        {},
                        "",
                        fmt::format("the Verilated model could not be built ({})", step.what),
                        tail_of(log),
                        {},
                        fmt::format("read {}", log.string())};
    }
  }
  told(recipe, "done", count, count);
  move_folder(work, folder);
  return Done{};
}

/// Features of this processor: the model is compiled for it, and several machines may share the cache.
std::string processor() {
  std::ifstream input("/proc/cpuinfo");
  for (std::string line; std::getline(input, line);) {
    if (line.starts_with("flags") || line.starts_with("Features")) return line;
  }
  return {};
}

Status prepare_cache(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (!error && access(cache.c_str(), W_OK | X_OK) == 0) return Done{};
  return Diagnostic{"RTL0015",
                    {cache.string()},
                    "",
                    "Verilated models cannot be kept in this folder",
                    error ? error.message() : "not writable",
                    {},
                    "name a folder that you may write to, or set COVENANT_RTL_CACHE"};
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
  const std::string version = first_line_of({"verilator", "--version"}, place);
  if (version.empty()) return missing_tool("verilator");
  const Compiler compiler = find_compiler(place);
  if (compiler.version.empty()) return missing_tool("clang++ or g++");
  std::string commands;
  // The number of jobs does not change the result, nor does a compiler cache.
  for (const Step& step : build_steps(recipe, 1, compiler, {})) {
    commands += fmt::format(" {}", fmt::join(step.command, " "));
  }
  BuiltLibrary built;
  constexpr size_t kNameInFolder = 64;  // file systems bound the length of a name
  built.folder = place / fmt::format("{}-{}", recipe.name.substr(0, kNameInFolder),
                                     content_hash(recipe.files, version + compiler.version + processor() + commands));
  const fs::path library = built.folder / "obj" / kLibrary;
  Lock lock(built.folder.string() + ".lock");
  if (!lock.take([&] { return told(recipe, "waiting for another process that builds it", 0, 1); })) {
    return unwanted(recipe);
  }
  if (!fs::exists(library)) {
    const auto begin = std::chrono::steady_clock::now();
    if (const Result<Done> done = build_in(built.folder, recipe, compiler); !done) return done.error();
    built.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  if (const Result<Done> done = load(library, symbol, built); !done) return done.error();
  return built;
}

}  // namespace covenant::rtl
