/// Off-chip memories of a Verilated model that ask a memory model when they answer (docs/reference/off-chip-port.md).
/// Compiled into every model; the memory model is on the other side of rtl/cosim/model_abi.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>

#include "rtl/cosim/model_abi.h"
#include "rtl/cosim/offchip.h"

namespace covenant::rtl {

/// One memory. In every cycle all bursts are requested first, then time advances, then beats move. Bytes are read when
/// they are handed over, and written when their burst has been answered.
class TimedOffchip {
 public:
  TimedOffchip(const OffchipBytes& bytes, size_t ports) : bytes_(bytes), ports_(ports) {}

  template <class Port>
  void ask_read(const Port& port, uint64_t cycle) {
    if (port.asks) ask({port.address, port.bytes, port.beats, false}, port.port, cycle);
  }
  template <class Port>
  void ask_write(const Port& port, uint64_t cycle) {
    if (port.asks) ask({port.burst_address, port.bytes, port.beats, true}, port.port, cycle);
  }

  /// Learns which bursts are answered in `cycle`; false if one of them writes past the end.
  bool advance(uint64_t cycle) {
    if (cycle < next_) return true;
    answers_.clear();
    next_ = bytes_.timing.advance(bytes_.timing.model, cycle, answers_);
    return std::all_of(answers_.begin(), answers_.end(), [&](uint32_t port) { return answered(ports_[port]); });
  }

  /// A read port takes a beat.
  template <class Port>
  void read(const Port& port) {
    std::deque<Burst>& bursts = ports_[port.port].bursts;
    const bool is_there = !bursts.empty() && bursts.front().is_answered;
    port.is_answered = is_there ? 1 : 0;
    if (!is_there || !port.takes) return;
    Burst& burst = bursts.front();
    copy(burst.address + uint64_t{burst.moved} * burst.bytes, port.data, burst.bytes);
    if (++burst.moved == burst.beats) bursts.pop_front();
  }

  /// A write port delivers a beat, and takes the notice that a burst is written. False if the beat is past the end.
  template <class Port>
  bool write(const Port& port) {
    Bursts& writes = ports_[port.port];
    port.is_written = writes.written != 0 ? 1 : 0;
    if (port.is_written != 0 && port.takes) --writes.written;
    if (!port.valid) return true;
    const auto burst = std::find_if(writes.bursts.begin(), writes.bursts.end(),
                                    [](const Burst& one) { return one.moved != one.beats; });
    if (burst == writes.bursts.end()) return false;
    for (unsigned i = 0; i < port.bytes; ++i) {
      if (bit(port.strobe, i)) burst->values.push_back({uint64_t{port.address} + i, port.data[i]});
    }
    ++burst->moved;
    return settle(writes);
  }

 private:
  struct Value {
    uint64_t address;
    uint8_t byte;
  };
  struct Burst {
    uint64_t address;
    unsigned bytes;  ///< bytes of one beat
    unsigned beats;
    bool writes;
    unsigned moved = 0;  ///< beats
    bool is_answered = false;
    std::vector<Value> values = {};  ///< arrived, but not in the memory yet
  };
  /// Bursts of a port that are not answered, or whose beats have not all moved.
  struct Bursts {
    std::deque<Burst> bursts;
    unsigned written = 0;  ///< answered bursts that the machine has not been told of
  };

  void ask(const Burst& burst, unsigned port, uint64_t cycle) {
    ports_[port].bursts.push_back(burst);
    bytes_.timing.request(bytes_.timing.model, cycle, port, burst.address, burst.beats * burst.bytes, burst.writes);
    next_ = cycle;
  }

  bool answered(Bursts& port) {
    const auto burst =
        std::find_if(port.bursts.begin(), port.bursts.end(), [](const Burst& one) { return !one.is_answered; });
    if (burst == port.bursts.end()) return false;
    burst->is_answered = true;
    if (!burst->writes) return true;
    ++port.written;
    return settle(port);
  }

  /// Puts into the memory what has been answered.
  bool settle(Bursts& port) {
    for (Burst& burst : port.bursts) {
      if (!burst.is_answered) break;
      for (const Value& value : burst.values) {
        if (value.address >= bytes_.bytes) return false;
        bytes_.data[value.address] = value.byte;
      }
      burst.values.clear();
    }
    while (!port.bursts.empty() && port.bursts.front().is_answered &&
           port.bursts.front().moved == port.bursts.front().beats)
      port.bursts.pop_front();
    return true;
  }

  void copy(uint64_t address, uint8_t* data, unsigned bytes) const {
    const uint64_t there = address < bytes_.bytes ? std::min<uint64_t>(bytes, bytes_.bytes - address) : 0;
    if (there != 0) std::memcpy(data, bytes_.data + address, there);
    std::memset(data + there, 0, bytes - there);
  }

  OffchipBytes bytes_;
  std::vector<Bursts> ports_;
  std::vector<uint32_t> answers_;
  uint64_t next_ = 0;  ///< next cycle in which it must act
};

}  // namespace covenant::rtl
