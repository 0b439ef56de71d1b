/// Initiators that execute a list of accesses.
#pragma once

#include <gtest/gtest.h>
#include <map>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <vector>

#include "tests/unit/platform/payloads.h"

namespace covenant::sc::testing {

/// A bare socket, for calls that take no time.
class Bare : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<Bare> out;

  std::vector<std::pair<uint64_t, uint64_t>> invalidated;  ///< direct access, from and to which address

  explicit Bare(const sc_core::sc_module_name& name) : sc_module(name), out("out") {
    out.register_invalidate_direct_mem_ptr(this, &Bare::invalidate);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) { invalidated.emplace_back(first, last); }

  tlm::tlm_response_status send(Access& access, unsigned int streaming_width) {
    tlm::tlm_generic_payload payload;
    set_up(payload, access);
    payload.set_streaming_width(streaming_width);
    sc_core::sc_time delay;
    out->b_transport(payload, delay);
    return payload.get_response_status();
  }
};

/// Loosely timed: one access after the other with b_transport. It waits for the annotated time.
class LooselyTimed : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<LooselyTimed> out;
  std::vector<Access> accesses;

  SC_HAS_PROCESS(LooselyTimed);
  explicit LooselyTimed(const sc_core::sc_module_name& name) : sc_module(name), out("out") { SC_THREAD(run); }

 private:
  void run() {
    for (Access& access : accesses) {
      if (access.at > sc_core::sc_time_stamp()) wait(access.at - sc_core::sc_time_stamp());
      tlm::tlm_generic_payload payload;
      set_up(payload, access);
      access.asked = sc_core::sc_time_stamp();
      sc_core::sc_time delay;
      out->b_transport(payload, delay);
      wait(delay);
      access.answered = sc_core::sc_time_stamp();
      access.status = payload.get_response_status();
      access.allows_direct = payload.is_dmi_allowed();
      EXPECT_EQ(payload.get_address(), access.address);
    }
  }
};

/// Ways in which an approximately timed initiator ends a response.
enum class Ends { kByCall, kByUpdate, kByCompletion };

/// Approximately timed: begins each access as soon as its time has come and the request before has ended.
class ApproximatelyTimed : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<ApproximatelyTimed> out;
  std::vector<Access> accesses;
  Ends ends = Ends::kByCompletion;
  sc_core::sc_time holds{};      ///< time that it takes to end a response
  sc_core::sc_time annotates{};  ///< delay with which it calls

  SC_HAS_PROCESS(ApproximatelyTimed);
  explicit ApproximatelyTimed(const sc_core::sc_module_name& name) : sc_module(name), out("out") {
    out.register_nb_transport_bw(this, &ApproximatelyTimed::nb_transport);
    SC_THREAD(run);
    SC_METHOD(end_response);
    sensitive << respond_;
    dont_initialize();
  }
  size_t under_way() const { return manager_.under_way(); }

 private:
  void run() {
    for (Access& access : accesses) {
      if (access.at > sc_core::sc_time_stamp()) wait(access.at - sc_core::sc_time_stamp());
      begin(access);
      while (requesting_ != nullptr) wait(request_ended_);
      if (access.status == tlm::TLM_INCOMPLETE_RESPONSE && annotates > sc_core::SC_ZERO_TIME) wait(annotates);
    }
  }

  void begin(Access& access) {
    tlm::tlm_generic_payload& payload = manager_.take();
    set_up(payload, access);
    under_way_[&payload] = &access;
    requesting_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = annotates;
    access.asked = sc_core::sc_time_stamp() + delay;
    const tlm::tlm_sync_enum returned = out->nb_transport_fw(payload, phase, delay);
    if (returned == tlm::TLM_COMPLETED) {
      requesting_ = nullptr;
      finish(payload, sc_core::sc_time_stamp() + delay);
      payload.release();
    } else if (returned == tlm::TLM_UPDATED) {
      EXPECT_EQ(phase, tlm::END_REQ);
      requesting_ = nullptr;
    }
  }

  tlm::tlm_sync_enum nb_transport(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (requesting_ == &payload) {
      requesting_ = nullptr;
      request_ended_.notify(sc_core::SC_ZERO_TIME);
    }
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    finish(payload, sc_core::sc_time_stamp() + delay);
    if (ends == Ends::kByCall) {
      responding_ = &payload;
      respond_.notify(holds);
      return tlm::TLM_ACCEPTED;
    }
    delay += holds;
    phase = tlm::END_RESP;
    payload.release();
    return ends == Ends::kByUpdate ? tlm::TLM_UPDATED : tlm::TLM_COMPLETED;
  }

  void end_response() {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay;
    out->nb_transport_fw(*responding_, phase, delay);
    responding_->release();
  }

  void finish(tlm::tlm_generic_payload& payload, const sc_core::sc_time& when) {
    Access& access = *under_way_.at(&payload);
    under_way_.erase(&payload);
    access.answered = when;
    access.status = payload.get_response_status();
    access.allows_direct = payload.is_dmi_allowed();
    EXPECT_EQ(payload.get_address(), access.address);
  }

  Manager manager_;
  std::map<const tlm::tlm_generic_payload*, Access*> under_way_;
  tlm::tlm_generic_payload* requesting_ = nullptr;
  tlm::tlm_generic_payload* responding_ = nullptr;
  sc_core::sc_event request_ended_;
  sc_core::sc_event respond_;
};

}  // namespace covenant::sc::testing
