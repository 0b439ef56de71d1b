/// AXI4 masters of a Verilated device as TLM-2.0 initiators: one transaction per burst.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <systemc>
#include <utility>
#include <vector>

#include "platform/memory_socket.h"
#include "rtl/cosim/device_abi.h"

namespace covenant::sc {

/// The path of a port's bursts: a socket, and the index of the port there.
struct PortPath {
  MemorySocket* socket = nullptr;
  uint32_t place = 0;
};

/// Answers that have come for the ports of a master. They may go to the device in any order that keeps those of a port.
template <class Answer>
class Answered {
 public:
  /// Starts with `ports` ports without outstanding bursts; a port is named by its id.
  explicit Answered(size_t ports) : owed_(ports) {}

  void ask(uint32_t id) {
    ++owed_[id];
    ++all_owed_;
    asked_ = id;
  }
  /// No burst has been requested in this cycle.
  void ask_nothing() { asked_.reset(); }
  void put(Answer answer) { come_.push_back(std::move(answer)); }
  bool is_quiet() const { return all_owed_ == 0; }

  /// The answer to be offered; null if there is none: the first of those that have come by `time`. The answer to a
  /// request of this cycle waits for the next one even if its memory has answered at once, as AXI requires.
  Answer* offered(const sc_core::sc_time& time) {
    if (come_.empty()) return nullptr;
    std::vector<bool> is_behind(owed_.size());
    for (chosen_ = 0; chosen_ < come_.size(); ++chosen_) {
      Answer& answer = come_[chosen_];
      const bool is_too_soon = asked_ == answer.id && owed_[answer.id] == 1;
      if (answer.time <= time && !is_too_soon && !is_behind[answer.id]) return &answer;
      is_behind[answer.id] = true;
    }
    return nullptr;
  }
  /// The device has all of the one that was offered last.
  void take() {
    --owed_[come_[chosen_].id];
    --all_owed_;
    come_.erase(come_.begin() + static_cast<std::ptrdiff_t>(chosen_));
  }

 private:
  std::deque<Answer> come_;
  size_t chosen_ = 0;
  std::vector<uint64_t> owed_;  ///< bursts, by id
  uint64_t all_owed_ = 0;
  std::optional<uint32_t> asked_;  ///< requested in this cycle
};

/// In each cycle: `ask` when it has begun, `offer` before the device sees its inputs, `take` once it has.
class ReadMaster {
 public:
  /// `paths`: of the ports of `pins`, in their order.
  ReadMaster(rtl::ReadPins& pins, std::vector<PortPath> paths);

  bool is_quiet() const { return answered_.is_quiet() && !pins_.arvalid; }
  /// Nothing is under way.
  void reset();
  /// A memory has answered the oldest burst of the port with this id.
  void answer(uint32_t id, const MemorySocket::Response& response);

  void ask();
  /// Answers that have come by `time`.
  void offer(const sc_core::sc_time& time);
  void take();

 private:
  struct Burst {
    uint32_t id = 0;
    sc_core::sc_time time;
    uint64_t address = 0;
    std::vector<uint8_t> data;
    bool has_failed = false;
  };

  rtl::ReadPins& pins_;
  std::vector<PortPath> paths_;
  Answered<Burst> answered_;
  Burst* burst_ = nullptr;  ///< burst whose beats are offered
  uint64_t taken_ = 0;      ///< bytes of it
};

class WriteMaster {
 public:
  WriteMaster(rtl::WritePins& pins, std::vector<PortPath> paths);

  bool is_quiet() const { return bursts_.empty() && answered_.is_quiet() && !pins_.awvalid && !pins_.wvalid; }
  void reset();
  void answer(uint32_t id, const MemorySocket::Response& response);

  void ask();
  void offer(const sc_core::sc_time& time);
  void take();

 private:
  struct Burst {
    uint32_t id = 0;
    uint64_t address = 0;
  };
  struct Response {
    uint32_t id = 0;
    sc_core::sc_time time;
    bool has_failed = false;
  };
  void append_beat();

  rtl::WritePins& pins_;
  std::vector<PortPath> paths_;
  std::deque<Burst> bursts_;      ///< bursts whose beats have not all arrived
  std::vector<uint8_t> data_;     ///< bytes of the first of them
  std::vector<uint8_t> enables_;  ///< its byte enables, as in TLM
  Answered<Response> answered_;
};

}  // namespace covenant::sc
