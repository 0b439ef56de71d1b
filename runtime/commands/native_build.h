/// Builds generated machines as shared libraries and caches them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "acg/base/result.h"
#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/native/abi.h"

namespace covenant::runtime {

struct NativeOptions {
  std::filesystem::path cache = {};    ///< folder of built machines; empty: default_machine_cache()
  std::function<bool()> goes_on = {};  ///< asked many times a second while a machine is built or runs; false ends that
};

/// A loaded machine, unloaded when its last user releases it.
struct NativeLibrary {
  std::shared_ptr<void> handle;
  const acg::behaviour::native::Library* library = nullptr;
  std::filesystem::path folder;
  double build_seconds = 0;  ///< 0 if it was in the cache
};

/// Default folder of the cache: $COVENANT_MACHINE_CACHE, else $XDG_CACHE_HOME/covenant/machines, else
/// ~/.cache/covenant/machines.
std::filesystem::path default_machine_cache();

/// Whether there is a compiler that machines can be built with.
bool has_machine_compiler();

/// Whether the cache has the compiled behaviour, whole.
bool is_built(const acg::behaviour::Behaviour& behaviour, const NativeOptions& options);

/// Compiles the behaviour unless the cache has it, and loads it; one that is not what was built is built again. Two
/// processes may do so at once: the second one waits for the first. Errors: BEH0050 (no compiler), BEH0051 (it fails;
/// names the log), BEH0052 (the library cannot be loaded), BEH0053 (the cache cannot be written), BEH0054 (ended by
/// `goes_on`).
Result<NativeLibrary> build_native(const acg::behaviour::Behaviour& behaviour, const NativeOptions& options);

}  // namespace covenant::runtime
