// The non-blocking, direct and debug sides of the router.
#include <algorithm>
#include <tuple>

#include "acg/base/check.h"
#include "platform/latency_extension.h"
#include "platform/payload.h"
#include "platform/port_extension.h"
#include "platform/report.h"
#include "platform/router.h"

namespace covenant::sc {

namespace {

/// Bytes of the target in front of what the region shows of them.
uint64_t skipped(const Region& region, uint64_t start) {
  return start < region.target_base ? region.target_base - start : 0;
}

}  // namespace

tlm::tlm_sync_enum Router::nb_transport_fw(int initiator, Payload& transaction, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  const auto lane = static_cast<uint32_t>(initiator);
  if (phase == tlm::BEGIN_REQ) {
    if (!begin_journey(lane, transaction, delay)) return tlm::TLM_COMPLETED;
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  return responses_.take(lane, transaction, phase, delay);
}

bool Router::begin_journey(uint32_t initiator, Payload& transaction, const sc_core::sc_time& delay) {
  if (!transaction.has_mm()) {
    report_phase(*this, "BEGIN_REQ", "it has no memory manager");
    refuse(initiator, transaction, tlm::TLM_GENERIC_ERROR_RESPONSE);
    return false;
  }
  const std::optional<uint32_t> target = target_of(transaction);
  if (!target) {
    refuse(initiator, transaction, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return false;
  }
  transaction.acquire();
  Journey& journey = journeys_[&transaction];
  journey.initiator = initiator;
  journey.target = *target;
  enter(transaction, journey);
  const Path::Request request = counted_request(journey, transaction, sc_core::sc_time_stamp() + delay);
  if (paths_[*target]) {
    paths_[*target]->ask(request);
  } else {
    grant(*target, request);
  }
  return true;
}

std::optional<sc_core::sc_time> Router::begin_request(uint32_t target, Payload& transaction) {
  Socket& socket = *sockets_[target];
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay;
  const tlm::tlm_sync_enum returned = socket->nb_transport_fw(transaction, phase, delay);
  if (returned == tlm::TLM_ACCEPTED) return std::nullopt;
  sc_core::sc_time requested = delay;
  if (returned == tlm::TLM_COMPLETED) {
    turn(transaction, delay);
  } else if (phase == tlm::BEGIN_RESP) {
    tlm::tlm_phase end = tlm::END_RESP;
    socket->nb_transport_fw(transaction, end, delay);
    turn(transaction, requested);
  }
  return requested;
}

tlm::tlm_sync_enum Router::nb_transport_bw(int number, Payload& transaction, tlm::tlm_phase& phase,
                                           sc_core::sc_time& delay) {
  const auto target = static_cast<uint32_t>(number);
  const bool requests = requests_.carries(target, transaction);
  if (phase == tlm::END_REQ) {
    if (!requests) report_phase(*this, "END_REQ", "no request of it is under way");
    requests_.free(target, sc_core::sc_time_stamp() + delay);
    return tlm::TLM_ACCEPTED;
  }
  if (phase == tlm::BEGIN_RESP) {
    // A target may leave out the end of the request: the response implies it.
    if (requests) requests_.free(target, sc_core::sc_time_stamp() + delay);
    turn(transaction, delay);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) report_phase(*this, phase.get_name(), "targets send none");
  return tlm::TLM_ACCEPTED;
}

void Router::turn(Payload& transaction, const sc_core::sc_time& delay) {
  const auto found = journeys_.find(&transaction);
  if (found == journeys_.end()) return report_phase(*this, "BEGIN_RESP", "the router has sent no such transaction");
  Journey journey = found->second;
  journeys_.erase(found);  // the initiator may begin another one before it returns
  leave(transaction, journey);
  const sc_core::sc_time when = sc_core::sc_time_stamp() + delay;
  if (obeys_annotation(transaction)) {
    responses_.put_ahead(journey.initiator, journey.target, transaction, when);
  } else {
    responses_.put(journey.initiator, journey.target, transaction, when);
  }
}

bool Router::get_direct_mem_ptr(int /*initiator*/, Payload& transaction, tlm::tlm_dmi& access) {
  const uint64_t address = transaction.get_address();
  const std::optional<uint32_t> target = map_.find(address);
  access.set_start_address(address);
  access.set_end_address(address);
  access.allow_none();
  if (!target) return false;
  const Region& region = map_.regions()[*target];
  if (region.has_limit()) {
    access.set_start_address(region.base);
    access.set_end_address(region.last());
    return false;
  }
  transaction.set_address(region.at_target(address));
  const bool granted = (*sockets_[*target])->get_direct_mem_ptr(transaction, access);
  transaction.set_address(address);
  const auto seen = region.seen(access.get_start_address(), access.get_end_address());
  access.set_dmi_ptr(access.get_dmi_ptr() + skipped(region, access.get_start_address()));
  access.set_start_address(seen ? seen->first : address);
  access.set_end_address(seen ? seen->second : address);
  access.set_read_latency(access.get_read_latency() + options_.latency / kBytesOfWord);
  access.set_write_latency(access.get_write_latency() + options_.latency / kBytesOfWord);
  return granted;
}

void Router::invalidate_direct_mem_ptr(int target, sc_dt::uint64 start, sc_dt::uint64 end) {
  const Region& region = map_.regions()[static_cast<size_t>(target)];
  const auto seen = region.seen(start, end);
  if (!seen) return;
  for (unsigned int i = 0; i < in.size(); ++i) {
    in[static_cast<int>(i)]->invalidate_direct_mem_ptr(seen->first, seen->second);
  }
}

unsigned int Router::transport_dbg(int /*initiator*/, Payload& transaction) {
  const uint64_t address = transaction.get_address();
  const std::optional<uint32_t> target = map_.find(address);
  if (!target) return 0;
  const Region& region = map_.regions()[*target];
  auto* question = transaction.get_extension<LatencyExtension>();
  if (question != nullptr && region.has_limit()) return 0;  // a transaction that waits for others has no fixed time
  const unsigned int bytes = transaction.get_data_length();
  const uint64_t left = region.last() - address;
  if (bytes > left) transaction.set_data_length(static_cast<unsigned int>(left + 1));
  transaction.set_address(region.at_target(address));
  const unsigned int moved = (*sockets_[*target])->transport_dbg(transaction);
  transaction.set_address(address);
  transaction.set_data_length(bytes);
  if (question != nullptr && question->answer) {
    KnownLatency& known = *question->answer;
    known.latency += options_.latency;
    if (const auto seen = region.seen(known.first, known.last)) {
      std::tie(known.first, known.last) = *seen;
    } else {
      question->answer.reset();
    }
  }
  return moved;
}

}  // namespace covenant::sc
