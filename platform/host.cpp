#include "platform/host.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "platform/report.h"

namespace covenant::sc {

namespace {

constexpr uint64_t kBurst = 256;  // bytes; the path to a memory is given to others between bursts
constexpr uint64_t kPage = 4096;

/// An interconnect reports an address error if no target has the address; a target that refuses an access reports
/// another error.
driver::Response response_of(tlm::tlm_response_status status) {
  switch (status) {
    case tlm::TLM_OK_RESPONSE:
      return driver::Response::kOkay;
    case tlm::TLM_ADDRESS_ERROR_RESPONSE:
      return driver::Response::kNobody;
    default:
      return driver::Response::kDeviceError;
  }
}

void set_up(tlm::tlm_generic_payload& payload, tlm::tlm_command command, uint64_t address, std::span<uint8_t> bytes) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(bytes.data());
  payload.set_data_length(static_cast<unsigned>(bytes.size()));
  payload.set_streaming_width(static_cast<unsigned>(bytes.size()));
}

sc_core::sc_time time_of(std::chrono::nanoseconds timeout) {
  constexpr uint64_t kLongest = UINT64_MAX / 1000 / 2;  // half of what the kernel can count
  const auto nanoseconds = static_cast<uint64_t>(std::max<int64_t>(timeout.count(), 0));
  return time_of_picoseconds(std::min(nanoseconds, kLongest) * 1000);
}

}  // namespace

HostRegisters::HostRegisters(const sc_core::sc_module_name& name, uint64_t base)
    : sc_core::sc_module(name), out("out"), interrupt("interrupt"), base_(base) {}

driver::Response HostRegisters::access(tlm::tlm_command command, uint32_t address, uint32_t& value) {
  std::array<uint8_t, sizeof(value)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(value));
  tlm::tlm_generic_payload payload;
  set_up(payload, command, base_ + address, bytes);
  sc_core::sc_time delay;
  out->b_transport(payload, delay);
  sc_core::wait(delay);
  std::memcpy(&value, bytes.data(), sizeof(value));
  return response_of(payload.get_response_status());
}

driver::ReadResult HostRegisters::read32(uint32_t address) {
  uint32_t value = 0;
  const driver::Response response = access(tlm::TLM_READ_COMMAND, address, value);
  return {response, response == driver::Response::kOkay ? value : 0};
}

driver::Response HostRegisters::write32(uint32_t address, uint32_t value) {
  return access(tlm::TLM_WRITE_COMMAND, address, value);
}

bool HostRegisters::wait_interrupt(std::chrono::nanoseconds timeout) {
  if (!interrupt.read()) sc_core::wait(time_of(timeout), interrupt.posedge_event());
  return interrupt.read();
}

HostMemory::HostMemory(const sc_core::sc_module_name& name, std::vector<uint64_t> bases, Access access)
    : sc_core::sc_module(name), out("out"), bases_(std::move(bases)), access_(access) {}

driver::Response HostMemory::read(uint32_t memory, uint64_t address, std::span<uint8_t> bytes) {
  return move(tlm::TLM_READ_COMMAND, memory, address, bytes);
}

driver::Response HostMemory::write(uint32_t memory, uint64_t address, std::span<const uint8_t> bytes) {
  // The data of a transaction is not const, whatever its command; a target only reads that of a write.
  return move(tlm::TLM_WRITE_COMMAND, memory, address, {const_cast<uint8_t*>(bytes.data()), bytes.size()});
}

driver::Response HostMemory::move(tlm::tlm_command command, uint32_t memory, uint64_t address,
                                  std::span<uint8_t> bytes) {
  if (memory >= bases_.size()) return driver::Response::kNobody;
  const uint64_t longest = access_ == Access::kTimed ? kBurst : kPage;
  for (uint64_t at = bases_[memory] + address; !bytes.empty();) {
    const std::span<uint8_t> part = bytes.first(std::min<uint64_t>(longest - at % longest, bytes.size()));
    tlm::tlm_generic_payload burst;
    set_up(burst, command, at, part);
    if (const driver::Response response = move_burst(burst); response != driver::Response::kOkay) return response;
    at += part.size();
    bytes = bytes.subspan(part.size());
  }
  return driver::Response::kOkay;
}

driver::Response HostMemory::move_burst(tlm::tlm_generic_payload& burst) {
  if (access_ == Access::kAtOnce) {
    const bool is_whole = out->transport_dbg(burst) == burst.get_data_length();
    return is_whole ? driver::Response::kOkay : driver::Response::kNobody;
  }
  sc_core::sc_time delay;
  out->b_transport(burst, delay);
  sc_core::wait(delay);
  return response_of(burst.get_response_status());
}

}  // namespace covenant::sc
