/// An interconnect of plain TLM-2.0: lanes that lead to windows of one memory.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

#include "tests/cosim/platforms/manner.h"

namespace covenant::platforms {

/// Target socket k and initiator socket k are lane k. As the standard allows, the address of a transaction may stay the
/// one that the memory has seen.
class ForeignBus : public sc_core::sc_module {
 public:
  struct Window {
    uint64_t base = 0;
    uint64_t bytes = 0;
  };
  tlm_utils::multi_passthrough_target_socket<ForeignBus> in;
  tlm_utils::multi_passthrough_initiator_socket<ForeignBus> out;

  /// `windows`: by lane.
  ForeignBus(const sc_core::sc_module_name& name, const Manner& manner, std::vector<Window> windows)
      : sc_core::sc_module(name),
        in("in"),
        out("out"),
        latency_(static_cast<double>(manner.bus), sc_core::SC_NS),
        restores_(manner.restores),
        windows_(std::move(windows)) {
    in.register_nb_transport_fw(this, &ForeignBus::nb_transport_fw);
    in.register_b_transport(this, &ForeignBus::b_transport);
    in.register_transport_dbg(this, &ForeignBus::transport_dbg);
    in.register_get_direct_mem_ptr(this, &ForeignBus::get_direct_mem_ptr);
    out.register_nb_transport_bw(this, &ForeignBus::nb_transport_bw);
    out.register_invalidate_direct_mem_ptr(this, &ForeignBus::invalidate);
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  const Window& window(int lane) const { return windows_[static_cast<size_t>(lane)]; }
  bool is_inside(int lane, const Payload& payload) const {
    const uint64_t bytes = window(lane).bytes, address = payload.get_address();
    return address < bytes && payload.get_data_length() <= bytes - address;
  }
  void enter(int lane, Payload& payload) const { payload.set_address(payload.get_address() + window(lane).base); }
  void leave(int lane, Payload& payload) const { payload.set_address(payload.get_address() - window(lane).base); }

  tlm::tlm_sync_enum nb_transport_fw(int lane, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      delay += latency_;
      if (!is_inside(lane, payload)) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
      }
      enter(lane, payload);
    }
    const bool ends = phase == tlm::END_RESP;
    const tlm::tlm_sync_enum status = out[lane]->nb_transport_fw(payload, phase, delay);
    const bool is_answered = status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP);
    if (restores_ && is_answered && !ends) leave(lane, payload);
    return status;
  }
  tlm::tlm_sync_enum nb_transport_bw(int lane, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (restores_ && phase == tlm::BEGIN_RESP) leave(lane, payload);
    return in[lane]->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(int lane, Payload& payload, sc_core::sc_time& delay) {
    if (!is_inside(lane, payload)) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    enter(lane, payload);
    out[lane]->b_transport(payload, delay);
    if (restores_) leave(lane, payload);
  }
  unsigned int transport_dbg(int lane, Payload& payload) {
    if (!is_inside(lane, payload)) return 0;
    enter(lane, payload);
    const unsigned int bytes = out[lane]->transport_dbg(payload);
    if (restores_) leave(lane, payload);
    return bytes;
  }
  bool get_direct_mem_ptr(int lane, Payload& payload, tlm::tlm_dmi& access) {
    const auto [base, bytes] = window(lane);
    enter(lane, payload);
    const bool is_granted = out[lane]->get_direct_mem_ptr(payload, access);
    leave(lane, payload);
    access.set_dmi_ptr(access.get_dmi_ptr() + base);
    access.set_start_address(0);
    access.set_end_address(bytes - 1);
    return is_granted;
  }
  void invalidate(int lane, sc_dt::uint64 /*start*/, sc_dt::uint64 /*end*/) {
    in[lane]->invalidate_direct_mem_ptr(0, window(lane).bytes - 1);
  }

  sc_core::sc_time latency_;
  bool restores_;
  std::vector<Window> windows_;
};

}  // namespace covenant::platforms
