#include "runtime/commands/native_build.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
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
constexpr std::string_view kIdentity = "machine.so.id";  ///< bytes and hash of the library

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

/// Bytes and hash of a library, as text; nothing if it cannot be read.
std::optional<std::string> identity_of(const fs::path& library) {
  std::error_code none;
  const uintmax_t bytes = fs::file_size(library, none);
  std::ifstream file(library, std::ios::binary);
  if (none || !file) return std::nullopt;
  std::string content(bytes, 0);
  file.read(content.data(), static_cast<std::streamsize>(bytes));
  if (!file) return std::nullopt;
  return fmt::format("{} {}\n", bytes, rtl::content_hash({{std::string(kLibrary), std::move(content)}}, ""));
}

/// Whether the library of a machine is the one that was built. The system kills who loads one that has been cut off.
bool is_whole(const fs::path& folder) {
  std::ifstream file(folder / kIdentity, std::ios::binary);
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  return !said.empty() && identity_of(folder / kLibrary) == said;
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
  const std::string identity = identity_of(*work / kLibrary).value_or("");
  if (Status written = rtl::write_files({{std::string(kIdentity), identity}}, *work); !written) {
    return ended(of_machines(written.error()));
  }
  if (Status moved = rtl::move_folder(*work, folder); !moved) return of_machines(moved.error());
  return Done{};
}

Diagnostic not_loaded(const std::string& machine, const fs::path& folder, const char* reason) {
  return {"BEH0052",
          {},
          machine,
          "the compiled machine cannot be loaded",
          reason == nullptr ? "" : reason,
          {},
          fmt::format("remove {} and do it again", folder.string())};
}

Status load(const std::string& machine, NativeLibrary& built) {
  void* const handle = dlopen((built.folder / kLibrary).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) {
    built.handle = std::shared_ptr<void>(handle, [](void* opened) { dlclose(opened); });
    built.library = static_cast<const native::Library*>(dlsym(handle, "covenant_machine"));
  }
  if (built.library != nullptr) return Done{};
  return not_loaded(machine, built.folder, dlerror());
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

/// Takes a damaged machine out of its place. Who has loaded it keeps it: its files are not written.
void remove_damaged(const fs::path& folder) {
  const fs::path aside = fmt::format("{}.{}", folder.string(), getpid());
  std::error_code ignored;
  fs::rename(folder, aside, ignored);
  fs::remove_all(aside, ignored);
}

/// Builds the machine unless it is there and whole.
Status provide(const std::string& machine, const std::map<std::string, std::string>& files, const rtl::Compiler& with,
               const NativeOptions& options, NativeLibrary& built) {
  if (is_whole(built.folder)) return Done{};
  const fs::path cache = built.folder.parent_path();
  if (Status ready = rtl::prepare_cache(cache); !ready) return of_machines(ready.error());
  rtl::Lock lock(built.folder.string() + ".lock");
  if (!lock.is_open()) return of_machines(rtl::cannot_keep(cache, std::generic_category().message(errno)));
  if (!lock.take([&] { return !options.goes_on || options.goes_on(); })) return unwanted(machine);
  if (is_whole(built.folder)) return Done{};
  if (lock.is_held()) rtl::remove_remains(built.folder, built.folder / kLibrary);
  remove_damaged(built.folder);
  const auto begin = std::chrono::steady_clock::now();
  if (Status done = build(machine, files, built.folder, with, options.goes_on); !done) return done;
  built.build_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  // The damaged one may have stayed where it was, and the compiler may have made nothing.
  return is_whole(built.folder) ? Status(Done{}) : not_loaded(machine, built.folder, "it is not what was compiled");
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
  return with && is_whole(folder_of(behaviour, native::emit(behaviour), options, *with));
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
