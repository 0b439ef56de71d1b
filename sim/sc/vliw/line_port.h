/// The port between a core and an off-chip memory that must be asked when it answers.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <systemc>

#include "platform/memory_socket.h"
#include "sim/sc/common/cycle_time.h"
#include "sim/vliw/line_edge.h"

namespace covenant::sim::sc {

/// A burst for each line, begun in the cycle in which the line is with the memory.
class LinePort : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(LinePort);
  /// `port`: its number at the memory.
  LinePort(const sc_core::sc_module_name& name, uint32_t port);

  covenant::sc::MemorySocket memory;

  /// Bytes of a line that is stored.
  using Bytes = std::function<std::span<const uint8_t>(uint64_t address, uint64_t bytes)>;
  /// A run begins; `edge` and `time` must outlive it.
  void attach(vliw::LineEdge& edge, const CycleTime& time, Bytes bytes);
  void release();
  void ask(const vliw::LineEdge::Request& request);

  /// Called after each answer that was passed to the edge.
  std::function<void()> answered;
  /// Called when the memory has refused a line that the core cannot do without.
  std::function<void(const covenant::sc::MemorySocket::Response&)> refused;
  /// Called when the core uses a line that the memory has refused when the core could do without it. Throws.
  std::function<void(const covenant::sc::MemorySocket::Response&)> used;

 private:
  void send();
  void take(const covenant::sc::MemorySocket::Response& response);

  sc_core::sc_event wake_;
  vliw::LineEdge* edge_ = nullptr;
  const CycleTime* time_ = nullptr;
  Bytes bytes_;
  std::deque<vliw::LineEdge::Request> waiting_;           ///< for their cycle
  std::deque<vliw::LineEdge::Request> under_way_;         ///< not answered yet
  std::map<uint64_t, tlm::tlm_response_status> refused_;  ///< by address: lines that have not been used
};

}  // namespace covenant::sim::sc
