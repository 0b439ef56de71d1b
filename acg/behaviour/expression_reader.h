/// Reads expressions of behaviours: names are known, and every range is, when an expression has been read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/base/failure.h"
#include "acg/behaviour/behaviour.h"
#include "acg/lang/loop_parser.h"

namespace covenant::acg::behaviour {

/// Most numbers of a local array, and of a number of the machine's memories.
inline constexpr int64_t kMaxLocalElements = 4096;
/// Most names of a kind, and of an update, a process or a function: what has more of them was not written by hand, and
/// takes a reader that looks through them too long.
inline constexpr size_t kMostNames = 4096;
inline constexpr int64_t kMaxStateElements = int64_t{1} << 32;

class ExpressionReader : public lang::LoopParser {
 public:
  /// `parameters` are the values of the machine's parameters.
  ExpressionReader(std::vector<lang::LexedToken> tokens, const std::map<std::string, int64_t>& parameters)
      : LoopParser(std::move(tokens), parameters), constants_(parameters) {}

 protected:
  /// An expression: a number or an array.
  Expression value();
  /// An expression that has to be a number.
  Expression number();
  /// An expression that has one value, between the limits. BEH0005.
  int64_t constant(std::string_view what, int64_t low, int64_t high);
  /// `u8`, `i32[4][16]`, `bool`.
  Type type(int64_t most_elements);
  /// Throws BEH0002 (range) or BEH0004 (shape) unless `value` goes into `type`.
  void require_fits(const Expression& value, const Type& type, const std::string& into) const;
  /// Reads `[index]` as often as there is one; their number decides whether `result` is an array. Throws BEH0004,
  /// BEH0006 (always past the array).
  void indices(Expression& result, const Type& type);

  /// Declares a name of the innermost block; BEH0013 if it is taken.
  Variable declare(const lang::Word& name, const Type& type, const Range& range);
  void require_new(const lang::Word& name) const;
  /// Forgets the names since `names` of them; their slots are never used again.
  void forget_after(size_t names);
  size_t names() const { return locals_.size(); }
  /// Names all members of a record, `name.member`: those of a state, or of the innermost block.
  void name_state_record(const lang::Word& name, uint32_t record, std::vector<int64_t> shape);
  void name_local_record(const lang::Word& name, uint32_t record);
  /// The rest of a state of records, `[0]` or `[0].mode`, that has this name; nothing if there is none.
  std::optional<Expression> record_state(const lang::Word& name);
  /// Bytes of a record, as many as asked for; bits between its members are 0.
  Expression packed(const Expression& record, int64_t bytes) const;
  /// Begins a frame without names.
  void begin_frame();
  /// An expression of this frame as text.
  std::string as_text(const Expression& expression) const;
  /// Numbers that the frame needs.
  uint32_t slots() const { return slots_; }

  std::optional<uint32_t> state(const std::string& name) const;
  std::optional<uint32_t> record(const std::string& name) const;
  uint32_t queue(const lang::Word& name) const { return index_in(behaviour_.queues, name, "no queue has this name"); }
  /// BEH0005: more of something than there may be.
  static Failure too_many(std::string_view what, size_t most, const lang::Word& name);
  Failure unknown(const lang::Word& name, std::string_view what, std::vector<std::string> known) const;
  /// The number of the item that has this name. Throws BEH0001: `what` is wrong.
  template <typename Items>
  uint32_t index_in(const Items& items, const lang::Word& name, std::string_view what) const {
    for (uint32_t i = 0; i < items.size(); ++i) {
      if (items[i].name == name.text) return i;
    }
    std::vector<std::string> known;
    for (const auto& one : items) known.push_back(one.name);
    throw unknown(name, what, std::move(known));
  }

  Behaviour behaviour_;

 private:
  class Nesting;

  Expression either();
  Expression both();
  Expression negation();
  Expression comparison();
  Expression bit_or();
  Expression bit_and();
  Expression shift();
  Expression sum();
  Expression term();
  Expression factor();
  Expression postfix();
  Expression primary();
  Expression named();
  Expression called(const lang::Word& name);
  Expression count_of(Op op, const SourceLocation& where);
  Expression converted(Op op, const SourceLocation& where);
  Expression loop_of(Op op, const SourceLocation& where);
  Expression each(const SourceLocation& where);
  Expression list(const SourceLocation& where);
  std::optional<Expression> local_record(const lang::Word& name) const;
  Expression call(uint32_t function, const SourceLocation& where);
  Expression made(Op op, const SourceLocation& where, std::vector<Expression> operands) const;
  /// Throws ACG0002 for what is so high that it would take the stack of what goes through it.
  void require_low(const Expression& expression) const;
  std::vector<std::string> known_names() const;

  std::map<std::string, int64_t> constants_;
  /// A name of a record; `position` is the number of names before it.
  struct RecordName {
    std::string name;
    uint32_t record = 0;
    std::vector<int64_t> shape;
    size_t position = 0;
  };

  std::vector<Variable> locals_;
  std::vector<Variable> frame_;  ///< all names of the frame, those of blocks that have ended too
  std::vector<RecordName> state_records_, local_records_;
  uint32_t slots_ = 0;
  int depth_ = 0;
};

}  // namespace covenant::acg::behaviour
