#include "sim/stream/common/value_queue.h"

#include <utility>

namespace covenant::sim {

ValueQueue::~ValueQueue() {
  if (!thread_.joinable()) {
    execute(open_batch());
    return;
  }
  if (!open_batch().empty()) hand_over();
  hand_over();  // an empty batch ends the thread
  thread_.join();
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
    ValueBatch& batch = batches_[at % kBatches];
    if (batch.empty()) return;
    execute(batch);
    const uint32_t pending = added_ - ++done_;
    if (pending == 0 || pending == kBatches / 4) done_.notify_one();  // wake up the waiting thread
  }
}

void ValueQueue::execute(ValueBatch& batch) {
  try {
    if (!failure_) batch.run();
  } catch (...) {
    failure_ = std::current_exception();
  }
  batch.clear();
}

}  // namespace covenant::sim
