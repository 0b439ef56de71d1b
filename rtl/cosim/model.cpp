#include "rtl/cosim/model.h"

#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <tuple>
#include <sys/file.h>
#include <unistd.h>

#include "acg/graph/queries.h"
#include "rtl/cosim/model_abi.h"
#include "rtl/cosim/process.h"
#include "rtl/cosim/shim_texts.h"
#include "rtl/gen/generate.h"

namespace covenant::rtl {

struct Model::Library {
  void* handle = nullptr;
  RunFunction run = nullptr;
  explicit Library(void* opened) : handle(opened) {}
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { dlclose(handle); }
};

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
    files[name == "retire_record.h" ? "acg/isa/" + name
          : name.ends_with(".h")    ? "rtl/cosim/" + name
                                    : name] = source.text;
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

std::vector<Step> build_steps(const BuildOptions& options) {
  std::string flags = "-std=c++20 -fPIC -I..";
  std::vector<std::string> verilate{"verilator",    "--cc",       "--exe",         "-O3",         "--top-module",
                                    "covenant_top", "--prefix",   "Vcovenant_top", "--Mdir",      "obj",
                                    "--no-assert",  "--x-assign", "fast",          "--x-initial", "fast",
                                    "-f",           "covenant.f", "shim.cpp",      "-o",          std::string(kLibrary),
                                    "-LDFLAGS",     "-shared"};
  if (options.wave) {
    verilate.push_back("--trace-fst");
    flags += " -DCOVENANT_WAVE";
  }
  verilate.insert(verilate.end(), {"-CFLAGS", flags});
  // Verilator's own makefile; its default for the code that runs in every cycle is -Os.
  const std::vector<std::string> compile{"make",
                                         "-C",
                                         "obj",
                                         "-f",
                                         "Vcovenant_top.mk",
                                         fmt::format("-j{}", options.jobs),
                                         "OPT_SLOW=-O0",
                                         options.quick ? "OPT_FAST=-O1" : "OPT_FAST=-O3 -march=native",
                                         "OPT_GLOBAL=-O1"};
  return {{"verilating", verilate}, {"compiling the model", compile}};
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

Diagnostic missing_tool(std::string_view tool) {
  return {"RTL0010",
          {},
          "",
          "a tool that the Verilated model is built with is missing",
          std::string(tool),
          {},
          "install verilator (5.006 or later), make and g++: `apt-get install verilator make g++`"};
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
Result<Done> build_in(const fs::path& folder, const Files& files, const BuildOptions& options) {
  const fs::path work = folder.string() + fmt::format(".{}", getpid());
  fs::remove_all(work);
  write_files(files, work);
  const fs::path log = work / "build.log";
  for (const Step& step : build_steps(options)) {
    if (options.progress) options.progress(fmt::format("{}: {}", folder.filename().string(), step.what));
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
  std::error_code error;
  fs::rename(work, folder, error);
  if (error) fs::remove_all(work);  // another process was faster
  return Done{};
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
  fs::create_directories(options.cache);
  const fs::path cache = fs::absolute(options.cache);
  const std::string version = first_line_of({"verilator", "--version"}, cache);
  if (version.empty()) return missing_tool("verilator");
  const std::string compiler = first_line_of({"g++", "--version"}, cache);
  if (compiler.empty()) return missing_tool("g++");
  Model model;
  model.folder_ = cache / fmt::format("{}-{}", machine.name,
                                      content_hash(files, version + compiler + (options.wave ? " wave" : "") +
                                                              (options.quick ? " quick" : "")));
  const fs::path library = model.folder_ / "obj" / kLibrary;
  const Lock lock(model.folder_.string() + ".lock");
  if (!fs::exists(library)) {
    const auto begin = std::chrono::steady_clock::now();
    const Result<Done> built = build_in(model.folder_, files, options);
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

Result<RunResult> Model::run(const acg::Program& program, std::vector<uint8_t>& memory,
                             const RunOptions& options) const {
  RunResult result;
  const std::string wave = options.wave.string();
  ModelRun run;
  run.memory = memory.data();
  run.memory_bytes = memory.size();
  run.entry = static_cast<uint32_t>(program.entry);
  run.max_cycles = options.max_cycles;
  run.records = options.records;
  run.digests = options.digests;
  run.wave = wave.empty() ? nullptr : wave.c_str();
  run.user = &result.records;
  run.record = [](void* user, const acg::RetireRecord& record) {
    static_cast<std::vector<acg::RetireRecord>*>(user)->push_back(record);
  };
  library_->run(run);
  if (run.status == RunStatus::kFault) {
    std::string who = "off-chip memory";
    for (size_t i = 0; i < fault_names_.size(); ++i) {
      if (((run.faults >> i) & 1) != 0) who = fault_names_[i];
    }
    return Diagnostic{"RTL0013",
                      {},
                      who,
                      fmt::format("the RTL stopped in cycle {}: a word or write it must not do", run.cycles),
                      "",
                      {},
                      "run the program on the systemc backend, which says what is wrong with it"};
  }
  check(run.status != RunStatus::kMistimed,
        fmt::format("the RTL retired a command in cycle {}, but not when its last write was visible", run.cycles));
  if (run.status != RunStatus::kDone) {
    return Diagnostic{"RTL0014",
                      {},
                      program.model,
                      "the RTL does not come to an end",
                      fmt::format("cycle {}", run.cycles),
                      {},
                      run.status == RunStatus::kStuck ? "nothing moves any more: look for tokens that are never posted"
                                                      : "raise max_cycles"};
  }
  result.cycles = run.cycles;
  std::stable_sort(result.records.begin(), result.records.end(), [](const auto& a, const auto& b) {
    return std::tie(a.block, a.engine, a.sequence) < std::tie(b.block, b.engine, b.sequence);
  });
  return result;
}

}  // namespace covenant::rtl
