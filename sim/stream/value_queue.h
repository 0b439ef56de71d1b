/// A queue that computes the values of commands, independently of their timing.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "sim/stream/simd_nest.h"
#include "sim/stream/systolic_pass.h"
#include "sim/stream/tile_transfer.h"

namespace covenant::sim {

/// A pass, and the runner that keeps the plan of earlier passes.
struct PassValues {
  PassRunner* runner = nullptr;
  SystolicPass pass;
};

struct NestValues {
  SimdNest nest;
  std::array<std::span<uint8_t>, 3> memories;  ///< as run_nest takes them
};

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

  /// What the arguments point to must stay valid until `finish`, and must not be read before.
  void run(const TileTransfer& transfer);
  void run(const PassValues& values);
  void run(const NestValues& values);
  /// Waits until all of them are done. Throws what one of them has thrown.
  void finish();

 private:
  using Command = std::variant<TileTransfer, PassValues, NestValues>;
  using Batch = std::vector<Command>;
  template <typename Values>
  void add(const Values& values);
  Batch& open_batch() { return batches_[added_ % kBatches]; }
  void hand_over();
  void wait_until_pending(uint32_t most) const;
  void work();
  void execute(Batch& batch);

  static constexpr size_t kBatch = 128;     ///< commands handed over at once
  static constexpr uint32_t kBatches = 16;  ///< most batches that are pending
  Place place_;
  std::array<Batch, kBatches> batches_;  ///< a ring
  std::atomic<uint32_t> added_ = 0;      ///< batches since the start; both counters wrap
  std::atomic<uint32_t> done_ = 0;
  std::exception_ptr failure_;  ///< nothing is computed after it
  std::thread thread_;
};

}  // namespace covenant::sim
