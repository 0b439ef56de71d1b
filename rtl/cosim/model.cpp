#include "rtl/cosim/model.h"

#include <chrono>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <sys/file.h>
#include <unistd.h>

#include "acg/graph/queries.h"
#include "rtl/cosim/library.h"
#include "rtl/cosim/process.h"
#include "rtl/cosim/shim_texts.h"
#include "rtl/gen/generate.h"

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

/// Where each file of the model goes: the shim finds its includes as in this repository.
Files all_files(const Files& generated) {
  Files files = generated;
  for (const SourceText& source : shim_texts()) {
    const std::string name(source.name);
    const bool is_of_words = name == "retire_record.h" || name == "instruction_word.h";
    files[is_of_words ? "acg/isa/" + name : name.ends_with(".h") ? "rtl/cosim/" + name : name] = source.text;
  }
  return files;
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
  std::string version;  ///< first line of what it says; empty: it is not there
};

/// `compiler_cache`: a program that compilers are called through, or nothing.
std::vector<Step> build_steps(const BuildOptions& options, const Compiler& compiler,
                              const std::string& compiler_cache) {
  std::string flags = "-std=c++20 -fPIC -I..";
  // Several models may be loaded at a time: none may take an inline variable of another for its own. Clang never does.
  if (compiler.program == "g++") flags += " -fno-gnu-unique";
  std::vector<std::string> verilate{"verilator",
                                    "--cc",
                                    "--exe",
                                    "-O3",
                                    "--top-module",
                                    "covenant_top",
                                    "--prefix",
                                    "Vcovenant_top",
                                    "--Mdir",
                                    "obj",
                                    "-f",
                                    "covenant.f",
                                    "covenant_observer.sv",
                                    "shim.cpp",
                                    "recorder.cpp",
                                    "-o",
                                    std::string(kLibrary),
                                    "-LDFLAGS",
                                    "-shared -Wl,-Bsymbolic"};
  const std::string state = options.checked ? "unique" : "fast";
  verilate.insert(verilate.end(), {"--x-assign", state, "--x-initial", state});
  verilate.push_back(options.checked ? "--assert" : "--no-assert");
  if (options.checked) {
    verilate.push_back("+define+COVENANT_CHECKED");
    flags += " -DCOVENANT_CHECKED -DVL_USER_STOP";
  }
  if (options.wave) {
    verilate.push_back("--trace-fst");
    flags += " -DCOVENANT_WAVE";
  }
  verilate.insert(verilate.end(), {"-CFLAGS", flags});
  // Verilator's own makefile; its default for the code that runs in every cycle is -Os.
  std::vector<std::string> compile{"make",
                                   "-C",
                                   "obj",
                                   "-f",
                                   "Vcovenant_top.mk",
                                   fmt::format("-j{}", options.jobs),
                                   "OPT_SLOW=-O0",
                                   "CXX=" + compiler.program,
                                   "LINK=" + compiler.program,
                                   options.quick ? "OPT_FAST=-O1" : "OPT_FAST=-O2 -march=native",
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
  explicit Lock(const fs::path& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (file_ >= 0) flock(file_, LOCK_EX);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (file_ >= 0) close(file_);
  }

 private:
  int file_;
};

/// Builds in a folder of its own and renames it into place, so that a half-built model is never found.
Result<Done> build_in(const fs::path& folder, const Files& files, const BuildOptions& options,
                      const Compiler& compiler) {
  const fs::path work = folder.string() + fmt::format(".{}", getpid());
  fs::remove_all(work);
  write_files(files, work);
  const fs::path log = work / "build.log";
  const bool has_ccache = !first_line_of({"ccache", "--version"}, work).empty();
  const std::vector<Step> steps = build_steps(options, compiler, has_ccache ? "ccache" : "");
  for (uint32_t k = 0; k < steps.size(); ++k) {
    const Step& step = steps[k];
    if (options.progress) options.progress(step.what, k, static_cast<uint32_t>(steps.size()));
    if (run_process(step.command, work, log) != 0) {
      return Diagnostic{"RTL0011",
                        {},
                        "",
                        fmt::format("the Verilated model could not be built ({})", step.what),
                        tail_of(log),
                        {},
                        fmt::format("read {}", log.string())};
    }
  }
  if (options.progress)
    options.progress("done", static_cast<uint32_t>(steps.size()), static_cast<uint32_t>(steps.size()));
  std::error_code error;
  fs::rename(work, folder, error);
  if (error) fs::remove_all(work);  // another process was faster
  return Done{};
}

/// What this processor can do: the model is compiled for it, and the cache may be shared with others.
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

std::vector<std::string> names_of_faults(const acg::Machine& machine) {
  std::vector<std::string> names;
  for (const acg::Engine& engine : acg::engines(machine)) names.push_back(engine.name);
  names.insert(names.end(), {"instruction fetch", "channels"});
  return names;
}

}  // namespace

Result<Model> build_model(const acg::Machine& machine, const BuildOptions& options) {
  const Result<Files> generated = generate(machine);
  if (!generated) return generated.error();
  const Files files = all_files(*generated);
  if (Status ready = prepare_cache(options.cache); !ready) return ready.error();
  const fs::path cache = fs::absolute(options.cache);
  const std::string version = first_line_of({"verilator", "--version"}, cache);
  if (version.empty()) return missing_tool("verilator");
  const Compiler compiler = find_compiler(cache);
  if (compiler.version.empty()) return missing_tool("clang++ or g++");
  std::string commands;
  BuildOptions alike = options;
  alike.jobs = 1;  // does not change the result, nor does a cache
  for (const Step& step : build_steps(alike, compiler, {})) {
    commands += fmt::format(" {}", fmt::join(step.command, " "));
  }
  Model model;
  constexpr size_t kNameInFolder = 64;  // file systems bound the length of a name
  model.folder_ = cache / fmt::format("{}-{}", machine.name.substr(0, kNameInFolder),
                                      content_hash(files, version + compiler.version + processor() + commands));
  model.has_wave_ = options.wave;
  model.is_checked_ = options.checked;
  const fs::path library = model.folder_ / "obj" / kLibrary;
  const Lock lock(model.folder_.string() + ".lock");
  if (!fs::exists(library)) {
    const auto begin = std::chrono::steady_clock::now();
    const Result<Done> built = build_in(model.folder_, files, options, compiler);
    if (!built) return built.error();
    model.build_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  const auto opened = [](void* handle) {
    return handle == nullptr ? nullptr : std::make_shared<Model::Library>(handle);
  };
  std::shared_ptr<Model::Library> loaded = opened(dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL));
  if (loaded) loaded->run = reinterpret_cast<RunFunction>(dlsym(loaded->handle, kRunSymbol));
  if (!loaded || loaded->run == nullptr) {
    const char* reason = dlerror();
    return Diagnostic{"RTL0012",
                      {},
                      "",
                      "the Verilated model cannot be loaded",
                      reason == nullptr ? "" : reason,
                      {},
                      fmt::format("remove {} and build it again", model.folder_.string())};
  }
  model.library_ = std::move(loaded);
  model.fault_names_ = names_of_faults(machine);
  return model;
}

}  // namespace covenant::rtl
