/// The interface of a Verilated model that is compiled as a shared library: one function. Both sides include this
/// header.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "acg/isa/retire_record.h"

namespace covenant::rtl {

/// kMistimed: a command retired in another cycle than the one in which its last write became visible.
/// kStopped: the caller wanted no more. kBroken: an assertion of the RTL does not hold.
enum class RunStatus : uint32_t { kDone, kFault, kMistimed, kTooLong, kStuck, kStopped, kBroken };

/// When an off-chip memory answers: an offchip::Model, by functions that know it. Without a model: after the latency
/// that the machine states.
struct OffchipTiming {
  void* model = nullptr;
  /// A burst is with the memory in `cycle`, not before that of the last `advance`.
  void (*request)(void* model, uint64_t cycle, uint32_t port, uint64_t address, uint32_t bytes, bool writes) = nullptr;
  /// Appends the ports that are answered up to and with `cycle`; the next cycle that could bring something if no burst
  /// comes before.
  uint64_t (*advance)(void* model, uint64_t cycle, std::vector<uint32_t>& ports) = nullptr;
};

/// An off-chip memory of a run.
struct OffchipBytes {
  uint32_t memory = 0;      ///< its number in the machine
  uint8_t* data = nullptr;  ///< read and written
  uint64_t bytes = 0;       ///< reads past them give 0, writes past them are a fault
  OffchipTiming timing{};
};

/// One run. The caller fills the first part; the model the second.
struct ModelRun {
  std::vector<OffchipBytes> offchip{};  ///< all off-chip memories
  uint32_t entry = 0;                   ///< address of the first block, in the memory of the words
  uint64_t max_cycles = 0;
  bool records = false;        ///< hand over a record of every command
  bool digests = false;        ///< with digests of the written bytes
  const char* wave = nullptr;  ///< file for waveforms, if the model was built with them
  uint64_t wave_from = 0;      ///< first and last cycle in that file
  uint64_t wave_to = UINT64_MAX;
  uint64_t seed = 0;     ///< seed of a checked model's state before reset, and of its scratchpads (acg::initial_byte)
  void* user = nullptr;  ///< handed to the functions below, each of which may set `stop`
  void (*record)(void* user, const acg::RetireRecord& record) = nullptr;  ///< in the order in which commands retire
  void (*block)(void* user, uint64_t start, uint64_t done) = nullptr;     ///< a block has ended
  void (*watch)(void* user, uint64_t cycle) = nullptr;                    ///< every kWatchCycles cycles
  bool stop = false;                                                      ///< end the run with kStopped

  RunStatus status = RunStatus::kDone;
  uint64_t cycles = 0;             ///< cycle in which the last block is done, or in which the run was stopped
  uint64_t faults = 0;             ///< fault_o of the top
  std::array<char, 256> broken{};  ///< file and line of the assertion
};

inline constexpr uint64_t kWatchCycles = 4096;

using RunFunction = void (*)(ModelRun& run);
inline constexpr char kRunSymbol[] = "covenant_model_run";

}  // namespace covenant::rtl
