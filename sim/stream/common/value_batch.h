/// Values of commands that wait to be computed, one behind the other in one piece of memory.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <vector>

namespace covenant::sim {

/// Takes any type `Values` for which there is a function `compute(const Values&)`; keeps a copy of each.
class ValueBatch {
 public:
  ValueBatch() = default;
  ValueBatch(const ValueBatch&) = delete;
  ValueBatch& operator=(const ValueBatch&) = delete;
  ~ValueBatch() { clear(); }

  bool empty() const { return commands_.empty(); }
  template <typename Values>
  bool has_room() const {
    return commands_.size() < kCommands && used_ + sizeof(Held<Values>) <= kBytes;
  }
  /// Precondition: has_room.
  template <typename Values>
  void add(const Values& values) {
    static_assert(sizeof(Held<Values>) <= kBytes && alignof(Held<Values>) <= alignof(std::max_align_t));
    if (!memory_) memory_ = std::make_unique_for_overwrite<Memory>();
    commands_.push_back(new (memory_->bytes + used_) Held<Values>(values));
    constexpr size_t kAlignment = alignof(std::max_align_t);
    used_ += (sizeof(Held<Values>) + kAlignment - 1) / kAlignment * kAlignment;
  }
  /// Computes all in their order. What one of them throws ends it.
  void run() const {
    for (const Command* command : commands_) command->run();
  }
  void clear() {
    for (const Command* command : commands_) command->~Command();
    commands_.clear();
    used_ = 0;
  }

 private:
  static constexpr size_t kCommands = 128;
  static constexpr size_t kBytes = kCommands * 1024;

  class Command {
   public:
    Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command() = default;
    virtual void run() const = 0;
  };
  template <typename Values>
  class Held final : public Command {
   public:
    explicit Held(const Values& values) : values_(values) {}
    void run() const override { compute(values_); }

   private:
    Values values_;
  };
  struct Memory {
    alignas(std::max_align_t) std::byte bytes[kBytes];
  };

  std::vector<Command*> commands_;
  std::unique_ptr<Memory> memory_;  ///< made for the first command
  size_t used_ = 0;
};

}  // namespace covenant::sim
