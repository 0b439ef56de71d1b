/// The interface of all backends: one program, loaded once, run on any number of memory images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/isa/retire_record.h"
#include "acg/program/program.h"
#include "runtime/session/rtl_options.h"
#include "sim/run/byte_bounds.h"
#include "sim/run/command_range.h"
#include "sim/run/event_count.h"
#include "sim/run/family_result.h"
#include "sim/stats/statistics.h"

namespace covenant::runtime {

struct DeviceOptions {
  bool values = true;               ///< false: time only; outputs are then meaningless (systemc)
  bool records = false;             ///< keep a retire record of every command (systemc, rtl)
  bool trace = false;               ///< write a Perfetto trace (systemc, rtl)
  bool profile = false;             ///< report where cycles go, for families that can (systemc)
  std::string memory = "fixed";     ///< model of off-chip memory, as offchip::make_model takes it (systemc, rtl)
  sim::CommandRange commands = {};  ///< those that have a record and a place in the trace, as in sim::SimulateOptions
  std::filesystem::path wave = {};  ///< write waveforms into this FST file (rtl)
  uint64_t wave_from = 0;           ///< first and last cycle in the waveform file
  uint64_t wave_to = UINT64_MAX;
  /// Told the cycle that a run has reached, now and then; false ends it with RUN0011 (rtl).
  std::function<bool(uint64_t cycle)> progress = {};
};

/// Cost of a run. Everything is empty or 0 on a backend without timing. A backend refuses options above that it does
/// not support (RUN0009). `statistics` of rtl has only the lists `blocks`, `engines` and `memories`.
struct DeviceResult {
  uint64_t cycles = 0;
  sim::Statistics statistics;
  std::vector<acg::RetireRecord> records;
  std::string trace;
  std::shared_ptr<const sim::FamilyResult> own;  ///< what only programs of its family have; may be null
  std::optional<sim::ByteBounds> written{};      ///< bounds of the bytes written; nothing: it may be any
};

/// Cost of several runs at once, each on a hardware context of its own.
struct TogetherResult {
  uint64_t cycles = 0;                                       ///< until the last one was done
  uint64_t commands = 0;                                     ///< executed by all contexts
  std::vector<sim::EventCount> events;                       ///< counters of the whole core
  std::string trace;                                         ///< tracks of each context
  std::vector<DeviceResult> contexts;                        ///< result of each run, without a trace
  std::vector<std::vector<sim::EventCount>> context_events;  ///< per run: counters that it does not share with the
                                                             ///< others
};

class Device {
 public:
  virtual ~Device() = default;
  /// `memory`: the off-chip image, `program.memory_bytes` bytes, inputs written; outputs are in it afterwards.
  virtual Result<DeviceResult> run(std::vector<uint8_t>& memory, const DeviceOptions& options) const = 0;
  /// A run without values, which needs no inputs and writes nothing. Precondition: !options.values.
  virtual Result<DeviceResult> time(const std::vector<uint8_t>& memory, const DeviceOptions& options) const;
  /// Like `run`, for at least one image, all at once. Error also: RUN0009 (a backend without contexts).
  virtual Result<TogetherResult> run_together(std::vector<std::vector<uint8_t>>& memories,
                                              const DeviceOptions& options) const;
};

/// Values only, from the scheduled codelets of the blocks: its runs refuse (RUN0009) what needs time. Fails if a
/// codelet does not parse (CDL codes). `program` must outlive the device.
Result<std::unique_ptr<Device>> make_interpreter(const acg::Program& program);
/// Values and cycles, from the encoded words. `program` must outlive the device.
Result<std::unique_ptr<Device>> make_systemc(const acg::Program& program);

/// Computes values and cycles from the encoded words by the Verilated RTL, which is built unless the cache has it
/// (errors: those of rtl::build_model). `program` must outlive the device.
Result<std::unique_ptr<Device>> make_rtl(const acg::Program& program, const RtlOptions& options);

/// Names of all backends.
std::vector<std::string> backend_names();
/// The device of a backend. Errors: RUN0005 (unknown name), and those of the makers.
Result<std::unique_ptr<Device>> make_device(std::string_view backend, const acg::Program& program,
                                            const RtlOptions& rtl = {});

}  // namespace covenant::runtime
