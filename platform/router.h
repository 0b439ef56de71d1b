/// An interconnect with TLM-2.0 sockets: initiators on one side, targets by their addresses on the other.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "platform/address_map.h"
#include "platform/arbitration.h"
#include "platform/lanes.h"
#include "platform/port_extension.h"
#include "platform/responses.h"
#include "platform/router_statistics.h"

namespace covenant::sc {

struct RouterOptions {
  sc_core::sc_time latency{};  ///< added to every transaction after its grant, in addition to its beats
  Arbitration arbitration = Arbitration::kRoundRobin;
  std::vector<uint32_t> priorities{};  ///< per initiator in the order of binding; lower goes first
  bool keeps_slices = false;           ///< keep a record, for a picture, of which initiator had which path when
};

/// Initiators bind to `in`; `to(NAME)` binds to the target of a region, which sees addresses from 0 on, or from the
/// region's `target_base`. A transaction that is not within one region ends with TLM_ADDRESS_ERROR_RESPONSE.
///
/// A path with a limit is used by one transaction at a time, for as long as its beats take; the transaction reaches the
/// target when its beats have moved and the latency has passed. The response comes back at once. Requests wait inside
/// of the router: it ends each request at once, and answers one initiator in the order of its targets' answers. Direct
/// access and questions for a fixed latency pass if the path has no limit.
class Router : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Router> in;

  Router(const sc_core::sc_module_name& name, AddressMap map, RouterOptions options = {});

  /// The socket of a region's target. No region of this name is an error (SIM0105).
  tlm::tlm_initiator_socket<>& to(std::string_view region);

  const AddressMap& map() const { return map_; }
  const RouterStatistics& statistics() const { return statistics_; }
  /// `track` is the place of the region, `name` the number of the initiator.
  const std::vector<offchip::Slice>& slices() const { return slices_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  using Socket = tlm_utils::simple_initiator_socket_tagged<Router>;
  /// A transaction on its way by nb_transport.
  struct Journey {
    uint32_t initiator = 0;
    uint32_t target = 0;
    uint64_t address = 0;  ///< address that the initiator used
    /// The extension with which this router has tagged it; null: it came with a port. The payload owns it while it is
    /// in progress, so that it is destroyed with the payload at the end of a simulation.
    PortExtension* tag = nullptr;
  };

  void make_target(uint32_t target);
  void end_of_elaboration() override;
  std::optional<uint32_t> target_of(const Payload& transaction) const;
  void enter(Payload& transaction, Journey& journey) const;
  void leave(Payload& transaction, Journey& journey) const;
  Path::Request counted_request(const Journey& journey, Payload& transaction, const sc_core::sc_time& when);
  void count_grant(uint32_t target, const Path::Request& request);
  void grant(uint32_t target, const Path::Request& request);
  void refuse(uint32_t initiator, Payload& transaction, tlm::tlm_response_status status);

  void b_transport(int initiator, Payload& transaction, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_fw(int initiator, Payload& transaction, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport_bw(int target, Payload& transaction, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  bool begin_journey(uint32_t initiator, Payload& transaction, const sc_core::sc_time& delay);
  std::optional<sc_core::sc_time> begin_request(uint32_t target, Payload& transaction);
  void turn(Payload& transaction, const sc_core::sc_time& delay);
  bool get_direct_mem_ptr(int initiator, Payload& transaction, tlm::tlm_dmi& access);
  void invalidate_direct_mem_ptr(int target, sc_dt::uint64 start, sc_dt::uint64 end);
  unsigned int transport_dbg(int initiator, Payload& transaction);

  AddressMap map_;
  RouterOptions options_;
  std::vector<std::unique_ptr<Socket>> sockets_;  ///< per region
  std::vector<std::unique_ptr<Path>> paths_;      ///< per region; null if there is no limit
  Lanes requests_;                                ///< to each target
  Responses responses_;                           ///< to each initiator
  std::map<const Payload*, Journey> journeys_;    ///< never gone through: addresses are not the same in two runs
  RouterStatistics statistics_;
  std::vector<offchip::Slice> slices_;
};

}  // namespace covenant::sc
