#include "runtime/session/rtl_options.h"

#include <cstdlib>
#include <thread>

namespace covenant::runtime {
namespace {

std::filesystem::path folder_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? std::filesystem::path() : std::filesystem::path(value);
}

}  // namespace

std::filesystem::path default_rtl_cache() {
  if (const auto own = folder_of("COVENANT_RTL_CACHE"); !own.empty()) return own;
  if (const auto caches = folder_of("XDG_CACHE_HOME"); !caches.empty()) return caches / "covenant" / "rtl";
  const auto home = folder_of("HOME");
  return (home.empty() ? std::filesystem::temp_directory_path() : home / ".cache") / "covenant" / "rtl";
}

std::filesystem::path cache_of(const RtlOptions& options) {
  return options.cache.empty() ? default_rtl_cache() : options.cache;
}

uint32_t jobs_of(const RtlOptions& options) {
  return options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
}

Result<rtl::Model> build_rtl(const acg::Machine& machine, const RtlOptions& options) {
  rtl::BuildOptions build;
  build.cache = cache_of(options);
  build.wave = options.wave;
  build.checked = options.checked;
  build.quick = options.quick;
  build.jobs = jobs_of(options);
  build.progress = options.progress;
  return rtl::build_model(machine, build);
}

}  // namespace covenant::runtime
