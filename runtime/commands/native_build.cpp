#include "runtime/commands/native_build.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "acg/behaviour/native/emit.h"
#include "rtl/cosim/cache_folder.h"
#include "rtl/cosim/identity.h"
#include "rtl/cosim/process.h"
#include "rtl/cosim/tools.h"

namespace covenant::runtime {
namespace {

namespace fs = std::filesystem;
namespace native = acg::behaviour::native;

constexpr std::string_view kLibrary = "machine.so";
constexpr std::string_view kLog = "build.log";

fs::path folder_in(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? fs::path() : fs::path(value);
}

/// Clang makes vectors of more loops than GCC, and takes less time for it. Asked for once for each PATH: it takes a
/// while to say its version.
std::optional<rtl::Compiler> compiler() {
  static std::mutex mutex;
  static std::map<std::string, std::optional<rtl::Compiler>> found;
  const char* const path = std::getenv("PATH");
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [at, is_new] = found.try_emplace(path == nullptr ? "" : path);
  if (is_new || !at->second) at->second = rtl::find_compiler({"clang++", "g++"});
  return at->second;
}

/// Integers wrap around, as those that stand for a number that is not used may; machines may share a process.
std::vector<std::string> command_of(const rtl::Compiler& compiler) {
  std::vector<std::string> command{compiler.program, "-std=c++20", "-I.",   "-O3",     "-march=native",
                                   "-fwrapv",        "-w",         "-fPIC", "-shared", "-fvisibility=hidden",
                                   "-Wl,-Bsymbolic"};
  // A text may nest more deeply than clang takes by itself.
  command.push_back(compiler.program == "g++" ? "-fno-gnu-unique" : "-fbracket-depth=100000");
  command.insert(command.end(), {"-o", std::string(kLibrary), native::kSource});
  return command;
}

/// A diagnostic about Verilated models that are kept, said of machines.
Diagnostic of_machines(Diagnostic said) {
  said.code = "BEH0053";
  said.message = "compiled machines cannot be kept in this folder";
  said.fix = "make room, or name a folder that you may write to, by COVENANT_MACHINE_CACHE";
  return said;
}

Diagnostic failure(const std::string& machine, const fs::path& work, const fs::path& kept_log) {
  std::string complaint;
  bool is_full = rtl::is_full(work);
  std::ifstream log(work / kLog);
  for (std::string line; std::getline(log, line);) {
    is_full = is_full || line.find("No space left on device") != std::string::npos;
    if (complaint.empty() && line.find("error") != std::string::npos) complaint = line;
  }
  if (is_full) return of_machines(rtl::no_room(work.parent_path()));
  std::error_code ignored;
  fs::copy_file(work / kLog, kept_log, fs::copy_options::overwrite_existing, ignored);
  return {"BEH0051",
          {},
          machine,
          "the machine could not be compiled",
          complaint,
          {},
          fmt::format("read {}, or use the evaluator", kept_log.string())};
}

Diagnostic unwanted(const std::string& machine) {
  return {"BEH0054", {}, machine, "compiling the machine was ended before its end", "", {}, "do it again"};
}

/// Compiles in a folder of its own and moves it into place, so that half a machine is never found.
Status build(const std::string& machine, const std::map<std::string, std::string>& files, const fs::path& folder,
             const rtl::Compiler& with, const std::function<bool()>& goes_on) {
  const Result<fs::path> work = rtl::work_folder(folder);
  if (!work) return of_machines(work.error());
  const auto ended = [&](Diagnostic said) {
    std::error_code ignored;
    fs::remove_all(*work, ignored);
    return said;
  };
  if (Status written = rtl::write_files(files, *work); !written) return ended(of_machines(written.error()));
  bool is_wanted = true;
  const auto asked = [&] { return is_wanted = is_wanted && (!goes_on || goes_on()); };
  const int code = rtl::run_process(command_of(with), *work, *work / kLog, asked);
  if (!is_wanted) {
    return ended(unwanted(machine));
  }
  if (code != 0) return ended(failure(machine, *work, folder.string() + ".log"));
  if (Status moved = rtl::move_folder(*work, folder); !moved) return of_machines(moved.error());
  return Done{};
}

Status load(const std::string& machine, NativeLibrary& built) {
  void* const handle = dlopen((built.folder / kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) {
    built.handle = std::shared_ptr<void>(handle, [](void* opened) { dlclose(opened); });
    built.library = static_cast<const native::Library*>(dlsym(handle, "covenant_machine"));
  }
  if (built.library != nullptr) return Done{};
  const char* reason = dlerror();
  return Diagnostic{"BEH0052",
                    {},
                    machine,
                    "the compiled machine cannot be loaded",
                    reason == nullptr ? "" : reason,
                    {},
                    fmt::format("remove {} and do it again", built.folder.string())};
}

/// Where the machine of these files is kept.
fs::path folder_of(const acg::behaviour::Behaviour& behaviour, const std::map<std::string, std::string>& files,
                   const NativeOptions& options, const rtl::Compiler& with) {
  const fs::path cache = options.cache.empty() ? default_machine_cache() : options.cache;
  const std::string identity = fmt::format("{}{}{}", with.version, rtl::processor(), fmt::join(command_of(with), " "));
  constexpr size_t kNameInFolder = 64;  // file systems bound the length of a name
  std::error_code nowhere;              // the working directory may be gone
  const fs::path whole = fs::absolute(cache, nowhere);
  return (nowhere ? cache : whole) /
         fmt::format("{}-{}", behaviour.machine.substr(0, kNameInFolder), rtl::content_hash(files, identity));
}

bool is_there(const fs::path& library) {
  std::error_code no;  // a path that the system does not take leads nowhere
  return fs::exists(library, no) && !no;
}

/// Builds the machine unless it is there.
Status provide(const std::string& machine, const std::map<std::string, std::string>& files, const rtl::Compiler& with,
               const NativeOptions& options, NativeLibrary& built) {
  const fs::path library = built.folder / kLibrary;
  if (is_there(library)) return Done{};
  const fs::path cache = built.folder.parent_path();
  if (Status ready = rtl::prepare_cache(cache); !ready) return of_machines(ready.error());
  rtl::Lock lock(built.folder.string() + ".lock");
  if (!lock.is_open()) return of_machines(rtl::cannot_keep(cache, std::generic_category().message(errno)));
  if (!lock.take([&] { return !options.goes_on || options.goes_on(); })) return unwanted(machine);
  if (lock.is_held()) rtl::remove_remains(built.folder, library);
  if (is_there(library)) return Done{};
  const auto begin = std::chrono::steady_clock::now();
  if (Status done = build(machine, files, built.folder, with, options.goes_on); !done) return done;
  built.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return Done{};
}

}  // namespace

fs::path default_machine_cache() {
  if (const auto own = folder_in("COVENANT_MACHINE_CACHE"); !own.empty()) return own;
  if (const auto caches = folder_in("XDG_CACHE_HOME"); !caches.empty()) return caches / "covenant" / "machines";
  const auto home = folder_in("HOME");
  return (home.empty() ? fs::temp_directory_path() : home / ".cache") / "covenant" / "machines";
}

bool has_machine_compiler() { return compiler().has_value(); }

bool is_built(const acg::behaviour::Behaviour& behaviour, const NativeOptions& options) {
  const std::optional<rtl::Compiler> with = compiler();
  std::error_code ignored;
  return with && fs::exists(folder_of(behaviour, native::emit(behaviour), options, *with) / kLibrary, ignored);
}

Result<NativeLibrary> build_native(const acg::behaviour::Behaviour& behaviour, const NativeOptions& options) {
  const std::string& machine = behaviour.machine;
  const std::optional<rtl::Compiler> with = compiler();
  if (!with) {
    return Diagnostic{"BEH0050",
                      {},
                      machine,
                      "there is no compiler to build the machine with",
                      "clang++ or g++",
                      {},
                      "install one (`apt-get install clang`), or use the evaluator"};
  }
  const std::map<std::string, std::string> files = native::emit(behaviour);
  NativeLibrary built;
  built.folder = folder_of(behaviour, files, options, *with);
  if (Status done = provide(machine, files, *with, options, built); !done) return done.error();
  if (Status loaded = load(machine, built); !loaded) return loaded.error();
  return built;
}

}  // namespace covenant::runtime
