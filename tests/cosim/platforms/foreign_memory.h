/// A memory of plain TLM-2.0 that answers as a Manner says, and looks for breaches of the base protocol.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <vector>

#include "tests/cosim/platforms/manner.h"
#include "tests/cosim/platforms/traffic.h"

namespace covenant::platforms {

class ForeignMemory : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ForeignMemory);
  tlm_utils::multi_passthrough_target_socket<ForeignMemory> in;

  /// The initiator behind a socket of `in`.
  struct Lane {
    uint32_t device = 0;
    uint64_t base = 0;        ///< of the device's window
    bool is_watched = false;  ///< its bursts are traffic of the device
  };
  ForeignMemory(const sc_core::sc_module_name& name, const Manner& manner, uint64_t bytes, std::vector<Lane> lanes,
                uint32_t devices);

  /// The burst that a run of a device is watched for, and the answer to it.
  struct Watch {
    uint64_t run = 0;  ///< part of what its latencies are drawn by
    std::optional<Mark> mark;
    bool holds = false;                                     ///< the answer to the marked burst waits for `release`
    tlm::tlm_response_status error = tlm::TLM_OK_RESPONSE;  ///< answer to it
    uint64_t more = 0;                                      ///< nanoseconds that its answer takes in addition
  };
  void watch(uint32_t device, const Watch& watch);
  /// Notified when the marked burst is taken.
  sc_core::sc_event& marked(uint32_t device) { return devices_.at(device).marked; }
  bool is_marked(uint32_t device) const { return devices_.at(device).is_marked; }
  void release(uint32_t device);
  /// When a device has last asked for something, or been answered; picoseconds.
  uint64_t last_seen(uint32_t device) const { return devices_.at(device).last_seen; }
  /// Bursts without an answer.
  uint64_t owed(uint32_t device) const { return devices_.at(device).owed; }

  /// Bursts of a device since the last `watch`, by socket.
  Traffic traffic(uint32_t device) const;
  uint64_t moved() const { return moved_; }
  const std::vector<std::string>& breaches() const { return breaches_; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Device {
    sc_core::sc_event marked;
    bool is_marked = false;
    Watch watch;
    std::map<std::pair<bool, uint64_t>, uint32_t> seen;  ///< bursts by kind and address
    uint64_t watched = 0;                                ///< calls of `watch`
    std::function<void()> held;
    uint64_t last_seen = 0;
    uint64_t owed = 0;
  };
  struct State {
    const Payload* requesting = nullptr;
    const Payload* responding = nullptr;
    uint64_t requests = 0;
    uint64_t ends = 0;      ///< when its last request has ended
    uint64_t answered = 0;  ///< time of its last response
    std::vector<Burst> log;
    std::vector<std::function<void()>> waiting;  ///< responses
  };
  struct Flight {
    int lane = 0;
    Payload* payload = nullptr;
    uint64_t number = 0;   ///< random, of its own
    uint64_t taken = 0;    ///< when it is taken
    uint64_t latency = 0;  ///< picoseconds
    tlm::tlm_response_status error = tlm::TLM_OK_RESPONSE;
    bool is_marked = false;
    uint64_t watched = 0;
    size_t entry = 0;  ///< of the log
  };

  tlm::tlm_sync_enum nb_transport_fw(int lane, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum begin(int lane, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void b_transport(int lane, Payload& payload, sc_core::sc_time& delay);
  unsigned int transport_dbg(int lane, Payload& payload);
  bool get_direct_mem_ptr(int lane, Payload& payload, tlm::tlm_dmi& access);

  Flight flight_of(int lane, Payload& payload, uint64_t arrives);
  bool happens(bool is_allowed, const Flight& flight, uint64_t purpose) const;
  void note(Flight& flight);
  void take(const Flight& flight);
  void move_bytes(const Flight& flight);
  Burst* logged(const Flight& flight);
  void plan_response(const Flight& flight);
  void respond(const Flight& flight, uint64_t ahead);
  void finish(int lane, Payload& payload);
  void check_request(int lane, const Payload& payload, uint64_t arrives);
  void breach(int lane, const std::string& what);
  void at(uint64_t time, std::function<void()> action);
  void step();
  void relocate();
  const Lane& lane_of(int lane) const { return lanes_[static_cast<size_t>(lane)]; }
  State& state_of(int lane) { return states_[static_cast<size_t>(lane)]; }

  Manner manner_;
  std::vector<Lane> lanes_;
  std::vector<State> states_;
  std::vector<Device> devices_;
  std::vector<uint8_t> bytes_;
  std::array<std::vector<uint8_t>, 4> former_;  ///< places of the bytes to which access has been withdrawn
  uint64_t moved_ = 0;
  std::multimap<uint64_t, std::function<void()>> agenda_;
  sc_core::sc_event due_;
  uint64_t free_ = 0;  ///< of a memory that serves one burst at a time
  std::vector<std::string> breaches_;
};

}  // namespace covenant::platforms
