/// A host on a SystemC platform that is driven from outside of the simulation.
#pragma once

#include <array>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "acg/registers/bus.h"

namespace covenant::driver::testing {

/// Each access runs in a thread of the simulation, which continues until the access has ended; otherwise time stands
/// still.
class PlatformHost : public sc_core::sc_module, public RegisterBus {
 public:
  SC_HAS_PROCESS(PlatformHost);
  tlm_utils::simple_initiator_socket<PlatformHost> registers;
  sc_core::sc_in<bool> interrupt;

  explicit PlatformHost(const sc_core::sc_module_name& name)
      : sc_core::sc_module(name), registers("registers"), interrupt("interrupt") {
    SC_THREAD(run);
    SC_METHOD(wake);
    sensitive << interrupt.pos();
    dont_initialize();
  }

  ReadResult read32(uint32_t address) override {
    uint32_t value = 0;
    const Response response = access(tlm::TLM_READ_COMMAND, address, value, 0xF);
    return {response, value};
  }
  Response write32(uint32_t address, uint32_t value) override { return write_bytes(address, value, 0xF); }
  Response write_bytes(uint32_t address, uint32_t value, uint32_t strobes) {
    return access(tlm::TLM_WRITE_COMMAND, address, value, strobes);
  }
  bool wait_interrupt(std::chrono::nanoseconds timeout) override {
    const sc_core::sc_time end =
        sc_core::sc_time_stamp() + sc_core::sc_time(static_cast<double>(timeout.count()), sc_core::SC_NS);
    settle();
    while (!interrupt.read() && sc_core::sc_time_stamp() < end && sc_core::sc_pending_activity()) {
      sc_core::sc_start(end - sc_core::sc_time_stamp(), sc_core::SC_RUN_TO_TIME);
      settle();
    }
    return interrupt.read();
  }

 private:
  Response access(tlm::tlm_command command, uint64_t address, uint32_t& value, uint32_t strobes) {
    std::array<unsigned char, sizeof(value)> bytes{}, enables{};
    std::memcpy(bytes.data(), &value, sizeof(value));
    for (uint32_t byte = 0; byte < enables.size(); ++byte) {
      enables[byte] = (strobes >> byte & 1U) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
    }
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(bytes.data());
    payload.set_data_length(sizeof(value));
    payload.set_streaming_width(sizeof(value));
    payload.set_byte_enable_ptr(enables.data());
    payload.set_byte_enable_length(static_cast<unsigned>(enables.size()));
    asked_for_ = &payload;
    asked_.notify(sc_core::SC_ZERO_TIME);
    while (asked_for_ != nullptr) {
      sc_core::sc_start(sc_core::sc_max_time() - sc_core::sc_time_stamp(), sc_core::SC_EXIT_ON_STARVATION);
      if (asked_for_ != nullptr && !sc_core::sc_pending_activity()) throw std::runtime_error("no answer to an access");
    }
    settle();
    std::memcpy(&value, bytes.data(), sizeof(value));
    return payload.is_response_ok() ? Response::kOkay : Response::kDeviceError;
  }

  void run() {
    for (;;) {
      while (asked_for_ == nullptr) wait(asked_);
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      registers->b_transport(*asked_for_, delay);
      asked_for_ = nullptr;
      sc_core::sc_pause();
    }
  }
  void wake() { sc_core::sc_pause(); }
  static void settle() {
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }

  tlm::tlm_generic_payload* asked_for_ = nullptr;
  sc_core::sc_event asked_;
};

}  // namespace covenant::driver::testing
