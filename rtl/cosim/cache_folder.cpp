#include "rtl/cosim/cache_folder.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/file.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <vector>

namespace covenant::rtl {
namespace {

namespace fs = std::filesystem;

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

/// Name of this process's work beside what it becomes.
fs::path beside(const fs::path& folder) { return folder.string() + fmt::format(".{}", getpid()); }

/// Whether `path` is what `beside` gave to some process.
bool is_beside(const fs::path& path, const fs::path& folder) {
  const std::string name = path.filename().string();
  const std::string start = folder.filename().string() + ".";
  return name.starts_with(start) && name.size() > start.size() &&
         std::all_of(name.begin() + static_cast<std::ptrdiff_t>(start.size()), name.end(),
                     [](char digit) { return std::isdigit(static_cast<unsigned char>(digit)) != 0; });
}

}  // namespace

Diagnostic cannot_keep(const fs::path& folder, const std::string& reason) {
  return {"RTL0015",
          {folder.string()},
          "",
          "Verilated models cannot be kept in this folder",
          reason,
          {},
          "make room, or name a folder that you may write to, by --rtl-cache or COVENANT_RTL_CACHE"};
}

Diagnostic no_room(const fs::path& folder) { return cannot_keep(folder, std::generic_category().message(ENOSPC)); }

bool is_full(const fs::path& folder) {
  constexpr uintmax_t kFewBlocks = 16384;
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  return !error && space.available <= kFewBlocks;
}

Status prepare_cache(const fs::path& cache) {
  std::error_code error;
  fs::create_directories(cache, error);
  if (error) return cannot_keep(cache, error.message());
  if (access(cache.c_str(), W_OK | X_OK) == 0) return Done{};
  return cannot_keep(cache, std::generic_category().message(errno));
}

Lock::Lock(const fs::path& path) : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {}

Lock::~Lock() {
  if (file_ >= 0) close(file_);
}

bool Lock::take(const std::function<bool()>& goes_on) {
  constexpr auto kPause = std::chrono::milliseconds(50);
  while (true) {
    is_held_ = file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0;
    if (is_held_ || file_ < 0 || (errno != EWOULDBLOCK && errno != EINTR)) return true;
    if (!goes_on()) return false;
    std::this_thread::sleep_for(kPause);
  }
}

void remove_remains(const fs::path& folder, const fs::path& library) {
  std::error_code error;
  std::vector<fs::path> remains;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.parent_path(), error)) {
    if (is_beside(entry.path(), folder)) remains.push_back(entry.path());
  }
  if (!fs::exists(library, error)) remains.push_back(folder);
  for (const fs::path& path : remains) fs::remove_all(path, error);
}

Result<fs::path> work_folder(const fs::path& folder) {
  fs::path work = beside(folder);
  if (!is_plain(work)) return plain_folder(folder.parent_path());
  std::error_code error;
  fs::create_directory(work, error);
  if (error) return cannot_keep(folder.parent_path(), error.message());
  return work;
}

Status write_files(const std::map<std::string, std::string>& files, const fs::path& folder) {
  std::error_code error;
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path(), error);
    std::ofstream file(folder / name, std::ios::binary);
    file << text;
    file.close();
    if (!file) return cannot_keep(folder.parent_path(), std::generic_category().message(errno));
  }
  return Done{};
}

Status move_folder(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error == std::errc::cross_device_link) {
    const fs::path copy = beside(to);
    error.clear();
    fs::copy(from, copy, fs::copy_options::recursive, error);
    if (!error) fs::rename(copy, to, error);
    std::error_code ignored;
    fs::remove_all(copy, ignored);
  }
  std::error_code ignored;
  fs::remove_all(from, ignored);
  // Where there are no locks, another process may have been faster.
  if (error && !fs::exists(to, ignored)) return cannot_keep(to.parent_path(), error.message());
  return Done{};
}

}  // namespace covenant::rtl
