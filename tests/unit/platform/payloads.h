/// Generic payloads with managed memory, and the data that they carry.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

namespace covenant::sc::testing {

/// A read or a write that an initiator does, and what became of it.
struct Access {
  sc_core::sc_time at{};  ///< begins then, or as soon as the protocol lets it
  bool writes = false;
  uint64_t address = 0;
  std::vector<uint8_t> data{};     ///< for a read: as many bytes as it requests
  std::vector<uint8_t> enables{};  ///< none: all bytes
  sc_core::sc_time asked{};        ///< BEGIN_REQ
  sc_core::sc_time answered{};     ///< BEGIN_RESP
  tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
  bool allows_direct = false;  ///< the response allows direct access
};

inline sc_core::sc_time ns(double time) { return {time, sc_core::SC_NS}; }

inline Access write(uint64_t address, std::vector<uint8_t> data, const sc_core::sc_time& at = {}) {
  return {.at = at, .writes = true, .address = address, .data = std::move(data)};
}
inline Access read(uint64_t address, size_t bytes, const sc_core::sc_time& at = {}) {
  return {.at = at, .address = address, .data = std::vector<uint8_t>(bytes)};
}

/// Attributes of the payload from those of the access, whose data it moves in place.
inline void set_up(tlm::tlm_generic_payload& payload, Access& access) {
  const auto length = static_cast<unsigned int>(access.data.size());
  payload.set_command(access.writes ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
  payload.set_address(access.address);
  payload.set_data_ptr(access.data.data());
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  payload.set_byte_enable_ptr(access.enables.empty() ? nullptr : access.enables.data());
  payload.set_byte_enable_length(static_cast<unsigned int>(access.enables.size()));
  payload.set_dmi_allowed(false);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

/// Hands out payloads and takes them back; all must be back in the end.
class Manager : public tlm::tlm_mm_interface {
 public:
  tlm::tlm_generic_payload& take() {
    if (free_.empty()) {
      all_.push_back(std::make_unique<tlm::tlm_generic_payload>(this));
      free_.push_back(all_.back().get());
    }
    tlm::tlm_generic_payload* payload = free_.back();
    free_.pop_back();
    payload->acquire();
    return *payload;
  }
  void free(tlm::tlm_generic_payload* payload) override {
    payload->reset();
    free_.push_back(payload);
  }
  size_t under_way() const { return all_.size() - free_.size(); }

 private:
  std::vector<std::unique_ptr<tlm::tlm_generic_payload>> all_;
  std::vector<tlm::tlm_generic_payload*> free_;
};

}  // namespace covenant::sc::testing
