/// Lets an initiator find out that a target answers after a fixed time, and after which.
///
/// An initiator that knows this time computes with it and needs no transactions for timing. Call `ask_latency` once, at
/// start_of_simulation at the earliest:
///
///     const auto known = covenant::sc::ask_latency(socket, base);
///     if (known && known->last >= end) ... every burst in [base, end] is answered known->latency after it began
///     else                             ... ask with transactions
///
/// The question is a debug transaction of no bytes that carries the extension. A memory with a fixed latency fills it
/// in. An interconnect that adds the same time to every transaction adds it to the answer; one in which transactions
/// wait for one another does not pass the question on. If no target knows the extension, there is no answer. A
/// third-party interconnect that takes time but passes extensions on unchanged must be configured not to.
#pragma once

#include <cstdint>
#include <optional>
#include <systemc>
#include <tlm>

namespace covenant::sc {

struct KnownLatency {
  /// Time from the beginning of a transaction to its response: the first bytes of a read have arrived, the first bytes
  /// of a write are visible to all. Further bytes follow as fast as the initiator moves them.
  sc_core::sc_time latency;
  uint64_t first = 0;  ///< address from which on this holds, as the initiator sees it
  uint64_t last = 0;   ///< the last one of these addresses
};

class LatencyExtension : public tlm::tlm_extension<LatencyExtension> {
 public:
  std::optional<KnownLatency> answer{};

  tlm::tlm_extension_base* clone() const override { return new LatencyExtension(*this); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    answer = static_cast<const LatencyExtension&>(other).answer;
  }
};

/// The latency at `address`; nothing if it is not fixed or not known.
std::optional<KnownLatency> ask_latency(tlm::tlm_fw_transport_if<>& target, uint64_t address);

/// The same for what a socket of an initiator is bound to.
template <typename Socket>
  requires requires(Socket& socket) { socket.operator->(); }
std::optional<KnownLatency> ask_latency(Socket& socket, uint64_t address) {
  return ask_latency(*socket.operator->(), address);
}

}  // namespace covenant::sc
