/// Options for building and caching the Verilated model of a machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "rtl/cosim/build_progress.h"
#include "rtl/cosim/model.h"

namespace covenant::runtime {

struct RtlOptions {
  std::filesystem::path cache = {};  ///< folder of built models; empty: default_rtl_cache()
  bool wave = false;                 ///< able to write waveforms (another model, slower)
  bool checked = false;              ///< with assertions and random initial state (slower)
  bool quick = false;                ///< built in a third of the time, runs at half the speed
  uint32_t jobs = 0;                 ///< compilers at a time; 0: one for each core
  rtl::BuildProgress progress = {};
};

/// Default folder of the cache: $COVENANT_RTL_CACHE, else $XDG_CACHE_HOME/covenant/rtl, else ~/.cache/covenant/rtl.
std::filesystem::path default_rtl_cache();

/// Resolve options that are left open.
std::filesystem::path cache_of(const RtlOptions& options);
uint32_t jobs_of(const RtlOptions& options);

/// The Verilated model of `machine`, built unless the cache has it. Errors: those of rtl::build_model.
Result<rtl::Model> build_rtl(const acg::Machine& machine, const RtlOptions& options);

}  // namespace covenant::runtime
