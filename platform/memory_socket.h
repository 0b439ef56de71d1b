/// The TLM-2.0 initiator of off-chip ports: non-blocking transport, one transaction per burst.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "platform/port_extension.h"

namespace covenant::sc {

/// Transactions begin one at a time, as the base protocol requires. Those of one port are handed over in the order of
/// their requests, whatever the order of their responses; at the latest at their time, and an error not before it.
class MemorySocket {
 public:
  /// `port`: its number at the memory.
  MemorySocket(const char* name, uint32_t port);
  /// Serves several ports, which all other functions name by their places in `ports`.
  MemorySocket(const char* name, const std::vector<uint32_t>& ports);

  /// Bind it to the path to the memory.
  tlm_utils::simple_initiator_socket<MemorySocket> socket;

  struct Response {
    uint32_t place = 0;  ///< place of its port
    uint64_t address = 0;
    sc_core::sc_time time;
    std::span<const uint8_t> data;  ///< bytes of a read; valid until the function returns
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
  };
  /// Called for every transaction. Must not throw.
  std::function<void(const Response&)> responded;

  /// Drops all transactions in progress: their responses are ignored when they come.
  void forget();

  /// Asks for `bytes` from `address` on, now.
  void read(uint64_t address, uint64_t bytes, uint32_t place = 0);
  /// Writes `data` at `address + offset`, as part of a burst of `bytes` from `address` on.
  void write(uint64_t address, uint64_t bytes, uint64_t offset, std::span<const uint8_t> data);
  /// Writes those bytes of `data` that `enables` marks, one TLM_BYTE_ENABLED or TLM_BYTE_DISABLED each.
  void write(uint64_t address, std::span<const uint8_t> data, std::span<const uint8_t> enables, uint32_t place = 0);

 private:
  /// A transaction in progress. Returned to `free_` by its last user.
  class Transaction : public tlm::tlm_mm_interface {
   public:
    explicit Transaction(MemorySocket& owner);
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() override { payload.clear_extension<PortExtension>(); }
    void free(tlm::tlm_generic_payload* released) override;

    tlm::tlm_generic_payload payload;
    std::vector<uint8_t> data;
    std::vector<uint8_t> enables;
    uint32_t place = 0;
    uint64_t address = 0;  ///< as requested: an interconnect may leave another one in the payload
    std::optional<sc_core::sc_time> answered;
    bool is_forgotten = false;

   private:
    MemorySocket& owner_;
  };

  /// Calls a function when it has been notified.
  class Alarm : public sc_core::sc_module {
   public:
    SC_HAS_PROCESS(Alarm);
    Alarm(const sc_core::sc_module_name& name, std::function<void()> act);
    sc_core::sc_event event;

   private:
    void ring() { act_(); }
    std::function<void()> act_;
  };

  Transaction& take(tlm::tlm_command command, uint64_t address, uint64_t bytes, uint32_t place);
  static void enable(Transaction& taken);
  void send();
  void answer(Transaction& answered, const sc_core::sc_time& time);
  void hand_over(std::deque<Transaction*>& some);
  Transaction& under_way(const tlm::tlm_generic_payload& payload);
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  std::vector<PortExtension> ports_;  ///< by place: port of transactions
  std::vector<std::unique_ptr<Transaction>> all_;
  std::vector<Transaction*> free_;
  std::deque<Transaction*> asking_;                  ///< transactions whose request has not been sent
  std::vector<std::deque<Transaction*>> under_way_;  ///< by place, in the order of requests
  Transaction* in_request_ = nullptr;                ///< sent, not accepted yet
  sc_core::sc_time accepted_;                        ///< when the last request has ended, or will end
  Alarm later_;                                      ///< for requests and errors whose time is still to come
};

}  // namespace covenant::sc
