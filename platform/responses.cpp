#include "platform/responses.h"

#include <utility>

#include "platform/report.h"

namespace covenant::sc {

Responses::Responses(const sc_core::sc_object& target, Call call)
    : target_(target),
      call_(std::move(call)),
      lanes_("responses", [this](uint32_t initiator, auto& transaction, const sc_core::sc_time& delay) {
        return begin(initiator, transaction, delay);
      }) {}

tlm::tlm_sync_enum Responses::take(uint32_t initiator, tlm::tlm_generic_payload& transaction,
                                   const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
  if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    report_phase(target_, phase.get_name(), "initiators send none");
  }
  if (phase != tlm::END_RESP) return tlm::TLM_ACCEPTED;
  if (!lanes_.carries(initiator, transaction)) {
    report_phase(target_, phase.get_name(), "no response of it is under way");
    return tlm::TLM_ACCEPTED;
  }
  lanes_.free(initiator, sc_core::sc_time_stamp() + delay);
  transaction.release();
  return tlm::TLM_COMPLETED;
}

std::optional<sc_core::sc_time> Responses::begin(uint32_t initiator, tlm::tlm_generic_payload& transaction,
                                                 sc_core::sc_time delay) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  if (call_(initiator, transaction, phase, delay) == tlm::TLM_ACCEPTED) return std::nullopt;
  transaction.release();
  return delay;
}

}  // namespace covenant::sc
