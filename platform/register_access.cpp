#include "platform/register_access.h"

#include "acg/registers/registers.h"

namespace covenant::sc {

tlm::tlm_response_status check_register_access(const tlm::tlm_generic_payload& transaction) {
  if (transaction.get_data_length() != kRegisterBytes || transaction.get_streaming_width() < kRegisterBytes ||
      transaction.get_data_ptr() == nullptr) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  // Not an address error, which an interconnect reports if no target has the address.
  if (transaction.get_address() % kRegisterBytes != 0 || transaction.get_address() >= registers::kBytes) {
    return tlm::TLM_GENERIC_ERROR_RESPONSE;
  }
  if (transaction.get_byte_enable_ptr() != nullptr && transaction.get_byte_enable_length() == 0) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

uint32_t strobes_of(const tlm::tlm_generic_payload& transaction) {
  const unsigned char* const enables = transaction.get_byte_enable_ptr();
  if (enables == nullptr) return 0xF;
  uint32_t strobes = 0;
  for (uint32_t byte = 0; byte < kRegisterBytes; ++byte) {
    if (enables[byte % transaction.get_byte_enable_length()] == TLM_BYTE_ENABLED) strobes |= 1U << byte;
  }
  return strobes;
}

}  // namespace covenant::sc
