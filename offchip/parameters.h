/// The parameters of a banked DRAM: organisation, timing, controller. Loaded from a file of offchip/parameters or one
/// of the user's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "offchip/address_map.h"

namespace covenant::offchip {

/// Times between commands in clocks of the memory, by the names that JEDEC gives them
/// (docs/reference/memory-models.md).
struct Timing {
  uint64_t burst = 0;  ///< BL / 2: clocks in which one access holds the data bus
  uint64_t cl = 0;     ///< from a read to its data, tDQSCK included
  uint64_t cwl = 0;    ///< from a write to its data, tDQSS included
  uint64_t rcd_read = 0, rcd_write = 0;
  uint64_t rp = 0, rp_all = 0;
  uint64_t ras = 0, rc = 0;
  uint64_t rrd_short = 0, rrd_long = 0, faw = 0;
  uint64_t ccd_short = 0, ccd_long = 0, ccd_long_write = 0;
  uint64_t wtr_short = 0, wtr_long = 0;  ///< from the end of written data to a read
  uint64_t rtw = 0;                      ///< from a read to a write: CL + BL/2 + turnaround - CWL
  uint64_t wr = 0;                       ///< from the end of written data to a precharge
  uint64_t rtp = 0;
  uint64_t ppd = 1;
  uint64_t refi = 0, rfc = 0;

  bool operator==(const Timing&) const = default;
};

/// Clocks for which a command holds its command bus; all times count from the last of them.
struct CommandClocks {
  uint64_t activate = 1, precharge = 1, column = 1, refresh = 1;
  bool separate_columns = false;  ///< reads and writes have a bus of their own (HBM)

  bool operator==(const CommandClocks&) const = default;
};

enum class Policy {
  kFcfs,    ///< only the oldest access of a channel gets commands
  kFrFcfs,  ///< ready commands go first, the oldest one first; in one bank, those to the open row go first
};

struct Controller {
  Policy policy = Policy::kFrFcfs;
  uint64_t queue = 32;      ///< accesses of a channel, reads and writes together, that wait for their column command
  uint64_t cap = 16;        ///< number of younger accesses that may pass the oldest one
  uint64_t latency_ps = 0;  ///< from the last byte on the memory's bus to the answer

  bool operator==(const Controller&) const = default;
};

struct Parameters {
  std::string name;  ///< "ddr4_2400", or the path of the file
  uint64_t clock_ps = 0;
  Organization organization;
  Timing timing;
  CommandClocks commands;
  Controller controller;
  std::string about{};                           ///< one line for people
  std::map<std::string, std::string> sources{};  ///< sources of the figures, by their keys in the file

  /// Bytes per second of all channels together while data moves without a gap.
  double peak_bytes_per_second() const {
    return static_cast<double>(organization.access_bytes * organization.channels) * 1e12 /
           static_cast<double>(timing.burst * clock_ps);
  }
};

/// The set called `name_or_path`: a builtin name, or a path (it ends in `.json` or contains `/`).
/// Errors: MEM0001 (no such name), MEM0002 (file cannot be read) and those of parse_parameters.
Result<Parameters> load_parameters(std::string_view name_or_path);

/// The set that `text` holds; `file_name` is for messages. Errors: MEM0003 (no JSON), MEM0004 (not of the form),
/// MEM0005 (parameters contradict each other).
Result<Parameters> parse_parameters(std::string_view text, const std::string& file_name);

/// Names of the builtin sets in alphabetical order.
std::vector<std::string> builtin_parameters();

}  // namespace covenant::offchip
