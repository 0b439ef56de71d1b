#include "platform/latency_extension.h"

namespace covenant::sc {

std::optional<KnownLatency> ask_latency(tlm::tlm_fw_transport_if<>& target, uint64_t address) {
  tlm::tlm_generic_payload question;
  question.set_command(tlm::TLM_IGNORE_COMMAND);
  question.set_address(address);
  question.set_data_length(0);
  question.set_streaming_width(0);
  LatencyExtension extension;
  question.set_extension(&extension);
  target.transport_dbg(question);
  question.clear_extension(&extension);
  return extension.answer;
}

}  // namespace covenant::sc
