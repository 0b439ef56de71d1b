#include "platform/memory.h"

#include <utility>

#include "platform/latency_extension.h"
#include "platform/payload.h"
#include "platform/port_extension.h"
#include "platform/report.h"

namespace covenant::sc {

namespace {

uint32_t port_of(int initiator, const tlm::tlm_generic_payload& transaction) {
  const PortExtension* named = transaction.get_extension<PortExtension>();
  return named != nullptr ? named->port : static_cast<uint32_t>(initiator);
}

}  // namespace

Memory::Memory(const sc_core::sc_module_name& name, Storage storage, const sc_core::sc_time& latency)
    : Memory(name, std::move(storage), nullptr, latency, DirectAccess::kGranted) {}

Memory::Memory(const sc_core::sc_module_name& name, Storage storage, std::unique_ptr<offchip::Model> model,
               DirectAccess direct)
    : Memory(name, std::move(storage), std::move(model), std::nullopt, direct) {}

Memory::Memory(const sc_core::sc_module_name& name, Storage storage, std::unique_ptr<offchip::Model> model,
               const std::optional<sc_core::sc_time>& latency, DirectAccess direct)
    : sc_module(name),
      in("in"),
      storage_(std::move(storage)),
      direct_(direct),
      latency_(latency),
      responses_(*this,
                 [this](uint32_t initiator, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                        sc_core::sc_time& delay) {
                   return in[static_cast<int>(initiator)]->nb_transport_bw(transaction, phase, delay);
                 }),
      answers_("answers", storage_.bytes(), std::move(model), latency.value_or(sc_core::SC_ZERO_TIME),
               [this](const Answers::Request& request, const sc_core::sc_time& when) { answer(request, when); }) {
  in.register_b_transport(this, &Memory::b_transport);
  in.register_nb_transport_fw(this, &Memory::nb_transport);
  in.register_get_direct_mem_ptr(this, &Memory::get_direct_mem_ptr);
  in.register_transport_dbg(this, &Memory::transport_dbg);
}

void Memory::end_of_elaboration() {
  check_resolution(*this);
  responses_.resize(in.size());
  if (answers_.has_model()) check_port(static_cast<uint32_t>(in.size()) - 1);
}

bool Memory::check_port(uint32_t port) const {
  const size_t ports = statistics().ports.size();
  if (!answers_.has_model() || port < ports) return true;
  Diagnostic diagnostic;
  diagnostic.code = "SIM0102";
  diagnostic.subject = name();
  diagnostic.message = "more ports are used than the model of the memory has";
  diagnostic.offending = "port " + std::to_string(port);
  diagnostic.allowed = {"ports below " + std::to_string(ports)};
  diagnostic.fix = "make the model with a port for every initiator";
  report(diagnostic);
  return false;
}

void Memory::b_transport(int initiator, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  Answers::Request request{&transaction, static_cast<uint32_t>(initiator), port_of(initiator, transaction), nullptr};
  transaction.set_dmi_allowed(direct_ == DirectAccess::kGranted);
  if (latency_) {
    if (answers_.take(request, sc_core::sc_time_stamp() + delay)) delay += *latency_;
    return;
  }
  if (!check_port(request.port)) return transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  sc_core::sc_event answered;
  request.blocked = &answered;
  answers_.ask(request, sc_core::sc_time_stamp() + delay);
  sc_core::wait(answered);
  delay = sc_core::SC_ZERO_TIME;
}

tlm::tlm_sync_enum Memory::nb_transport(int initiator, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                        sc_core::sc_time& delay) {
  const auto lane = static_cast<uint32_t>(initiator);
  if (phase == tlm::BEGIN_REQ) {
    if (!begin_request(lane, transaction, delay)) return tlm::TLM_COMPLETED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  return responses_.take(lane, transaction, phase, delay);
}

bool Memory::begin_request(uint32_t initiator, tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay) {
  const uint32_t port = port_of(static_cast<int>(initiator), transaction);
  if (!transaction.has_mm()) report_phase(*this, "BEGIN_REQ", "it has no memory manager");
  if (!transaction.has_mm() || !check_port(port)) {
    transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return false;
  }
  transaction.acquire();
  transaction.set_dmi_allowed(direct_ == DirectAccess::kGranted);
  answers_.ask({&transaction, initiator, port, nullptr}, sc_core::sc_time_stamp() + delay);
  return true;
}

void Memory::answer(const Answers::Request& request, const sc_core::sc_time& when) {
  if (request.blocked != nullptr) {
    request.blocked->notify(when - sc_core::sc_time_stamp());
  } else if (latency_ && obeys_annotation(*request.transaction)) {
    responses_.put_ahead(request.initiator, request.port, *request.transaction, when);
  } else {
    responses_.put(request.initiator, request.port, *request.transaction, when);
  }
}

bool Memory::get_direct_mem_ptr(int /*initiator*/, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& access) {
  const std::span<uint8_t> all = storage_.bytes();
  access.set_start_address(0);
  access.set_end_address(all.empty() ? 0 : all.size() - 1);
  if (direct_ == DirectAccess::kNever || transaction.get_address() >= all.size()) {
    access.allow_none();
    return false;
  }
  access.set_dmi_ptr(all.data());
  access.allow_read_write();
  // A latency of direct access is one of a byte.
  const sc_core::sc_time of_byte = latency_.value_or(sc_core::SC_ZERO_TIME) / kBytesOfWord;
  access.set_read_latency(access.get_read_latency() + of_byte);
  access.set_write_latency(access.get_write_latency() + of_byte);
  return true;
}

unsigned int Memory::transport_dbg(int /*initiator*/, tlm::tlm_generic_payload& transaction) {
  const uint64_t size = storage_.bytes().size();
  LatencyExtension* question = transaction.get_extension<LatencyExtension>();
  if (question != nullptr && latency_ && transaction.get_address() < size) {
    question->answer = KnownLatency{*latency_, 0, size - 1};
  }
  return move_debug_data(transaction, storage_.bytes());
}

}  // namespace covenant::sc
