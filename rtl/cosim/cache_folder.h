/// The folder in which Verilated models are kept, which several processes share. Any of them may be killed, and there
/// may be no room left: a model is there whole or not at all, and what a killed build has left goes with the next one.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "acg/base/result.h"

namespace covenant::rtl {

/// Makes the folder. Errors: RTL0015.
Status prepare_cache(const std::filesystem::path& cache);

/// The diagnostic RTL0015: nothing can be kept in `folder`.
Diagnostic cannot_keep(const std::filesystem::path& folder, const std::string& reason);

/// The diagnostic RTL0015 with the reason that there is no room; what an error of the system says is `reason`.
Diagnostic no_room(const std::filesystem::path& folder);

/// Whether no more than a few blocks are free there.
bool is_full(const std::filesystem::path& folder);

/// Held while a model is built, so that two processes do not do the same work.
class Lock {
 public:
  explicit Lock(const std::filesystem::path& path);
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock();

  /// Waits while another process holds it; false if `goes_on` ends that.
  bool take(const std::function<bool()>& goes_on);
  /// Whether it could be made.
  bool is_open() const { return file_ >= 0; }
  /// Whether no other process has it: false on file systems without locks.
  bool is_held() const { return is_held_; }

 private:
  int file_;
  bool is_held_ = false;
};

/// Removes what killed builds of the model of `folder` have left beside it, or in it. Its lock must be held.
void remove_remains(const std::filesystem::path& folder, const std::filesystem::path& library);

/// A folder that Make can work in, for what becomes `folder`. Errors: RTL0015.
Result<std::filesystem::path> work_folder(const std::filesystem::path& folder);

/// Errors: RTL0015.
Status write_files(const std::map<std::string, std::string>& files, const std::filesystem::path& folder);

/// Moves a folder, over file systems too; nothing is at `to` unless all of it is. Errors: RTL0015.
Status move_folder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace covenant::rtl
