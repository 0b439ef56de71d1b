/// Monitors the base protocol of TLM-2.0 between an initiator and a target.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

namespace covenant::sc::testing {

/// One initiator binds to `in`, `out` to one target. Every broken rule fails the test.
class ProtocolChecker : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<ProtocolChecker> in;
  tlm_utils::simple_initiator_socket<ProtocolChecker> out;

  explicit ProtocolChecker(const sc_core::sc_module_name& name) : sc_module(name), in("in"), out("out") {
    in.register_b_transport(this, &ProtocolChecker::b_transport);
    in.register_nb_transport_fw(this, &ProtocolChecker::nb_transport_fw);
    in.register_get_direct_mem_ptr(this, &ProtocolChecker::get_direct_mem_ptr);
    in.register_transport_dbg(this, &ProtocolChecker::transport_dbg);
    out.register_nb_transport_bw(this, &ProtocolChecker::nb_transport_bw);
    out.register_invalidate_direct_mem_ptr(this, &ProtocolChecker::invalidate);
  }

  size_t completed() const { return completed_; }
  size_t under_way() const { return seen_.size(); }

 private:
  using Payload = tlm::tlm_generic_payload;
  /// Attributes that must not change until the response, and the phase of the transaction.
  struct Seen {
    tlm::tlm_phase phase = tlm::UNINITIALIZED_PHASE;
    sc_core::sc_time time{};
    tlm::tlm_command command = tlm::TLM_IGNORE_COMMAND;
    uint64_t address = 0;
    const unsigned char* data = nullptr;
    unsigned int length = 0;
    std::vector<unsigned char> written{};
  };

  void b_transport(int /*id*/, Payload& payload, sc_core::sc_time& delay) {
    const Seen before = seen(payload);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    out->b_transport(payload, delay);
    expect_unchanged(before, payload);
    EXPECT_NE(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    ++completed_;
  }

  tlm::tlm_sync_enum nb_transport_fw(int /*id*/, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    see(payload, phase, delay);
    const tlm::tlm_phase sent = phase;
    const tlm::tlm_sync_enum returned = out->nb_transport_fw(payload, phase, delay);
    if (sent == tlm::END_RESP) return returned;
    if (returned == tlm::TLM_UPDATED) see(payload, phase, delay);
    if (returned == tlm::TLM_COMPLETED) {
      EXPECT_NE(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
      requesting_ = nullptr;
      leave(payload);
    }
    return returned;
  }

  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    see(payload, phase, delay);
    const tlm::tlm_phase sent = phase;
    const tlm::tlm_sync_enum returned = in[0]->nb_transport_bw(payload, phase, delay);
    if (sent != tlm::BEGIN_RESP) return returned;
    if (returned == tlm::TLM_UPDATED) see(payload, phase, delay);
    if (returned == tlm::TLM_COMPLETED) end_response(payload);
    return returned;
  }

  bool get_direct_mem_ptr(int /*id*/, Payload& payload, tlm::tlm_dmi& access) {
    return out->get_direct_mem_ptr(payload, access);
  }
  unsigned int transport_dbg(int /*id*/, Payload& payload) { return out->transport_dbg(payload); }
  void invalidate(sc_dt::uint64 start, sc_dt::uint64 end) { in[0]->invalidate_direct_mem_ptr(start, end); }

  static Seen seen(const Payload& payload) {
    Seen now{tlm::BEGIN_REQ,        sc_core::sc_time_stamp(), payload.get_command(),
             payload.get_address(), payload.get_data_ptr(),   payload.get_data_length()};
    if (payload.is_write()) now.written.assign(now.data, now.data + now.length);
    return now;
  }

  static void expect_unchanged(const Seen& before, const Payload& payload) {
    const Seen now = seen(payload);
    EXPECT_EQ(now.command, before.command);
    EXPECT_EQ(now.address, before.address);
    EXPECT_EQ(now.data, before.data);
    EXPECT_EQ(now.length, before.length);
    EXPECT_EQ(now.written, before.written);
  }

  void see(Payload& payload, const tlm::tlm_phase& phase, const sc_core::sc_time& delay) {
    const sc_core::sc_time time = sc_core::sc_time_stamp() + delay;
    if (phase == tlm::BEGIN_REQ) return begin_request(payload, time);
    ASSERT_TRUE(seen_.contains(&payload)) << phase << " of a transaction that has not begun";
    Seen& known = seen_.at(&payload);
    EXPECT_GE(time, known.time) << phase;
    EXPECT_LT(known.phase, phase) << "phases come in their order";
    known.time = time;
    known.phase = phase;
    EXPECT_TRUE(phase != tlm::END_REQ || requesting_ == &payload);
    if (requesting_ == &payload) requesting_ = nullptr;
    if (phase == tlm::BEGIN_RESP) {
      EXPECT_EQ(responding_, nullptr) << "one response at a time";
      EXPECT_NE(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
      expect_unchanged(known, payload);
      responding_ = &payload;
    }
    if (phase == tlm::END_RESP) end_response(payload);
  }

  void begin_request(Payload& payload, const sc_core::sc_time& time) {
    EXPECT_EQ(requesting_, nullptr) << "one request at a time";
    EXPECT_FALSE(seen_.contains(&payload)) << "a transaction begins once";
    EXPECT_TRUE(payload.has_mm());
    EXPECT_GT(payload.get_ref_count(), 0);
    EXPECT_EQ(payload.get_response_status(), tlm::TLM_INCOMPLETE_RESPONSE);
    requesting_ = &payload;
    seen_[&payload] = seen(payload);
    seen_[&payload].time = time;
  }

  void end_response(Payload& payload) {
    EXPECT_EQ(responding_, &payload);
    responding_ = nullptr;
    leave(payload);
  }

  void leave(Payload& payload) {
    seen_.erase(&payload);
    ++completed_;
  }

  std::map<const Payload*, Seen> seen_;
  const Payload* requesting_ = nullptr;
  const Payload* responding_ = nullptr;
  size_t completed_ = 0;
};

}  // namespace covenant::sc::testing
