/// The arithmetic of commands, apart from their time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <span>
#include <thread>
#include <variant>
#include <vector>

#include "sim/units/simd_nest.h"
#include "sim/units/systolic_pass.h"
#include "sim/units/tile_transfer.h"

namespace covenant::sim {

/// A pass, and who keeps the plan of those before it.
struct PassValues {
  PassRunner* runner = nullptr;
  SystolicPass pass;
};

struct NestValues {
  SimdNest nest;
  std::array<std::span<uint8_t>, 3> memories;  ///< as run_nest takes them
};

/// Computes the values of commands in the order in which they come. No cycle depends on a value, so a thread of its own
/// may do so, and time runs ahead of it.
class ValueQueue {
 public:
  enum class Place : uint8_t {
    kHere,    ///< when they come
    kThread,  ///< on another thread, but for programs so short that it would take longer to start one
  };
  explicit ValueQueue(Place place) : place_(place) {}
  ValueQueue(const ValueQueue&) = delete;
  ValueQueue& operator=(const ValueQueue&) = delete;
  /// Everything is done then.
  ~ValueQueue();

  /// What these point to must be there until `finish`, and may not be read before.
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
  static constexpr uint32_t kBatches = 16;  ///< that may be pending
  Place place_;
  std::array<Batch, kBatches> batches_;  ///< a ring
  std::atomic<uint32_t> added_ = 0;      ///< batches since the start; both counters wrap
  std::atomic<uint32_t> done_ = 0;
  std::exception_ptr failure_;  ///< nothing is computed after it
  std::thread thread_;
};

}  // namespace covenant::sim
