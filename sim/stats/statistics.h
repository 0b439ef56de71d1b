/// Statistics of a run, per layer, per engine, per memory. Keys and columns: docs/reference/statistics.md.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/operations/unit_kind.h"
#include "offchip/statistics.h"

namespace covenant::sim {

/// Cycles by cause: "fetch", "control", "drain", "IBUF.full", ...
using Stalls = std::map<std::string, uint64_t>;

/// One block (layer). `cycles` of all blocks add up to the total; `compute` and `stalls` of one add up to its `cycles`.
struct BlockStatistics {
  uint32_t block = 0;
  std::string layer;  ///< name of the layer; empty if the program has none
  std::string operation;
  uint64_t start = 0;               ///< cycle in which its engines start
  uint64_t done = 0;                ///< cycle in which all it did is visible
  uint64_t cycles = 0;              ///< done - done of the block before
  std::optional<uint64_t> packets;  ///< issued packets; only for programs of packets
  std::string engine;               ///< main engine, whose time the split into compute and stalls describes
  uint64_t compute = 0;             ///< port cycles of the main engine
  Stalls stalls;
  uint64_t macs = 0;         ///< real multiply-accumulates
  uint64_t elementwise = 0;  ///< real SIMD operations
  double utilisation = 0;    ///< real operations / (operations per cycle of the main engine * cycles)

  bool operator==(const BlockStatistics&) const = default;
};

struct EngineStatistics {
  std::string engine;
  acg::UnitKind unit{};
  uint64_t commands = 0;  ///< executed words
  uint64_t busy = 0;      ///< port cycles
  uint64_t control = 0;   ///< cycles of words that use no port
  Stalls stalls;          ///< waiting for tokens and shared buses
  uint64_t drain = 0;     ///< occupied without using the port
  uint64_t idle = 0;      ///< all other cycles of the run

  bool operator==(const EngineStatistics&) const = default;
};

/// Units of a memory that one operand of an engine has read and written.
struct AccessStatistics {
  std::string memory;
  std::string engine;
  std::string operand;
  uint64_t reads = 0;
  uint64_t writes = 0;

  bool operator==(const AccessStatistics&) const = default;
};

struct OffchipStatistics {
  std::string engine;       ///< DMA engine, or the edge that instructions come by
  std::string operand;      ///< the memory on its other side
  uint64_t bytes_read = 0;  ///< requested bytes; port traffic is beats * bytes per beat
  uint64_t bytes_written = 0;
  uint64_t bytes_filled = 0;  ///< outside the limits: not read
  uint64_t beats = 0;         ///< port cycles

  bool operator==(const OffchipStatistics&) const = default;
};

struct OperationStatistics {
  std::string operation;    ///< name with that of its unit, as acg::qualified_name
  uint64_t words = 0;       ///< executed words
  uint64_t operations = 0;  ///< multiply-accumulates or lane operations, padding included
  uint64_t in_f32 = 0;      ///< of these, those in single precision

  bool operator==(const OperationStatistics&) const = default;
};

/// The part of one block.
template <typename Entry>
struct OfBlock {
  uint32_t block = 0;
  Entry entry;
  bool operator==(const OfBlock&) const = default;
};

/// Counters of an off-chip memory with a model other than a fixed latency.
struct MemoryStatistics {
  std::string memory;  ///< as the machine names it
  std::string model;   ///< "ddr4_2400"
  offchip::Statistics counted;

  bool operator==(const MemoryStatistics&) const = default;
};

struct Statistics {
  uint64_t cycles = 0;
  std::optional<uint64_t> packets;              ///< those of all blocks; of programs of packets alone
  std::vector<BlockStatistics> blocks;          ///< in order of execution
  std::vector<EngineStatistics> engines;        ///< as acg::engines
  std::vector<AccessStatistics> accesses;       ///< by engine, then in order of first use
  std::vector<OffchipStatistics> offchip;       ///< instructions, then engines in their order
  std::vector<OperationStatistics> operations;  ///< in the order of acg::operations, those executed
  std::vector<MemoryStatistics> memories;       ///< off-chip memories with a model other than a fixed latency
  /// The same as `accesses` and `offchip` per block, for the blocks that have entries.
  std::vector<OfBlock<AccessStatistics>> block_accesses;
  std::vector<OfBlock<OffchipStatistics>> block_offchip;

  bool operator==(const Statistics&) const = default;
};

/// One JSON object, the same bytes for equal statistics.
std::string to_json(const Statistics& statistics);

}  // namespace covenant::sim
