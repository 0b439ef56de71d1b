/// Off-chip memories on the AXI4 masters of a Verilated device: their contents, and models of when they answer.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "offchip/clock.h"
#include "offchip/model.h"
#include "rtl/cosim/device_abi.h"

namespace covenant::driver {

/// In each cycle, call `begin` before the device sees its inputs and `end` after that. A read is requested in the cycle
/// in which its address is on the bus, a write in that of its last beat; bursts of a port are answered in order, those
/// of several ports of a master in the order in which their memories answer. Accesses past the end of a memory get a
/// decode error.
class AxiMemories {
 public:
  /// Pins outlive the memories. Times of models are those of `clock`.
  AxiMemories(rtl::DevicePins& pins, offchip::Clock clock);

  /// Adds the memory with this number in the machine, with `bytes` zeros. All memories that pins name must be added
  /// before `begin`.
  void add(uint32_t memory, uint64_t bytes, std::unique_ptr<offchip::Model> model);
  /// The contents of a memory by its number; empty if there is none.
  std::span<uint8_t> bytes_of(uint32_t memory);

  void begin(uint64_t cycle);
  void end();

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  struct Memory {
    std::unique_ptr<uint8_t[], Free> bytes;  ///< pages that are never touched take no memory
    uint64_t size = 0;
    std::unique_ptr<offchip::Model> model;  ///< null: there is no such memory
  };
  struct Burst {
    uint32_t id = 0;  ///< place of its port among those of its master
    uint64_t address = 0;
    uint64_t beats = 0;
    uint64_t moved = 0;  ///< of these, beats that have moved
    uint64_t asked = 0;  ///< cycle
    rtl::AxiResponse response = rtl::AxiResponse::kOkay;
  };
  template <typename Pins>
  struct Master {
    Pins* pins;
    std::deque<Burst> coming{};    ///< writes whose beats have not all arrived
    std::deque<Burst> asked{};     ///< memories have not answered, in the order of asking
    std::deque<Burst> answered{};  ///< not all handed over, in the order of the answers
  };
  using Reads = Master<rtl::ReadPins>;
  using Writes = Master<rtl::WritePins>;

  void ask(Reads& reads, uint64_t cycle);
  void ask(Writes& writes, uint64_t cycle);
  void take_beat(Burst& burst, const rtl::WritePins& pins);
  void request(const Burst& burst, const rtl::DevicePort& port, bool writes);
  void advance(Memory& memory, uint64_t cycle);
  void answer(uint32_t port);
  void offer(const Reads& reads, uint64_t cycle);
  static void offer(const Writes& writes, uint64_t cycle);

  offchip::Clock clock_;
  std::vector<Memory> memories_;  ///< by number
  std::vector<Reads> reads_;
  std::vector<Writes> writes_;
  std::vector<offchip::Answer> answers_;
};

}  // namespace covenant::driver
