/// Part of a memory, as an initiator sees it.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace covenant::driver::testing {

/// Addresses behind it are greater by `base`. Direct access does not pass, nor do questions for a latency.
class Window : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Window> in;
  tlm_utils::simple_initiator_socket<Window> out;

  /// The burst with this number, from 1 on, ends with an error response.
  uint64_t refused_burst = 0;

  Window(const sc_core::sc_module_name& name, uint64_t base)
      : sc_core::sc_module(name), in("in"), out("out"), base_(base) {
    in.register_nb_transport_fw(this, &Window::nb_transport_fw);
    in.register_transport_dbg(this, &Window::transport_dbg);
    out.register_nb_transport_bw(this, &Window::nb_transport_bw);
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
      payload.set_address(payload.get_address() + base_);
      if (++bursts_ == refused_burst) refused_ = &payload;
    }
    const tlm::tlm_sync_enum status = out->nb_transport_fw(payload, phase, delay);
    const bool is_answered = status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP;
    if (is_answered || (status == tlm::TLM_COMPLETED && phase != tlm::END_RESP)) leave(payload);
    return status;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) leave(payload);
    return in->nb_transport_bw(payload, phase, delay);
  }
  unsigned int transport_dbg(Payload& payload) {
    if (payload.get_data_length() == 0) return 0;
    payload.set_address(payload.get_address() + base_);
    const unsigned int bytes = out->transport_dbg(payload);
    leave(payload);
    return bytes;
  }
  void leave(Payload& payload) {
    payload.set_address(payload.get_address() - base_);
    if (refused_ != &payload) return;
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    refused_ = nullptr;
  }

  uint64_t base_;
  uint64_t bursts_ = 0;
  Payload* refused_ = nullptr;
};

}  // namespace covenant::driver::testing
