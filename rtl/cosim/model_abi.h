/// What a Verilated model, compiled as a shared library, offers: one function. Both sides include this header.
#pragma once

#include <cstdint>

#include "acg/isa/retire_record.h"

namespace covenant::rtl {

/// kMistimed: a command retired in another cycle than the one in which its last write became visible.
enum class RunStatus : uint32_t { kDone, kFault, kMistimed, kTooLong, kStuck };

/// One run. The caller fills the first part; the model the second.
struct ModelRun {
  uint8_t* memory = nullptr;  ///< the off-chip image, read and written
  uint64_t memory_bytes = 0;  ///< reads behind it give 0, writes behind it are a fault
  uint32_t entry = 0;         ///< address of the first block
  uint64_t max_cycles = 0;
  bool records = false;        ///< hand over a record of every command
  bool digests = false;        ///< and what it wrote
  const char* wave = nullptr;  ///< file for waveforms, if the model was built with them
  void* user = nullptr;        ///< handed to `record`
  void (*record)(void* user, const acg::RetireRecord& record) = nullptr;  ///< in the order in which commands retire

  RunStatus status = RunStatus::kDone;
  uint64_t cycles = 0;  ///< cycle in which the last block is done, or in which the run was given up
  uint64_t faults = 0;  ///< fault_o of the top
};

using RunFunction = void (*)(ModelRun& run);
inline constexpr char kRunSymbol[] = "covenant_model_run";

}  // namespace covenant::rtl
