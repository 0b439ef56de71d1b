/// A hardware context of a vliw_core that executes packets from memory: docs/reference/units/vliw_core.md as code.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "acg/base/failure.h"
#include "acg/graph/graph.h"
#include "sim/vliw/decoded_packet.h"
#include "sim/vliw/pipeline.h"

namespace covenant::sim::vliw {

/// The units that `contexts` contexts of the machine share. Fault SIM0061: a machine that the model does not support.
std::shared_ptr<SharedSide> shared_by(const acg::Machine& machine, uint64_t contexts);

class Core {
 public:
  /// An address that no packet has.
  static constexpr uint32_t kNowhere = UINT32_MAX;

  /// Starts at `entry`, registers zero. `counts_cycles`: otherwise it has values, and no time. `machine` need not
  /// outlive it. Fault SIM0061: the machine has no packets, or vectors of another length; also as of Pipeline.
  Core(const acg::Machine& machine, AddressSpace memory, uint32_t entry, bool counts_cycles = true);
  /// One of several contexts, with `mapping` its place in the shared memory. Without `shared` there is no timing.
  Core(const acg::Machine& machine, AddressSpace memory, uint32_t entry, std::shared_ptr<SharedSide> shared,
       AddressMapping mapping);

  /// Executes at most `packets` packets; ends early after one that requests a service, and when the next one would be
  /// that at `stop`. Faults: those of PacketStore and AddressSpace, and SIM0084 (words that have been executed are
  /// overwritten), with the packet's place and text.
  void run(uint64_t packets, uint32_t stop = kNowhere);

  /// An executed packet, as an observer sees it.
  struct Watched {
    const DecodedPacket& packet;
    uint64_t number = 0;  ///< packets executed before
    const PacketTimes& times;
    std::span<const Touch> touched;  ///< its accesses, in the order of packet.timing.accesses
  };
  /// From now on calls `watcher` for every packet after it has been executed, once its times are known.
  void watch(std::function<void(const Watched&)> watcher) { watcher_ = std::move(watcher); }
  /// From now on calls `executed` with the accesses of every packet when they have been done, regardless of their
  /// timing.
  using Executed = std::function<void(const DecodedPacket&, std::span<const Touch>)>;
  void watch_executed(Executed executed) { executed_ = std::move(executed); }
  /// Calls `act` once the times of all earlier packets are known: immediately, unless memory is asked.
  void when_timed(std::function<void()> act);

  /// True if the exception of `run` is about fetching the words of a packet, not about executing it.
  bool has_failed_to_fetch() const { return has_failed_to_fetch_; }
  /// If memory is asked: `run` has ended early, because it is not known yet when the next packet could issue.
  bool is_waiting() const { return is_waiting_; }
  /// True if the times of all packets are known by now.
  bool settle();

  /// The service that the last packet has requested (`trap0`); it is then cleared.
  std::optional<int32_t> take_service();
  bool asks_for_service() const { return state_.service.has_value(); }

  /// The first cycle in which the next packet could issue if it had its turn. Faults: those of PacketStore::at, with
  /// its place. Precondition: it counts cycles.
  uint64_t earliest_issue();

  const Registers& registers() const { return state_.registers; }
  Registers& registers() { return state_.registers; }
  AddressSpace& memory() { return state_.memory; }
  uint32_t address() const { return address_; }        ///< address of the next packet
  uint64_t packets() const { return state_.packets; }  ///< executed
  /// Times of the last packet; all 0 without timing.
  const PacketTimes& times() const { return times_; }
  const std::optional<Pipeline>& pipeline() const { return pipeline_; }
  /// The packet at an address, and its text. Faults as of PacketStore::at.
  const PacketStore& store() const { return store_; }
  const acg::Packet& packet_at(uint32_t address) { return store_.at(address, state_.memory).packet; }
  std::string text_at(uint32_t address) { return store_.text(store_.at(address, state_.memory)); }

 private:
  DecodedPacket& next_packet();
  void place(Failure& failure, const DecodedPacket* packet);
  void execute(DecodedPacket& packet);
  bool may_issue(const DecodedPacket& packet);
  void check_stores(const DecodedPacket& packet) const;
  void note_times(DecodedPacket& packet);
  void told(DecodedPacket& packet, uint64_t number, std::span<const Touch> touched);
  void collect();
  uint32_t loop_target(const DecodedPacket& packet);

  /// A packet whose times are not known yet.
  struct Open {
    DecodedPacket* packet = nullptr;
    uint64_t number = 0;
    std::array<Touch, kMostSlots> touched{};
    std::vector<std::function<void()>> then{};  ///< actions to take once the times are known
  };

  CoreState state_;
  PacketStore store_;
  std::optional<Pipeline> pipeline_;
  PacketTimes times_;
  std::function<void(const Watched&)> watcher_;
  Executed executed_;
  std::deque<Open> open_;
  bool is_waiting_ = false;
  bool has_failed_to_fetch_ = false;
  DecodedPacket* last_ = nullptr;  ///< executed last
  uint32_t address_ = 0;
};

}  // namespace covenant::sim::vliw
