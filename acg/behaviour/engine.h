/// Machines of a behaviour that run: what a host, a device of a platform or a tool drives, whatever carries it out.
///
/// In a cycle, the update of the host's command and every process goes on to the end of its next step, or to where it
/// waits. All of them read the state before the cycle; what they write and push comes with its end, in the order of the
/// text. So the order in which they are run does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/base/result.h"
#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/decode.h"
#include "acg/behaviour/values.h"

namespace covenant::acg::behaviour {

/// BEH0037: the machine does not ask for its host within so many cycles.
Diagnostic no_interrupt(const std::string& machine, uint64_t cycles);
/// BEH0037: a command has not ended within so many cycles.
Diagnostic no_end(const std::string& machine, const Command& command, uint64_t cycles);
/// BEH0055: who has asked for it no longer wants it. `place` is where the cycle is left half done, if it is.
Diagnostic unwanted(const std::string& machine, const SourceLocation& place = {});

/// Where the host's command or a process stands.
struct Standing {
  std::string name;
  const Code* code;
};

/// The thing that a statement may have to wait for, "an item in loads", if it may.
std::optional<std::string> waited_for(const Behaviour& behaviour, const Code& code);
/// BEH0036: nothing can go on; names what each of these waits for.
Diagnostic waits_for_ever(const Behaviour& behaviour, const std::vector<Standing>& all);
/// BEH0035: a `fault` of the machine's text.
Diagnostic faulted(const Code& code, const std::string& activity);

/// BEH0031: the machine has no such port.
Diagnostic no_port(const Behaviour& behaviour, std::string_view name);
/// Throws Failure BEH0031 for a command of another width than the port's.
void require_width(const Behaviour& behaviour, const Port& port, const Command& command);

class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Has `goes_on` asked many times a second from now on, in `command`, `run` and `end_command`. Where it is false they
  /// give BEH0055: the machine is then as it was after its last cycle, and a command is still under way; or, if a
  /// single cycle takes long, it has stopped within it, and gives this again.
  virtual void ask(std::function<bool()> goes_on) { goes_on_ = std::move(goes_on); }

  /// Executes a command on a port; what is read, or nothing. A command takes at least a cycle, and waits until the one
  /// before has ended. Errors: BEH0030 to BEH0037, BEH0055; after one of BEH0032 to BEH0036, each further command gives
  /// it again. BEH0037 also if it takes more than so many cycles, with what is left of the one before: as long as that
  /// has not ended, which `run` lets it do, each further command gives it again.
  Result<std::vector<uint8_t>> command(std::string_view port, const Command& command,
                                       uint64_t most_cycles = UINT64_MAX);
  /// Runs until the machine asks for its host, or for so many cycles; whether it asks. Errors: BEH0036 if nothing can
  /// go on, with where each process waits; those of `command`.
  virtual Result<bool> run(uint64_t most_cycles) = 0;
  /// As `run`, but BEH0037 if the machine does not ask.
  Status wait_for_interrupt(uint64_t most_cycles);

  /// Begins a command, which the next cycles carry out. Precondition: not `is_busy()`. Errors: BEH0030, BEH0031.
  virtual Status begin(std::string_view port, const Command& command) = 0;
  /// Runs until no command is under way, or for so many cycles; whether none is. Errors: as `command`.
  virtual Result<bool> end_command(uint64_t most_cycles) = 0;
  /// Whether a command has begun that has not ended.
  virtual bool is_busy() const = 0;
  /// Data that the last command has read, as many bytes as its port has, or nothing if it was a write. Gives it once.
  virtual std::vector<uint8_t> take_reply() = 0;
  /// A cycle. Returns whether anything has gone on; if not, only the host can change that. Errors: BEH0030, BEH0032 to
  /// BEH0035, BEH0037; the machine has then stopped and gives it again.
  virtual Result<bool> tick() = 0;
  /// Whether the machine asks for its host. Errors: BEH0032 to BEH0034.
  virtual Result<bool> is_interrupted() const = 0;
  /// The diagnostic BEH0036, with where each process waits.
  virtual Diagnostic deadlock() const = 0;

  /// Cycles since the start.
  virtual uint64_t cycles() const = 0;
  virtual const Behaviour& behaviour() const = 0;
  /// All elements of a state: what was written by the end of the last cycle.
  virtual const Elements& elements(size_t state) const = 0;
  /// Has an off-chip state lie in `bytes`, which are as many as it has elements, from now on. All of them count as
  /// written.
  virtual void use_memory(size_t state, uint8_t* bytes) = 0;

 protected:
  /// Counts work, of which `is_wanted` asks after every so much.
  void spend(uint64_t work) { unasked_ += work; }
  /// Whether what runs is still wanted.
  bool is_wanted();
  const std::function<bool()>& goes_on() const { return goes_on_; }

 private:
  std::function<bool()> goes_on_;
  uint64_t unasked_ = 0;                ///< work since it was asked
  std::optional<Diagnostic> given_up_;  ///< why the command that is under way was
};

}  // namespace covenant::acg::behaviour
