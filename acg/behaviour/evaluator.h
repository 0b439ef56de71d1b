/// Runs a behaviour cycle by cycle, as its text says: the definition that generated code is compared with.
///
/// In a cycle, the update of the host's command and every process goes on to the end of its next step, or to where it
/// waits for a queue. All of them read the state before the cycle; what they write and push comes with its end, in the
/// order of the text. So the order in which they are run does not matter.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/result.h"
#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/decode.h"
#include "acg/behaviour/values.h"

namespace covenant::acg::behaviour {

/// BEH0037: the machine does not ask for its host within so many cycles.
Diagnostic no_interrupt(const std::string& machine, uint64_t cycles);

class Evaluator {
 public:
  explicit Evaluator(Behaviour behaviour);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Executes a command on a port; what is read, or nothing. A command takes at least a cycle. Errors: BEH0030 to
  /// BEH0037; after one of BEH0032 to BEH0035, each further command gives it again.
  Result<std::vector<uint8_t>> command(std::string_view port, const Command& command);
  /// Runs until the machine asks for its host, or for so many cycles; whether it asks. Errors: BEH0036 if nothing can
  /// go on, with where each process waits; those of `command`.
  Result<bool> run(uint64_t most_cycles);
  /// As `run`, but BEH0037 if the machine does not ask.
  Status wait_for_interrupt(uint64_t most_cycles);

  uint64_t cycles() const { return cycles_; }
  const Behaviour& behaviour() const { return behaviour_; }
  /// All elements of a state.
  const Elements& elements(size_t state) const { return elements_[state]; }

 private:
  struct Call {
    const std::vector<Code>* code = nullptr;
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

  bool tick();
  bool cycle();
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
  bool is_interrupted() const;
  bool waits_for_time() const;
  Diagnostic deadlock() const;
  std::vector<uint8_t> run(const Port& port, const std::vector<uint32_t>& among, const Command& command);

  Behaviour behaviour_;
  std::vector<Elements> elements_;
  std::vector<Fifo> queues_;
  std::vector<int64_t> waiting_;  ///< items of each queue before the cycle
  Values values_;
  std::vector<Activity> activities_;  ///< the host's command first
  std::vector<uint8_t> reply_;
  uint64_t cycles_ = 0;
  std::optional<Diagnostic> stopped_;
};

}  // namespace covenant::acg::behaviour
