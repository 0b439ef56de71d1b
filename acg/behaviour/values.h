/// The state of a machine, and the values of expressions over it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/recorder.h"

namespace covenant::acg::behaviour {

/// Elements up to which a state with initial values other than 0 has them in its memory.
inline constexpr int64_t kMostFilled = int64_t{1} << 20;

/// Work of cycles, and activities in each of them, after which it is asked whether a machine is still wanted: some
/// milliseconds of an evaluator.
inline constexpr uint64_t kMostUnasked = uint64_t{1} << 14;

/// The elements of a state, and which of them have been written. Memory that is not touched costs nothing.
class Elements {
 public:
  explicit Elements(const State& state);

  int64_t size() const { return size_; }
  bool is_written(int64_t at) const { return all_written_ || ((written_.get()[at / 8] >> (at % 8)) & 1U) != 0; }
  int64_t get(int64_t at) const;
  void set(int64_t at, int64_t value);
  /// The elements in memory, each of 1, 2, 4 or 8 bytes, the lowest first.
  uint8_t* data() { return bytes_; }
  const uint8_t* data() const { return bytes_; }
  /// A bit for each, which says whether it has been written, and 8 bytes more; null if all have been.
  uint8_t* written() { return all_written_ ? nullptr : written_.get(); }
  const uint8_t* written() const { return all_written_ ? nullptr : written_.get(); }
  /// Has the elements lie in another memory, which has to live as long; all of them have been written.
  void use(uint8_t* memory);
  /// Bytes of one of them.
  int64_t width() const { return width_; }

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  using Bytes = std::unique_ptr<uint8_t, Free>;
  static Bytes zeros(int64_t count);

  int64_t size_;
  int64_t width_;  ///< bytes of an element
  std::vector<int64_t> initial_;
  Type type_;
  bool all_written_;
  Bytes own_, written_;
  uint8_t* bytes_;  ///< its own, or those of another memory
};

/// BEH0039: the computer has no memory for the elements of the machine's states. Functions that open a machine give it
/// where `Elements` throws std::bad_alloc.
Diagnostic no_memory_for(const Behaviour& behaviour);

/// Values of expressions; reads the elements and never changes them. Throws Failure: BEH0032 (an index past an array),
/// BEH0033 (an element that was never written), BEH0034 (division by 0, logarithm of what is not positive), BEH0037
/// (too much work in a cycle), BEH0055 (`ask`).
class Values {
 public:
  /// `waiting` are the items of each queue before the cycle.
  Values(const Behaviour& behaviour, const std::vector<Elements>& elements, const std::vector<int64_t>& waiting,
         const uint64_t& cycles)
      : behaviour_(behaviour), elements_(elements), waiting_(waiting), cycles_(cycles) {}

  /// Begins a cycle, in which only so much may be computed: a text of few words can ask for more than anyone waits for.
  void begin_cycle() const { go_on_after(0); }
  /// Has this asked where a cycle is much work, whether it is still wanted. Has to live as long.
  void ask(const std::function<bool()>& goes_on) { goes_on_ = &goes_on; }
  /// Tells a recorder of calls and saturations from now on; null: none.
  void record(Recorder* recorder) { recorder_ = recorder; }
  /// Goes on within a cycle in which so much has been computed.
  void go_on_after(uint64_t done) const {
    done_ = done;
    unasked_ = std::min(done + kMostUnasked, kMostWork);
  }
  uint64_t done() const { return done_; }
  /// Counts a statement, a term of a sum, a call, or numbers that are computed, copied or cleared.
  void spend(const SourceLocation& where, uint64_t count = 1) const {
    done_ += count;
    if (done_ > unasked_) pause(where);
  }

  int64_t number(const Expression& expression, int64_t* frame) const;
  /// All elements of an array, or the one number.
  std::vector<int64_t> all(const Expression& expression, int64_t* frame) const;
  /// Place of the first element that indices (expressions from `first` on) select in an array of `type`.
  int64_t place(const std::vector<Expression>& indices, size_t first, const Type& type, int64_t* frame) const;

 private:
  static constexpr uint64_t kMostWork = uint64_t{1} << 24;

  [[noreturn]] void throw_too_much(const SourceLocation& where) const;
  void pause(const SourceLocation& where) const;
  int64_t of_two(const Expression& expression, int64_t left, int64_t right) const;
  int64_t sum(const Expression& expression, int64_t* frame) const;
  int64_t read(const Expression& expression, int64_t at) const;
  int64_t saturate(const Expression& expression, int64_t value) const;
  std::vector<int64_t> call(const Expression& expression, int64_t* frame) const;
  /// The type of what a name stands for, before its indices.
  const Type& type_of_state(const Expression& expression) const { return behaviour_.states[expression.index].type; }

  const Behaviour& behaviour_;
  const std::vector<Elements>& elements_;
  const std::vector<int64_t>& waiting_;
  const uint64_t& cycles_;
  Recorder* recorder_ = nullptr;
  const std::function<bool()>* goes_on_ = nullptr;
  mutable uint64_t done_ = 0;                ///< in this cycle
  mutable uint64_t unasked_ = kMostUnasked;  ///< work up to which nothing is asked
};

}  // namespace covenant::acg::behaviour
