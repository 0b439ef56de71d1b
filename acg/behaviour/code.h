/// Types, expressions and statements of behaviours.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "acg/base/diagnostic.h"

namespace covenant::acg::behaviour {

/// The lowest and the highest number that an expression can have.
struct Range {
  int64_t low = 0;
  int64_t high = 0;

  bool holds(const Range& other) const { return low <= other.low && other.high <= high; }
};

/// `u8`, `i32`, `bool` (0 or 1), and arrays of them.
struct Type {
  int64_t bits = 64;
  bool is_signed = true;
  std::vector<int64_t> shape;  ///< outer dimension first; empty: a number

  bool is_array() const { return !shape.empty(); }
  /// Numbers that it has.
  int64_t elements() const;
  /// Numbers that one of them can be.
  Range range() const;
};

/// `u8[16]`.
std::string text_of(const Type& type);

enum class Op : uint8_t {
  kConstant,
  kLocal,  ///< slot `index`, at the indices in `children`
  kState,  ///< state `index`, at the indices in `children`
  kCycle,  ///< cycles since the start
  kItems,  ///< items of queue `index` before the cycle
  kRoom,   ///< places of queue `index` that are free before the cycle
  kNegate,
  kInvert,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,  ///< rounds towards minus infinity
  kModulo,  ///< with the sign of the right side
  kShiftLeft,
  kShiftRight,  ///< rounds towards minus infinity
  kAnd,
  kOr,
  kXor,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBoth,
  kEither,
  kNot,
  kConditional,
  kWrap,      ///< into `type`: the lowest bits
  kSaturate,  ///< into `type`: the nearest number
  kMin,
  kMax,
  kLog2,   ///< position of the highest bit of a positive number
  kBits,   ///< bits `value` and above of a number, as many as `type` has
  kSum,    ///< over slot `index` from one child to the next, of the third
  kEach,   ///< an array: over slot `index` from one child to the next, the third
  kList,   ///< an array of the children
  kCall,   ///< function `index`
  kRecord  ///< members of record `index`, only while a text is read
};

struct Expression {
  Op op = Op::kConstant;
  Type type;  ///< its shape counts; bits and sign only in kWrap, kSaturate and kBits, and of arrays
  Range range;
  int64_t value = 0;
  uint32_t index = 0;
  uint32_t height = 1;         ///< operations from here to the farthest leaf
  std::vector<int64_t> whole;  ///< shape of what kLocal names, before its indices
  std::vector<Expression> children;
  SourceLocation where;
};

/// A constant of one value.
Expression constant_of(int64_t value, const SourceLocation& where);

/// A name of a number or an array in the frame of an update, a process or a function.
struct Variable {
  std::string name;
  Type type;
  Range range;
  uint32_t slot = 0;
};

enum class CodeKind : uint8_t {
  kLet,         ///< slot `index` and those after it become expressions[0]
  kAssign,      ///< state `index` at the other expressions becomes expressions[0] when the step ends
  kJump,        ///< to `target`
  kJumpUnless,  ///< to `target` if expressions[0] is 0
  kEndStep,     ///< after as many cycles as expressions[0]
  kPop,         ///< slot `index` and those after it become the oldest of queue `queue`, when there is one
  kPush,        ///< expressions[0] goes into queue `queue`, when there is room
  kWait,        ///< goes on when expressions[0] is not 0
  kExecute,     ///< expressions[0] is executed as one of `instructions`
  kReply,       ///< expressions[0] is what the host reads
  kFault        ///< the machine stops with `text`
};

struct Code {
  CodeKind kind = CodeKind::kLet;
  uint32_t index = 0;
  uint32_t queue = 0;
  uint32_t target = 0;
  std::vector<uint32_t> instructions;
  std::vector<Expression> expressions;
  std::string text;
  SourceLocation where;
};

}  // namespace covenant::acg::behaviour
