/// A memory with TLM-2.0 sockets, which answers after a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include "offchip/model.h"
#include "offchip/statistics.h"
#include "platform/answers.h"
#include "platform/responses.h"
#include "platform/storage.h"

namespace covenant::sc {

/// Any number of initiators bind to `in`. Loosely timed ones call b_transport, approximately timed ones nb_transport:
/// the memory ends each request at once, so it never refuses one, and begins the response at the time of its answer.
///
/// Data moves at the time of the request, in the order of requests; among requests of the same time, the lower port
/// comes first. Only the response tells that data has moved: until then an initiator must not use it. Where TLM-2.0
/// leaves a choice to a target: streaming widths below the length are a burst error, byte enables are obeyed, and
/// commands to be ignored take their time and do nothing.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<Memory> in;

  /// Every transaction takes `latency`: b_transport adds it to its delay and does not wait. Direct access is granted.
  Memory(const sc_core::sc_module_name& name, Storage storage, const sc_core::sc_time& latency);

  enum class DirectAccess { kNever, kGranted };
  /// The model decides how long a transaction takes; b_transport waits for that in its caller's thread. Direct access
  /// bypasses the model: request it only for values without timing. The port of a transaction is the number of its
  /// binding, or that of a PortExtension; more ports than the model has are an error (SIM0102).
  Memory(const sc_core::sc_module_name& name, Storage storage, std::unique_ptr<offchip::Model> model,
         DirectAccess direct = DirectAccess::kNever);

  std::span<uint8_t> bytes() const { return storage_.bytes(); }
  const offchip::Statistics& statistics() const { return answers_.statistics(); }

 private:
  Memory(const sc_core::sc_module_name& name, Storage storage, std::unique_ptr<offchip::Model> model,
         const std::optional<sc_core::sc_time>& latency, DirectAccess direct);
  void end_of_elaboration() override;
  void b_transport(int initiator, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
  tlm::tlm_sync_enum nb_transport(int initiator, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                  sc_core::sc_time& delay);
  bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& access);
  unsigned int transport_dbg(int initiator, tlm::tlm_generic_payload& transaction);
  bool begin_request(uint32_t initiator, tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
  bool check_port(uint32_t port) const;
  void answer(const Answers::Request& request, const sc_core::sc_time& when);

  Storage storage_;
  DirectAccess direct_;
  std::optional<sc_core::sc_time> latency_;  ///< if it is fixed
  Responses responses_;
  Answers answers_;
};

}  // namespace covenant::sc
