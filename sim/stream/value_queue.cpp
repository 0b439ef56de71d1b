#include "sim/stream/value_queue.h"

#include <utility>

namespace covenant::sim {

namespace {

void compute(const TileTransfer& transfer) { move_bytes(transfer); }
void compute(const PassValues& values) { values.runner->run(values.pass); }
void compute(const NestValues& values) { run_nest(values.nest, values.memories); }

}  // namespace

ValueQueue::~ValueQueue() {
  if (!thread_.joinable()) {
    execute(open_batch());
    return;
  }
  if (!open_batch().empty()) hand_over();
  hand_over();  // an empty batch ends the thread
  thread_.join();
}

void ValueQueue::run(const TileTransfer& transfer) { add(transfer); }
void ValueQueue::run(const PassValues& values) { add(values); }
void ValueQueue::run(const NestValues& values) { add(values); }

template <typename Values>
void ValueQueue::add(const Values& values) {
  if (place_ == Place::kHere) return compute(values);
  Batch& batch = open_batch();
  batch.reserve(kBatch);
  batch.emplace_back(values);
  if (batch.size() == kBatch) hand_over();
}

void ValueQueue::finish() {
  if (thread_.joinable()) {
    if (!open_batch().empty()) hand_over();
    wait_until_pending(0);
  } else {
    execute(open_batch());
  }
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void ValueQueue::hand_over() {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  ++added_;
  added_.notify_one();
  if (added_ - done_ == kBatches) wait_until_pending(kBatches / 4);
}

void ValueQueue::wait_until_pending(uint32_t most) const {
  for (uint32_t done = done_; added_ - done > most; done = done_) done_.wait(done);
}

void ValueQueue::work() {
  for (uint32_t at = 0;; ++at) {
    added_.wait(at);
    Batch& batch = batches_[at % kBatches];
    if (batch.empty()) return;
    execute(batch);
    const uint32_t pending = added_ - ++done_;
    if (pending == 0 || pending == kBatches / 4) done_.notify_one();  // wake up the waiting thread
  }
}

void ValueQueue::execute(Batch& batch) {
  try {
    for (const Command& command : batch) {
      if (!failure_) std::visit([](const auto& values) { compute(values); }, command);
    }
  } catch (...) {
    failure_ = std::current_exception();
  }
  batch.clear();
}

}  // namespace covenant::sim
