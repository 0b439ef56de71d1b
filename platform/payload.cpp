#include "platform/payload.h"

#include <algorithm>
#include <cstring>

namespace covenant::sc {

namespace {

bool is_known(tlm::tlm_command command) {
  return command == tlm::TLM_READ_COMMAND || command == tlm::TLM_WRITE_COMMAND || command == tlm::TLM_IGNORE_COMMAND;
}

bool has_right_byte_enables(const tlm::tlm_generic_payload& transaction) {
  const unsigned char* enables = transaction.get_byte_enable_ptr();
  if (enables == nullptr) return true;
  const unsigned int length = transaction.get_byte_enable_length();
  return length > 0 && std::all_of(enables, enables + length, [](unsigned char enable) {
           return enable == TLM_BYTE_ENABLED || enable == TLM_BYTE_DISABLED;
         });
}

void copy(bool writes, uint8_t* memory, uint8_t* data, size_t bytes) {
  if (writes) {
    std::memcpy(memory, data, bytes);
  } else {
    std::memcpy(data, memory, bytes);
  }
}

}  // namespace

tlm::tlm_response_status status_of(const tlm::tlm_generic_payload& transaction, uint64_t size) {
  if (!is_known(transaction.get_command())) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  const uint64_t length = transaction.get_data_length();
  if (length == 0 || transaction.get_data_ptr() == nullptr || transaction.get_streaming_width() < length) {
    return tlm::TLM_BURST_ERROR_RESPONSE;
  }
  if (!has_right_byte_enables(transaction)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const uint64_t address = transaction.get_address();
  return address < size && length <= size - address ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

void move_data(tlm::tlm_generic_payload& transaction, std::span<uint8_t> memory) {
  if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const bool writes = transaction.is_write();
  uint8_t* const there = memory.data() + transaction.get_address();
  uint8_t* const here = transaction.get_data_ptr();
  const unsigned int length = transaction.get_data_length();
  const unsigned char* enables = transaction.get_byte_enable_ptr();
  if (enables == nullptr) return copy(writes, there, here, length);
  const unsigned int period = transaction.get_byte_enable_length();
  for (unsigned int i = 0; i < length; ++i) {
    if (enables[i % period] == TLM_BYTE_ENABLED) copy(writes, there + i, here + i, 1);
  }
}

unsigned int move_debug_data(tlm::tlm_generic_payload& transaction, std::span<uint8_t> memory) {
  const bool moves = (transaction.is_read() || transaction.is_write()) && transaction.get_data_ptr() != nullptr;
  if (!moves || transaction.get_address() >= memory.size()) return 0;
  const uint64_t left = memory.size() - transaction.get_address();
  const auto bytes = static_cast<unsigned int>(std::min<uint64_t>(left, transaction.get_data_length()));
  if (bytes == 0) return 0;
  copy(transaction.is_write(), memory.data() + transaction.get_address(), transaction.get_data_ptr(), bytes);
  return bytes;
}

}  // namespace covenant::sc
