/// Builds retire records from what the observer shows. Compiled into every model.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "acg/isa/retire_record.h"
#include "rtl/cosim/model_abi.h"
#include "rtl/cosim/shadow.h"

class Vcovenant_top;

namespace covenant::rtl {

class Recorder {
 public:
  explicit Recorder(ModelRun& run);

  /// Looks at one cycle; true if something happened.
  bool cycle(Vcovenant_top& top, uint64_t cycle);

  /// A command has retired in another cycle than the one in which its last write became visible.
  bool is_mistimed() const { return mistimed_; }

 private:
  struct Seen {
    bool issue, pipelined, last_step, retire, blocked;
    unsigned index;
    const uint8_t* word;  ///< its bytes
    uint32_t stall;
  };
  struct Command {
    acg::RetireRecord record;
    uint16_t tag = 0;
    uint64_t number = 0;
    std::vector<uint64_t> touched;  ///< cells of the output memory, in the order of their first write
    bool is_tight = false;          ///< its last beat or step writes
    uint64_t visible = 0;           ///< first cycle in which all that it has written so far is visible
  };
  struct Engine {
    std::deque<Command> pipeline;  ///< commands that have not retired, oldest first
    uint64_t sequence = 0;
    uint16_t transfers = 0;  ///< passes, tiles and nests completed at the port
    Shadow sums;             ///< for a unit with column accumulators: its output memory, by address
    unsigned output = 0;     ///< the number of that memory
  };

  void emit(const acg::RetireRecord& record) { run_.record(run_.user, record); }
  bool retire_simple(uint64_t cycle);
  void commands(Engine& state, unsigned engine, uint64_t cycle, const Seen& seen);
  Command* find(unsigned engine, uint16_t tag);
  void byte(Command& command, unsigned memory, uint64_t address, uint8_t value);
  void stores(Vcovenant_top& top);
  void writes(Vcovenant_top& top);
  void sum(unsigned engine, unsigned memory, uint64_t address, uint32_t value, uint16_t tag);
  bool fetch(Vcovenant_top& top, uint64_t cycle);

  ModelRun& run_;
  std::vector<uint8_t> timed_;  ///< by off-chip memory: it may answer after more than its latency
  std::vector<Engine> engines_;
  std::vector<acg::RetireRecord> simple_;  ///< commands that issued in this cycle and retire in the next one
  std::vector<Shadow> shadows_;            ///< by byte
  uint64_t now_ = 0;
  bool mistimed_ = false;
  uint64_t numbers_ = 0;
  uint32_t started_ = 0;
  uint64_t block_start_ = 0;
  uint32_t fetched_ = 0;
  uint32_t fetch_word_ = 0;
  uint64_t fetch_sequence_ = 0;
  acg::RetireRecord header_;
};

}  // namespace covenant::rtl
