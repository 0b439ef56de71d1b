/// An off-chip memory on the AXI4 masters of a Verilated device: its bytes, and a model of when it answers.
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

/// In each cycle: `begin` before the device sees its inputs, `end` once it has. A read is asked for in the cycle in
/// which its address is on the bus, a write in that of its last beat; bursts of a port are answered in their order.
/// What lies past the end of the memory is answered with a decode error.
class AxiMemory {
 public:
  /// Bytes are zeros. Times of the model are those of `clock`.
  AxiMemory(uint64_t bytes, std::unique_ptr<offchip::Model> model, offchip::Clock clock);

  /// Pins outlive the memory. Precondition: they are of one port.
  void connect(rtl::ReadPins& pins);
  void connect(rtl::WritePins& pins);

  void begin(uint64_t cycle);
  void end();

  std::span<uint8_t> bytes() { return {bytes_.get(), size_}; }

 private:
  struct Burst {
    uint64_t address = 0;
    uint64_t beats = 0;
    uint64_t moved = 0;  ///< of these
    uint64_t asked = 0;  ///< cycle
    bool is_answered = false;
    rtl::AxiResponse response = rtl::AxiResponse::kOkay;
  };
  struct Reads {
    rtl::ReadPins* pins;
    std::deque<Burst> bursts;  ///< that have been asked for
  };
  struct Writes {
    rtl::WritePins* pins;
    std::deque<Burst> bursts;
    std::deque<Burst> coming;  ///< their beats are not all there
  };
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };

  void ask(Reads& reads, uint64_t cycle);
  void ask(Writes& writes, uint64_t cycle);
  void request(const Burst& burst, uint32_t port, uint32_t beat_bytes, bool writes);
  void take_beat(Burst& burst, const rtl::WritePins& pins);
  void advance(uint64_t cycle);
  std::deque<Burst>& bursts_of(uint32_t port);
  void offer(const Reads& reads, uint64_t cycle) const;
  static void offer(const Writes& writes, uint64_t cycle);
  bool is_there(uint64_t address, uint64_t bytes) const { return address <= size_ && bytes <= size_ - address; }

  std::unique_ptr<uint8_t[], Free> bytes_;  ///< pages that nobody touches are never there
  uint64_t size_;
  std::unique_ptr<offchip::Model> model_;
  offchip::Clock clock_;
  std::vector<Reads> reads_;
  std::vector<Writes> writes_;
  std::vector<offchip::Answer> answers_;
};

}  // namespace covenant::driver
