/// Records what a behaviour does in a run: a track of spans for each process, and counts and ranges of its numbers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "acg/behaviour/behaviour.h"

namespace covenant::acg::behaviour {

/// Cycles of one activity that belong together: an executed word or a command, steps at one place of a process, or a
/// wait.
struct Span {
  uint32_t track = 0;  ///< 0: the host's commands; then the processes
  uint64_t begin = 0;
  uint64_t cycles = 0;
  std::string name;
  uint32_t line = 0;
  bool is_wait = false;
};

/// Numbers that were seen, and how many of them are remarkable.
struct Spread {
  uint64_t count = 0;
  int64_t low = 0;
  int64_t high = 0;
  uint64_t remarkable = 0;

  void add(int64_t value, bool is_remarkable);
};

class Recorder {
 public:
  /// Most spans that are kept; later ones are counted.
  static constexpr size_t kMostSpans = size_t{1} << 22;

  explicit Recorder(const Behaviour& behaviour);

  /// A word or a command begins.
  void executes(const Instruction& instruction);
  /// A step of `cycles` begins; `instruction` is what it belongs to, or null in a process's own statements.
  void steps(size_t track, const Instruction* instruction, const Code& end, uint64_t cycle, uint64_t cycles);
  /// A cycle of waiting at a statement.
  void waits(size_t track, const Code& at, uint64_t cycle);
  void writes(uint32_t state, int64_t value);
  /// A call gave these numbers; `frame` begins with the arguments.
  void calls(uint32_t function, const std::vector<int64_t>& frame, const std::vector<int64_t>& result);
  void saturates(const SourceLocation& where, bool has_changed);

  const std::vector<Span>& spans() const { return spans_; }
  uint64_t spans_left_out() const { return left_out_; }
  /// How often each instruction was executed, and cycles of its steps.
  const std::vector<std::pair<uint64_t, uint64_t>>& instructions() const { return instructions_; }
  /// Numbers written into each state; remarkable are the ends of its type, where it has more than two numbers.
  const std::vector<Spread>& states() const { return states_; }
  /// Results of each function; remarkable are those that are 0 though the first argument is not: numbers that
  /// were flushed to zero.
  const std::vector<Spread>& functions() const { return functions_; }
  /// Each `saturate` by file, line and column: how often it was computed and how often it changed a number.
  const std::map<std::tuple<std::string, uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>>& saturations() const {
    return saturations_;
  }

 private:
  /// Makes the last span of the track longer, if it is of this place and ends here.
  bool goes_on(size_t track, const void* place, uint64_t cycle, uint64_t cycles);
  void add(Span span, const void* place);

  const Behaviour& behaviour_;
  std::vector<Span> spans_;
  /// The last span of a track: where it stands in `spans_`, and what it is of.
  struct Last {
    size_t span = 0;
    const void* place = nullptr;
  };
  std::vector<Last> last_;
  uint64_t left_out_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> instructions_;
  std::vector<Spread> states_, functions_;
  std::map<std::tuple<std::string, uint32_t, uint32_t>, std::pair<uint64_t, uint64_t>> saturations_;
};

}  // namespace covenant::acg::behaviour
