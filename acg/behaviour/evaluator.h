/// Runs a behaviour cycle by cycle, as its text says: the definition that generated code is compared with.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/base/result.h"
#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/engine.h"
#include "acg/behaviour/values.h"

namespace covenant::acg::behaviour {

class Evaluator : public Engine {
 public:
  explicit Evaluator(Behaviour behaviour);

  Result<bool> run(uint64_t most_cycles) override;
  Status begin(std::string_view port, const Command& command) override;
  Result<bool> end_command(uint64_t most_cycles) override;
  bool is_busy() const override { return !activities_.front().calls.empty(); }
  std::vector<uint8_t> take_reply() override { return std::exchange(reply_, {}); }
  Result<bool> tick() override;
  Result<bool> is_interrupted() const override;
  Diagnostic deadlock() const override;

  uint64_t cycles() const override { return cycles_; }
  const Behaviour& behaviour() const override { return behaviour_; }
  const Elements& elements(size_t state) const override { return elements_[state]; }
  void use_memory(size_t state, uint8_t* bytes) override { elements_[state].use(bytes); }
  /// Tells a recorder, which has to live as long, of what happens from now on.
  void record(Recorder& recorder);
  /// Statements, calls, terms of sums and elements of arrays in all cycles, and activities in each of them.
  uint64_t work() const { return work_; }

 private:
  struct Call {
    const std::vector<Code>* code = nullptr;
    const Instruction* instruction = nullptr;  ///< null: a process's own statements
    uint32_t at = 0;
    std::vector<int64_t> frame;
  };
  struct Write {
    uint32_t state = 0;
    int64_t at = 0;
    int64_t value = 0;
  };
  /// The host's command, or a process.
  struct Activity {
    std::string name;
    std::vector<Call> calls;
    std::vector<Write> writes;  ///< of the step
    int64_t remaining = 0;      ///< cycles of the step
  };
  struct Fifo {
    std::deque<std::vector<int64_t>> items;
    std::vector<std::vector<int64_t>> pushed;  ///< in this cycle
    size_t taken = 0;                          ///< before this cycle, and pushed in it
  };

  bool cycle();
  size_t track_of(const Activity& activity) const { return static_cast<size_t>(&activity - activities_.data()); }
  bool advance(Activity& activity);
  /// Does one statement; false if it waits or a step has begun.
  bool one(Activity& activity, const Code& code);
  void assign(Activity& activity, const Code& code, int64_t* frame);
  bool goes(const Code& code, int64_t* frame);
  bool pop(const Code& code, int64_t* frame);
  bool push(const Code& code, int64_t* frame);
  void execute(Activity& activity, const Code& code);
  void reply(const Code& code, int64_t* frame);
  void enter(Activity& activity, const Instruction& instruction, const std::vector<uint8_t>& bits);
  bool waits_for_time() const;
  bool asks() const;
  bool go_on();
  void begin_on(const Port& port, const std::vector<uint32_t>& among, const Command& command);

  Behaviour behaviour_;
  std::vector<Elements> elements_;
  std::vector<Fifo> queues_;
  std::vector<int64_t> waiting_;  ///< items of each queue before the cycle
  Values values_;
  std::vector<Activity> activities_;  ///< the host's command first
  std::vector<uint8_t> reply_;
  uint64_t cycles_ = 0, work_ = 0;
  std::optional<Diagnostic> stopped_;
  Recorder* recorder_ = nullptr;
};

}  // namespace covenant::acg::behaviour
