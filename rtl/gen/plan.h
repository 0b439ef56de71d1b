/// The plan of a machine's RTL: its engines, its memories, and what is attached to which port.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/graph/graph.h"

namespace covenant::rtl {

/// kCopy: a load from another scratchpad.
enum class EngineKind : uint8_t { kSystolicArray, kSimdArray, kLoad, kStore, kCopy };

/// One engine in the order of acg::engines.
struct EnginePlan {
  EngineKind kind = EngineKind::kLoad;
  std::string name;    ///< as the machine writes it: "DRAM->IBUF"
  std::string signal;  ///< identifier in SystemVerilog (rtl/gen/names.h): "dram_to_ibuf"
  uint32_t depth = 1;  ///< cycles from the end of a word's occupancy to its effect (docs/reference/units/README.md)
  const acg::Compute* compute = nullptr;  ///< for arrays
  uint32_t memory = 0;                    ///< for DMA engines: the scratchpad at the near end
  uint32_t far = 0;                       ///< the memory at the far end
  uint32_t latency = 0;                   ///< for DMA engines: cycles from a request to its answer, memory and edge
                                          ///< together
  uint32_t places = 0;                    ///< for engines of off-chip memory: most beats and posts in progress
  uint32_t beat_bytes = 0;                ///< for DMA engines
  std::string bus;                        ///< bus that it shares; empty: its own
  uint32_t burst = acg::kBurstBeats;      ///< beats that it moves in one turn on the bus
};

/// A user of a scratchpad's read or write port.
struct PortPlan {
  uint32_t engine = 0;
  uint32_t operand = 0;   ///< SIMD sources: 1 or 2
  uint32_t elements = 0;  ///< elements that it takes at once
};

/// A systolic array whose column accumulators a scratchpad serves.
struct SkewPlan {
  uint32_t engine = 0;
  uint32_t columns = 0;
  bool is_output = false;  ///< as its output memory; false: as its bias memory
};

/// One scratchpad.
struct MemoryPlan {
  uint32_t index = 0;       ///< index in Machine::memories
  std::string signal;       ///< "ibuf"
  uint32_t data_bytes = 1;  ///< bytes of an element
  bool is_weight = false;   ///< located in the systolic arrays that use it
  std::vector<SkewPlan> skews;
  std::vector<PortPlan> reads;
  std::vector<PortPlan> writes;
  uint32_t read_elements = 1;  ///< width of every read port: the largest that any of them needs
  uint32_t write_elements = 1;
  uint32_t skew_columns = 1;
};

/// A bus that transfer engines share.
struct BusPlan {
  std::string name;
  std::string signal;
  std::vector<uint32_t> engines;  ///< in the order of their places
};

struct Plan {
  const acg::Machine* machine = nullptr;
  std::vector<EnginePlan> engines;
  std::vector<MemoryPlan> memories;  ///< scratchpads as declared
  std::vector<BusPlan> buses;
  uint32_t words_memory = 0;       ///< off-chip, index in Machine::memories
  uint32_t latency = 0;            ///< for the fetch unit's port: cycles of off-chip memory and edge
  uint32_t places = 0;             ///< for that port: most beats in progress
  uint32_t slot_bits = 1;          ///< bits of the largest channel number
  uint32_t fetch_bytes = 0;        ///< a beat of instructions
  uint32_t fetch_words = 0;        ///< words that one beat completes, at most
  uint32_t instruction_depth = 0;  ///< words of one buffer
  uint32_t immediate = 0;          ///< index of the immediate memory; number of memories if there is none
};

inline bool is_offchip(const EnginePlan& engine) {
  return engine.kind == EngineKind::kLoad || engine.kind == EngineKind::kStore;
}

/// Keeps pointers into `machine`, which must outlive the plan. Errors: RTL0002 .. RTL0009, RTL0017.
Result<Plan> plan(const acg::Machine& machine);

/// Bytes of an element of a memory in the RTL: elements of less than a byte are packed into one.
uint32_t data_bytes_of(const acg::Memory& memory);

/// The skewed port that serves a systolic array's "bias" or "output".
size_t skew_port(const MemoryPlan& memory, uint32_t engine, bool is_output);

/// The scratchpad of a systolic array's role: "input", "weight", "bias", "output".
const MemoryPlan& memory_of_role(const Plan& plan, const acg::Compute& compute, std::string_view name);

}  // namespace covenant::rtl
