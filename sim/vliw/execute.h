/// Runs executable files of any compiler on the vliw_core of a machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "acg/isa/vliw/elf_file.h"
#include "sim/run/command_range.h"
#include "sim/run/event_count.h"
#include "sim/vliw/packet_profile.h"

namespace covenant::sim {

struct ExecuteOptions {
  bool cycles = true;                        ///< false: values only, several times as fast
  bool profile = false;                      ///< report the cycles of each packet
  uint64_t max_packets = 1'000'000'000'000;  ///< a longer run is a fault (SIM0060)
  std::string input{};                       ///< contents of the program's standard input
  bool trace = false;                        ///< write a Perfetto trace
  CommandRange packets{};                    ///< packets that appear in it
};

struct ExecuteResult {
  int32_t exit_code = 0;
  std::string output;  ///< contents of the program's standard output
  std::string errors;  ///< contents of the program's standard error output
  uint64_t packets = 0;
  uint64_t cycles = 0;  ///< 0 without cycles
  std::vector<EventCount> events;
  std::vector<PacketProfile> profile;  ///< by address
  std::string trace;                   ///< Perfetto JSON; empty unless requested
};

/// Registers are zero at the start, except r29, the end of a stack of 1 MiB. The program ends itself by the system call
/// `exit`. Errors: SIM0001, SIM0060, SIM0061, SIM0070, SIM0080 .. SIM0086.
Result<ExecuteResult> execute(const acg::ElfFile& file, const acg::Machine& machine,
                              const ExecuteOptions& options = {});

/// Result of running several files at once.
struct ExecuteTogetherResult {
  uint64_t cycles = 0;                  ///< until the last one was done; 0 without cycles
  uint64_t packets = 0;                 ///< executed by all contexts
  std::vector<EventCount> events;       ///< counters of the whole core
  std::vector<ExecuteResult> contexts;  ///< result of each file, without counters of shared units and without a trace
  std::string trace;                    ///< tracks of each context, one below the other
};

/// Runs several files at once, each on a hardware context of its own, with a memory and an input of its own.
/// `max_packets` and `packets` count per file. Error also: SIM0087.
Result<ExecuteTogetherResult> execute_together(std::span<const acg::ElfFile> files, const acg::Machine& machine,
                                               const ExecuteOptions& options = {});

}  // namespace covenant::sim
