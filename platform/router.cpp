#include "platform/router.h"

#include <algorithm>
#include <string>
#include <utility>

#include "acg/base/check.h"
#include "platform/report.h"

namespace covenant::sc {

namespace {

void report_region(const sc_core::sc_object& router, const std::string& wanted, const std::vector<Region>& regions) {
  Diagnostic diagnostic;
  diagnostic.code = "SIM0105";
  diagnostic.subject = router.name();
  diagnostic.message = "the address map has no region of this name";
  diagnostic.offending = wanted;
  for (const Region& region : regions) diagnostic.allowed.push_back(region.name);
  diagnostic.fix = "name one of the regions, or add it to the map";
  report(diagnostic);
}

}  // namespace

Router::Router(const sc_core::sc_module_name& name, AddressMap map, RouterOptions options)
    : sc_module(name),
      in("in"),
      map_(std::move(map)),
      options_(std::move(options)),
      requests_("requests",
                [this](uint32_t target, auto& transaction, auto&) { return begin_request(target, transaction); }),
      responses_(*this, [this](uint32_t initiator, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay) {
        return in[static_cast<int>(initiator)]->nb_transport_bw(transaction, phase, delay);
      }) {
  in.register_b_transport(this, &Router::b_transport);
  in.register_nb_transport_fw(this, &Router::nb_transport_fw);
  in.register_get_direct_mem_ptr(this, &Router::get_direct_mem_ptr);
  in.register_transport_dbg(this, &Router::transport_dbg);
  for (uint32_t target = 0; target < map_.regions().size(); ++target) make_target(target);
  requests_.resize(map_.regions().size());
  statistics_.targets.resize(map_.regions().size());
}

void Router::make_target(uint32_t target) {
  const Region& region = map_.regions()[target];
  sockets_.push_back(std::make_unique<Socket>(("to_" + region.name).c_str()));
  sockets_.back()->register_nb_transport_bw(this, &Router::nb_transport_bw, static_cast<int>(target));
  sockets_.back()->register_invalidate_direct_mem_ptr(this, &Router::invalidate_direct_mem_ptr,
                                                      static_cast<int>(target));
  paths_.push_back(nullptr);
  if (!region.has_limit()) return;
  paths_.back() =
      std::make_unique<Path>(("path_" + region.name).c_str(), Arbiter(options_.arbitration, options_.priorities),
                             [this, target](const Path::Request& request) { grant(target, request); });
}

tlm::tlm_initiator_socket<>& Router::to(std::string_view region) {
  const std::vector<Region>& regions = map_.regions();
  const auto found =
      std::find_if(regions.begin(), regions.end(), [&](const Region& other) { return other.name == region; });
  if (found == regions.end()) report_region(*this, std::string(region), regions);
  check(found != regions.end(), "a region that is not there has no socket");
  return *sockets_[static_cast<size_t>(found - regions.begin())];
}

void Router::end_of_elaboration() {
  check_resolution(*this);
  responses_.resize(in.size());
  statistics_.initiators.resize(in.size());
  for (const std::unique_ptr<Path>& path : paths_) {
    if (path) path->resize(in.size());
  }
}

std::optional<uint32_t> Router::target_of(const Payload& transaction) const {
  const std::optional<uint32_t> target = map_.find(transaction.get_address());
  if (!target) return std::nullopt;
  const uint64_t left = map_.regions()[*target].last() - transaction.get_address();
  const uint64_t bytes = std::min(transaction.get_data_length(), transaction.get_streaming_width());
  return bytes > 0 && bytes - 1 > left ? std::nullopt : target;
}

void Router::enter(Payload& transaction, Journey& journey) const {
  journey.address = transaction.get_address();
  transaction.set_address(map_.regions()[journey.target].at_target(journey.address));
  if (transaction.get_extension<PortExtension>() != nullptr) return;
  journey.tag = new PortExtension(journey.initiator, true);
  transaction.set_extension(journey.tag);
}

void Router::leave(Payload& transaction, Journey& journey) const {
  transaction.set_address(journey.address);
  if (journey.tag != nullptr) {
    transaction.clear_extension(journey.tag);
    journey.tag->free();
  }
  if (paths_[journey.target]) transaction.set_dmi_allowed(false);
}

Path::Request Router::counted_request(const Journey& journey, Payload& transaction, const sc_core::sc_time& when) {
  const Region& region = map_.regions()[journey.target];
  const uint64_t bytes = transaction.get_data_length();
  const uint64_t beats = region.beats_of(std::max<uint64_t>(bytes, 1));
  RouterStatistics::Initiator& initiator = statistics_.initiators[journey.initiator];
  ++initiator.transactions;
  initiator.bytes += bytes;
  initiator.requested_beats += beats;
  const sc_core::sc_time holds = region.beat_time * static_cast<double>(beats);
  return {journey.initiator, &transaction, nullptr, when, beats, holds};
}

void Router::count_grant(uint32_t target, const Path::Request& request) {
  const sc_core::sc_time begin = std::max(request.asked, sc_core::sc_time_stamp());
  RouterStatistics::Initiator& initiator = statistics_.initiators[request.initiator];
  initiator.granted_beats += request.beats;
  if (begin > request.asked) ++initiator.waits;
  initiator.waited += begin - request.asked;
  RouterStatistics::Target& counted = statistics_.targets[target];
  ++counted.transactions;
  counted.bytes += request.transaction->get_data_length();
  counted.busy += request.holds;
  if (options_.keeps_slices && paths_[target]) {
    slices_.push_back({target, picoseconds(begin), picoseconds(request.holds), std::to_string(request.initiator)});
  }
}

void Router::grant(uint32_t target, const Path::Request& request) {
  count_grant(target, request);
  if (request.blocked != nullptr) return request.blocked->notify(request.holds);
  const sc_core::sc_time begin = std::max(request.asked, sc_core::sc_time_stamp());
  requests_.put(target, request.initiator, *request.transaction, begin + request.holds + options_.latency);
}

void Router::b_transport(int initiator, Payload& transaction, sc_core::sc_time& delay) {
  Journey journey{.initiator = static_cast<uint32_t>(initiator)};
  const std::optional<uint32_t> target = target_of(transaction);
  if (!target) return refuse(journey.initiator, transaction, tlm::TLM_ADDRESS_ERROR_RESPONSE);
  journey.target = *target;
  enter(transaction, journey);
  Path::Request request = counted_request(journey, transaction, sc_core::sc_time_stamp() + delay);
  if (paths_[journey.target]) {
    sc_core::sc_event moved;
    request.blocked = &moved;
    paths_[journey.target]->ask(request);
    sc_core::wait(moved);
    delay = sc_core::SC_ZERO_TIME;
  } else {
    count_grant(journey.target, request);
  }
  delay += options_.latency;
  (*sockets_[journey.target])->b_transport(transaction, delay);
  leave(transaction, journey);
}

void Router::refuse(uint32_t initiator, Payload& transaction, tlm::tlm_response_status status) {
  ++statistics_.initiators[initiator].refused;
  transaction.set_response_status(status);
}

}  // namespace covenant::sc
