/// A queue that computes the values of commands, independently of their timing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>

#include "sim/stream/common/value_batch.h"

namespace covenant::sim {

/// Computes the values of commands in their order. No cycle depends on a value, so this can happen on a thread of its
/// own while simulated time runs ahead.
class ValueQueue {
 public:
  enum class Place : uint8_t {
    kHere,    ///< when they come
    kThread,  ///< on another thread, except for programs so short that starting one would take longer
  };
  explicit ValueQueue(Place place) : place_(place) {}
  ValueQueue(const ValueQueue&) = delete;
  ValueQueue& operator=(const ValueQueue&) = delete;
  /// Completes all pending work.
  ~ValueQueue();

  /// Calls `compute(values)`. Data to which they point must stay valid until `finish`, and must not be read before.
  template <typename Values>
  void run(const Values& values) {
    if (place_ == Place::kHere) return compute(values);
    if (!open_batch().has_room<Values>()) hand_over();
    open_batch().add(values);
  }
  /// Waits until all of them are done. Throws what one of them has thrown.
  void finish();

 private:
  ValueBatch& open_batch() { return batches_[added_ % kBatches]; }
  void hand_over();
  void wait_until_pending(uint32_t most) const;
  void work();
  void execute(ValueBatch& batch);

  static constexpr uint32_t kBatches = 16;  ///< most batches that are pending
  Place place_;
  std::array<ValueBatch, kBatches> batches_;  ///< a ring
  std::atomic<uint32_t> added_ = 0;           ///< batches since the start; both counters wrap
  std::atomic<uint32_t> done_ = 0;
  std::exception_ptr failure_;  ///< nothing is computed after it
  std::thread thread_;
};

}  // namespace covenant::sim
