#include "acg/behaviour/print.h"

#include <algorithm>
#include <fmt/format.h>

#include "acg/base/check.h"

namespace covenant::acg::behaviour {
namespace {

/// How strongly an operation binds, and what stands between its operands.
struct Form {
  int level = 0;
  const char* symbol = "";
};

constexpr int kUnary = 10, kPrimary = 11;

Form form_of(Op op) {
  switch (op) {
    case Op::kConditional:
      return {0, ""};
    case Op::kEither:
      return {1, "or"};
    case Op::kBoth:
      return {2, "and"};
    case Op::kNot:
      return {3, "not "};
    case Op::kEqual:
      return {4, "=="};
    case Op::kNotEqual:
      return {4, "!="};
    case Op::kLess:
      return {4, "<"};
    case Op::kLessEqual:
      return {4, "<="};
    case Op::kGreater:
      return {4, ">"};
    case Op::kGreaterEqual:
      return {4, ">="};
    case Op::kOr:
      return {5, "|"};
    case Op::kAnd:
      return {6, "&"};
    case Op::kShiftLeft:
      return {7, "<<"};
    case Op::kShiftRight:
      return {7, ">>"};
    case Op::kAdd:
      return {8, "+"};
    case Op::kSubtract:
      return {8, "-"};
    case Op::kMultiply:
      return {9, "*"};
    case Op::kDivide:
      return {9, "/"};
    case Op::kModulo:
      return {9, "%"};
    case Op::kNegate:
      return {kUnary, "-"};
    case Op::kInvert:
      return {kUnary, "~"};
    default:
      return {kPrimary, ""};
  }
}

class Printer {
 public:
  Printer(const Behaviour& behaviour, const std::vector<Variable>& frame) : behaviour_(behaviour), frame_(frame) {}

  std::string text(const Expression& expression, int level = 0) const {
    const Form form = form_of(expression.op);
    const bool is_known =
        expression.range.low == expression.range.high && (form.level < kPrimary || expression.op == Op::kConstant);
    if (is_known) {
      std::string number = fmt::format("{}", expression.range.low);
      return expression.range.low < 0 && level > kUnary ? "(" + number + ")" : number;
    }
    std::string said = form.level == kPrimary ? primary(expression) : operation(expression, form);
    return form.level < level ? "(" + said + ")" : said;
  }

 private:
  std::string operation(const Expression& expression, const Form& form) const {
    const std::vector<Expression>& of = expression.children;
    if (expression.op == Op::kConditional) {
      return fmt::format("{} ? {} : {}", text(of[0], 1), text(of[1]), text(of[2]));
    }
    if (of.size() == 1) return form.symbol + text(of[0], form.level);
    // Comparisons do not follow each other; everything else goes from left to right.
    const int left = form.level == 4 ? 5 : form.level;
    return fmt::format("{} {} {}", text(of[0], left), form.symbol, text(of[1], form.level + 1));
  }

  std::string primary(const Expression& expression) const {
    const std::vector<Expression>& of = expression.children;
    switch (expression.op) {
      case Op::kLocal:
        return local(expression) + indices(of);
      case Op::kState:
        return behaviour_.states[expression.index].name + indices(of);
      case Op::kCycle:
        return "cycle";
      case Op::kItems:
      case Op::kRoom:
        return fmt::format("{}({})", expression.op == Op::kItems ? "items" : "room",
                           behaviour_.queues[expression.index].name);
      case Op::kWrap:
      case Op::kSaturate:
        return fmt::format("{}({}, {})", expression.op == Op::kWrap ? "wrap" : "saturate",
                           behaviour::text_of(expression.type), text(of[0]));
      case Op::kMin:
      case Op::kMax:
      case Op::kXor:
        return fmt::format("{}({})",
                           expression.op == Op::kMin   ? "min"
                           : expression.op == Op::kMax ? "max"
                                                       : "xor",
                           list(of));
      case Op::kLog2:
        return fmt::format("log2({})", text(of[0]));
      case Op::kBits:
        return fmt::format("{}[{}:{}]", text(of[0], kPrimary), expression.value + expression.type.bits - 1,
                           expression.value);
      case Op::kSum:
        return fmt::format("sum({})", loop(expression));
      case Op::kEach:
        return fmt::format("[{}]", loop(expression));
      case Op::kList:
        return fmt::format("[{}]", list(of));
      case Op::kRecord:
        return record(expression);
      default:
        check(expression.op == Op::kCall, "an expression of a behaviour that has been read");
        return fmt::format("{}({})", behaviour_.functions[expression.index].name, list(of));
    }
  }

  /// `setup[0]`: its first member is `setup.mode[0]`.
  std::string record(const Expression& expression) const {
    std::string said = text(expression.children.front());
    const std::string member = "." + behaviour_.records[expression.index].members.front().name;
    return said.erase(said.find(member), member.size());
  }

  std::string loop(const Expression& expression) const {
    const std::vector<Expression>& of = expression.children;
    return fmt::format("{} in {}..{} : {}", name_at(expression.index).name, text(of[0], 5), text(of[1], 5),
                       text(of[2]));
  }

  std::string list(const std::vector<Expression>& of) const {
    std::string said;
    for (const Expression& one : of) said += (said.empty() ? "" : ", ") + text(one);
    return said;
  }

  std::string indices(const std::vector<Expression>& of) const {
    std::string said;
    for (const Expression& one : of) said += "[" + text(one) + "]";
    return said;
  }

  std::string local(const Expression& expression) const { return name_at(expression.index).name; }

  const Variable& name_at(uint32_t slot) const {
    const auto found =
        std::find_if(frame_.begin(), frame_.end(), [&](const Variable& one) { return one.slot == slot; });
    check(found != frame_.end(), "a slot of a name");
    return *found;
  }

  const Behaviour& behaviour_;
  const std::vector<Variable>& frame_;
};

}  // namespace

std::string text_of(const Behaviour& behaviour, const std::vector<Variable>& frame, const Expression& expression) {
  return Printer(behaviour, frame).text(expression);
}

}  // namespace covenant::acg::behaviour
