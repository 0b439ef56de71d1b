/// The response path of a target with several initiators, by the base protocol of TLM-2.0.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <systemc>
#include <tlm>

#include "platform/lanes.h"

namespace covenant::sc {

/// Begins responses, one of each initiator at a time, and releases a transaction when its response has ended. The
/// target has acquired it when its request began.
class Responses {
 public:
  /// nb_transport_bw to an initiator.
  using Call = std::function<tlm::tlm_sync_enum(uint32_t initiator, tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                                sc_core::sc_time&)>;

  /// A part of `target`, which is named in reports.
  Responses(const sc_core::sc_object& target, Call call);

  /// Before the simulation starts.
  void resize(size_t initiators) { lanes_.resize(initiators); }

  /// Begins the response at `when`, or as soon as the initiator can take it. Among responses of the same time, the
  /// lower rank goes first.
  void put(uint32_t initiator, uint32_t rank, tlm::tlm_generic_payload& transaction, const sc_core::sc_time& when) {
    lanes_.put(initiator, rank, transaction, when);
  }

  /// The same, but the initiator is told now, with `when` as an annotated delay, if nothing waits for its response
  /// path.
  void put_ahead(uint32_t initiator, uint32_t rank, tlm::tlm_generic_payload& transaction,
                 const sc_core::sc_time& when) {
    lanes_.put_ahead(initiator, rank, transaction, when);
  }

  /// nb_transport_fw with another phase than BEGIN_REQ: the end of a response, one to be ignored, or a mistake
  /// (SIM0103).
  tlm::tlm_sync_enum take(uint32_t initiator, tlm::tlm_generic_payload& transaction, const tlm::tlm_phase& phase,
                          const sc_core::sc_time& delay);

 private:
  std::optional<sc_core::sc_time> begin(uint32_t initiator, tlm::tlm_generic_payload& transaction,
                                        sc_core::sc_time delay);

  const sc_core::sc_object& target_;
  Call call_;
  Lanes lanes_;
};

}  // namespace covenant::sc
