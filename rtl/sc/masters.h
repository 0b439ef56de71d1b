/// AXI4 masters of a Verilated device as TLM-2.0 initiators: one transaction a burst.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <systemc>
#include <vector>

#include "rtl/cosim/device_abi.h"
#include "sim/sc/platform/memory_socket.h"

namespace covenant::sc {

/// In each cycle: `ask` when it has begun, `offer` before the device sees its inputs, `take` once it has.
class ReadMaster {
 public:
  ReadMaster(const std::string& name, uint32_t first_port, rtl::ReadPins& pins);

  MemorySocket& socket() { return socket_; }
  uint32_t memory() const { return pins_.memory; }
  uint32_t port() const { return pins_.port; }
  bool is_quiet() const { return owed_ == 0 && !pins_.arvalid; }

  void ask();
  /// Answers that have come by `time`.
  void offer(const sc_core::sc_time& time);
  void take();

 private:
  struct Burst {
    sc_core::sc_time time;
    std::vector<uint8_t> data;
    bool has_failed = false;
  };

  MemorySocket socket_;
  rtl::ReadPins& pins_;
  std::deque<Burst> answered_;
  uint64_t taken_ = 0;  ///< bytes of the first of them
  uint64_t owed_ = 0;   ///< bursts that have been asked for
  bool asks_ = false;   ///< for the last of them, in this cycle
};

class WriteMaster {
 public:
  WriteMaster(const std::string& name, uint32_t first_port, rtl::WritePins& pins);

  MemorySocket& socket() { return socket_; }
  uint32_t memory() const { return pins_.memory; }
  uint32_t port() const { return pins_.port; }
  bool is_quiet() const { return owed_ == 0 && !pins_.awvalid && !pins_.wvalid; }

  void ask();
  void offer(const sc_core::sc_time& time);
  void take();

 private:
  struct Answer {
    sc_core::sc_time time;
    bool has_failed = false;
  };
  void append_beat();

  MemorySocket socket_;
  rtl::WritePins& pins_;
  std::deque<uint64_t> addresses_;  ///< of bursts whose beats are not all there
  std::vector<uint8_t> data_;       ///< of the first of them
  std::vector<uint8_t> enables_;    ///< likewise, as TLM has them
  std::deque<Answer> answered_;
  uint64_t owed_ = 0;  ///< bursts whose addresses have come
  uint64_t sent_ = 0;  ///< those of them whose beats have, too
  bool ends_ = false;  ///< the last of these, in this cycle
};

}  // namespace covenant::sc
