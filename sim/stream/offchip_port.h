/// The port of one off-chip edge to a memory that must be asked when it answers (docs/reference/off-chip-port.md).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "sim/stream/answer_queue.h"
#include "sim/stream/axi_master.h"
#include "sim/stream/burst_walk.h"

namespace covenant::sim {

/// Moves the beats of transfers, requests bursts, and carries their bytes. It is given the grants of the bus and the
/// answers of the memory, and returns what it waits for; it knows no order of simulation.
class OffchipPort {
 public:
  /// `beat_bytes`: of the edge; `values`: bytes are carried, not only counted.
  OffchipPort(uint64_t latency, uint64_t beat_bytes, bool values);
  /// Puts a master between the port and its memory. Call before anything moves.
  void read_behind_master(uint64_t outstanding) { reads_.emplace(outstanding); }
  void write_behind_master(uint64_t outstanding) { writes_.emplace(outstanding); }
  bool has_master() const { return reads_ || writes_; }

  /// A transfer of `beats` beats. Its beats move once they are granted. Precondition: the one before has moved.
  void begin(const TileTransfer& transfer, uint64_t beats);
  /// `beats` of them may move from `cycle` on, one a cycle as places allow. Precondition: those before have moved.
  void grant(uint64_t cycle, uint64_t beats);

  enum class Next : uint8_t {
    kRequest,  ///< in the cycle of `request`, which time must have reached; then `move` again. Not with a master
    kAnswer,   ///< the memory must answer before another beat can move
    kMoved,    ///< all that were granted
  };
  Next move();
  /// A post; the cycle in which it issues, not before `cycle`. Nothing: that depends on an answer.
  std::optional<uint64_t> post(uint64_t cycle);

  struct Request {
    uint64_t address = 0;
    uint64_t bytes = 0;  ///< whole beats
    bool writes = false;
    Burst burst;
    const uint8_t* near_memory = nullptr;
  };
  /// The oldest request that has not been issued. Precondition: there is one.
  const Request& request() const { return requests_.front(); }
  /// The cycle in which it reaches the memory; nothing: there is none, or that depends on answers to come.
  std::optional<uint64_t> next_request() const;
  /// The bytes that a store's burst writes, which begin `burst.far - address` bytes after its address; empty in a run
  /// without values.
  std::span<const uint8_t> written() const {
    if (!values_) return {};
    return {request().near_memory + request().burst.near, request().burst.bytes};
  }
  /// It has been issued.
  void issued();

  /// The oldest burst without an answer has one in `cycle`. `data`: of a load with values, all its bytes.
  void answered(uint64_t cycle, std::span<const uint8_t> data);

  /// Behind a master: the oldest burst without an answer has an error for one in `cycle`. Nothing is answered after it.
  void refused(uint64_t cycle);
  /// The cycle in which the master tells the machine of that; nothing: there is no error, or that is not known yet.
  std::optional<uint64_t> fault() const { return reads_ ? reads_->fault() : fault_; }

  /// The cycle in which the next effect is visible, of transfers and posts in their order; nothing: not known yet.
  std::optional<uint64_t> take_effect() { return queue_.take_effect(); }

  uint64_t beats_left() const { return left_; }  ///< beats of the transfer that have not moved
  uint64_t next_cycle() const { return next_; }  ///< after the beat that has moved last
  uint64_t first_cycle() const { return first_.value(); }
  bool is_idle() const { return queue_.empty(); }  ///< nothing is under way
  uint64_t waited() const { return queue_.waited(); }
  /// A block starts. Precondition: is_idle.
  void clear() { queue_.clear(); }

 private:
  AnswerQueue::Room next_room() const;
  void ask(uint64_t cycle, bool is_first, bool is_last);
  void note_ends();
  void next_burst();
  void carry_fills();

  AnswerQueue queue_;
  uint64_t beat_bytes_;
  bool values_;
  BurstWalk walk_;
  uint8_t* near_memory_ = nullptr;
  bool loads_ = false;
  uint64_t left_ = 0;     ///< beats of the transfer that have not moved
  uint64_t granted_ = 0;  ///< of these: granted by the bus
  uint64_t next_ = 0;
  std::optional<uint64_t> first_;
  Burst burst_;                 ///< burst whose beats move
  uint64_t burst_moved_ = 0;    ///< beats of the current burst that have moved
  uint64_t request_cycle_ = 0;  ///< without a master: of the only request
  std::deque<Request> requests_;
  std::optional<AxiReadMaster> reads_;
  std::optional<AxiWriteMaster> writes_;
  std::optional<uint64_t> fault_;  ///< of a store
  std::deque<Burst> carried_;      ///< for loads: bytes that have not arrived, and the fills after them
};

}  // namespace covenant::sim
