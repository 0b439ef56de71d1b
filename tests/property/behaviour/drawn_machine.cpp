#include "tests/property/behaviour/drawn_machine.h"

#include <fmt/format.h>
#include <random>
#include <vector>

namespace covenant::acg::testing {
namespace {

/// A name that expressions may read: a number, or an array of one or two dimensions.
struct Name {
  std::string text;
  std::string type;
  std::vector<int> shape;
};

class Drawing {
 public:
  explicit Drawing(uint64_t seed) : random_(seed) {}

  std::string machine() {
    std::string text = "acg drawn { clock = 1 GHz; port bus { address = 8; data = 64; } stream words { data = 16; }\n";
    for (int i = 0; i < 5; ++i) text += state(i);
    text += "table t : i8[8] = [3, -1, 4, 1, -5, 9, 2, 6];\n";
    for (int i = 0; i < 2; ++i) {
      text += fmt::format("queue q{} : i16{} {{ depth = {}; }}\n", i, i == 0 ? "" : "[4]", 1 + below(3));
    }
    text += "queue ws : u8[2] { depth = 2; }\n";
    for (int i = 0; i < 3; ++i) text += function(i);
    for (int i = 0; i < 4; ++i) text += instruction(i, "bus");
    for (int i = 4; i < 6; ++i) text += instruction(i, "words");
    text +=
        "instruction send on bus { fields { w : u8[2] at 0; } decode = write and address == 9; "
        "update { push(ws, w); } }\n";
    text += "instruction get on bus { decode = read and address == 10; update { reply = " + number(2) + "; } }\n";
    text += "instruction row on bus { decode = read and address == 11; update { reply = [k in 0..7 : wrap(u8, " +
            in_loop("k", 1) + ")]; } }\n";
    text += "process p { " + block(3, true) + "step { } }\n";
    text += "process r { let v = pop(q0); push(q1, [k in 0..3 : wrap(i16, v + k)]); step { } }\n";
    text +=
        "process s { wait items(q1) > 0 or cycle % 16 == 0; if items(q1) > 0 { let w = pop(q1); step { s0 = wrap(i16, "
        "w[2]); } } else { step { cycles = 3; } } }\n";
    text += "process x { let w = pop(ws); step { } execute(w, i4, i5); }\n";
    const std::string given = "push(q0, wrap(i16, " + number(1) + ")); ";
    const std::string guarded = "if room(q0) > 0 { " + given + "} ";
    text += "process y { " + (below(2) == 0 ? given : guarded) + assignment(true) + " }\n";
    text += "process z { " + everything() + " step { cycles = 7; } }\n";
    return text + "interrupt = " + condition(1) + ";\n}\n";
  }

 private:
  uint64_t below(uint64_t count) { return random_() % count; }
  template <typename Item>
  const Item& one_of(const std::vector<Item>& items) {
    return items[below(items.size())];
  }

  /// s0 is always there, a number that has a value.
  std::string state(int index) {
    static const std::vector<std::string> types{"i16", "u8", "i8", "i32", "u5", "i13", "bool", "u32", "i48"};
    Name made{fmt::format("s{}", index), index == 0 ? "i16" : one_of(types), {}};
    for (uint64_t i = index == 0 ? 0 : below(3); i > 0; --i) made.shape.push_back(2 + static_cast<int>(below(9)));
    std::string text = fmt::format("state {} : {}", made.text, made.type);
    for (const int size : made.shape) text += fmt::format("[{}]", size);
    const bool has_value = index == 0 || below(4) != 0;
    text += has_value ? fmt::format(" = {};\n", made.type == "bool" ? below(2) : below(16)) : ";\n";
    names_.push_back(made);
    states_.push_back(made);
    return text;
  }

  std::string function(int index) {
    const std::vector<Name> before = names_;
    names_.push_back({"a", "i16", {}});
    names_.push_back({"b", "i16", {}});
    std::string text = fmt::format("function f{}(a : i16, b : i16) : i32 {{ let c = {};", index, number(1));
    names_.push_back({"c", "", {}});
    text += fmt::format(" return wrap(i32, {}); }}\n", number(2));
    names_ = before;
    functions_ = index + 1;
    return text;
  }

  std::string instruction(int index, const std::string& port) {
    const std::vector<Name> before = names_;
    std::string text = fmt::format("instruction i{} on {} {{ fields {{ op : u4 at 0; ", index, port);
    if (port == "bus") text += "m : i8 at 8; n : u4[4] at 16; ";
    text +=
        fmt::format("}} decode = {}op == {}; update {{ ", port == "bus" ? "write and address in 1..4 and " : "", index);
    if (port == "bus") {
      names_.push_back({"m", "i8", {}});
      names_.push_back({"n", "u4", {4}});
    }
    text += block(2, port == "bus") + "} }\n";
    names_ = before;
    return text;
  }

  std::string block(int statements, bool may_push) {
    const std::vector<Name> before = names_;
    std::string text;
    for (int i = 0; i < statements; ++i) text += statement(2, may_push);
    names_ = before;
    return text;
  }

  std::string statement(int depth, bool may_push) {
    const uint64_t kind = below(depth > 0 ? 8 : 4);
    if (kind == 0) {
      const std::string name = fmt::format("l{}", ++locals_);
      std::string text;
      if (below(3) == 0) {
        text = fmt::format("let {} = [k in 0..5 : {}]; ", name, in_loop("k", 1));
        names_.push_back({name, "", {6}});
      } else {
        text = fmt::format("let {} = {}; ", name, number(2));
        names_.push_back({name, "", {}});
      }
      return text;
    }
    if (kind < 4) return below(2) == 0 ? assignment(true) : step();
    if (kind == 4)
      return fmt::format("if {} {{ {}}} else {{ {}}} ", condition(1), block(1, may_push), block(1, may_push));
    if (kind == 5) {
      const std::string name = fmt::format("l{}", ++locals_);
      const std::vector<Name> before = names_;
      const std::string high = below(2) == 0 ? std::to_string(below(4)) : fmt::format("({})[1:0]", number(1));
      names_.push_back({name, "u4", {}});
      std::string text = fmt::format("for {} in 0..{} {{ {}}} ", name, high, block(2, may_push));
      names_ = before;
      return text;
    }
    if (kind == 6 && may_push) return fmt::format("push(q0, wrap(i16, {})); ", number(1));
    if (below(20) == 0) return fmt::format("if {} {{ fault \"drawn\"; }} ", condition(2));
    return step();
  }

  std::string step() {
    std::string text = "step { ";
    if (below(4) == 0) text += fmt::format("cycles = {}; ", below(5));
    for (uint64_t i = below(3) + 1; i > 0; --i) text += assignment(true);
    if (below(4) == 0) {
      const std::string name = fmt::format("l{}", ++locals_);
      const std::vector<Name> before = names_;
      names_.push_back({name, "u3", {}});
      text += fmt::format("for {} in 0..{} {{ {}}} ", name, 1 + below(6), assignment(true));
      names_ = before;
    }
    return text + "} ";
  }

  /// To a number, to an element, or to a row.
  std::string assignment(bool may_be_row) {
    const Name& to = one_of(states_);
    std::string place = to.text;
    const size_t indices = to.shape.empty() || !may_be_row || below(2) == 0 ? to.shape.size() : to.shape.size() - 1;
    for (size_t i = 0; i < indices; ++i) place += fmt::format("[{}]", index(to.shape[i], "", 1));
    if (indices == to.shape.size()) return fmt::format("{} = {}; ", place, fitted(to, number(2)));
    const int count = to.shape.back();
    return fmt::format("{} = [k in 0..{} : {}]; ", place, count - 1, fitted(to, in_loop("k", 2)));
  }

  std::string fitted(const Name& to, const std::string& value) {
    if (to.type == "bool") return fmt::format("({}) > 3", value);
    return fmt::format("{}({}, {})", below(2) == 0 ? "wrap" : "saturate", to.type, value);
  }

  /// Reads and writes all states, so that none is refused.
  std::string everything() {
    std::string text = "step { ";
    for (const Name& state : states_) {
      std::string place = state.text;
      for (const int size : state.shape) place += fmt::format("[{}]", below(static_cast<uint64_t>(size)));
      text += fmt::format("{} = s0 > 1 ? {} : 1; ", place, state.text == "s0" ? "0" : place);
    }
    return text + "} ";
  }

  /// An index that is most often within an array, and follows `variable` if there is one.
  std::string index(int size, const std::string& variable, int depth) {
    if (!variable.empty()) {
      const uint64_t kind = below(6);
      if (kind < 3) return variable;
      if (kind == 3) return fmt::format("{} + ({})[0:0]", variable, number(0));
      if (kind == 4) return fmt::format("wrap(u3, {} + {})", variable, number(0));
    }
    const uint64_t kind = below(8);
    if (kind < 4) return std::to_string(below(static_cast<uint64_t>(size)));
    if (kind < 7) return fmt::format("({})[{}:0]", number(depth - 1), size > 7 ? 2 : size > 3 ? 1 : 0);
    return fmt::format("({})[3:0]", number(depth - 1));
  }

  std::string leaf(const std::string& variable) {
    if (!variable.empty() && below(4) == 0) return variable;
    if (below(4) == 0) return std::to_string(below(40));
    if (below(12) == 0) return fmt::format("t[{}]", index(8, variable, 0));
    if (below(16) == 0) return below(2) == 0 ? "items(q0)" : "wrap(i16, cycle)";
    const Name& name = one_of(names_);
    std::string text = name.text;
    for (const int size : name.shape) text += fmt::format("[{}]", index(size, variable, 0));
    return name.type == "i48" || name.type.empty() ? fmt::format("wrap(i20, {})", text) : text;
  }

  std::string condition(int depth) {
    static const std::vector<std::string> operators{"<", "<=", "==", "!=", ">", ">="};
    std::string one = fmt::format("{} {} {}", number(depth), one_of(operators), below(20));
    if (below(3) != 0) return one;
    return fmt::format("({} {} not ({} > 2))", one, below(2) == 0 ? "and" : "or", number(0));
  }

  std::string number(int depth) { return drawn("", depth); }
  std::string in_loop(const std::string& variable, int depth) { return drawn(variable, depth); }

  std::string drawn(const std::string& variable, int depth) {
    if (depth <= 0) return leaf(variable);
    const auto inner = [&] { return drawn(variable, depth - 1); };
    static const std::vector<std::string> operators{"+", "-", "*", "&", "|"};
    switch (below(14)) {
      case 0:
      case 1:
      case 2:
        return fmt::format("({} {} {})", inner(), one_of(operators), inner());
      case 3:
        return fmt::format("wrap({}{}, {})", below(2) == 0 ? 'i' : 'u', 4 + below(28), inner());
      case 4:
        return fmt::format("saturate(i{}, {})", 4 + below(28), inner());
      case 5:
        return fmt::format("({} ? {} : {})",
                           variable.empty() ? condition(0) : fmt::format("{} > {}", inner(), below(9)), inner(),
                           inner());
      case 6:
        return fmt::format("({} >> {})", inner(), below(8));
      case 7:
        return fmt::format("wrap(i16, {} / ({})[1:0])", inner(), inner());
      case 8:
        return fmt::format("({} % {})", inner(), 1 + below(9));
      case 9:
      case 10: {
        const std::string name = fmt::format("l{}", ++locals_);
        const std::string high = below(3) == 0 ? fmt::format("({})[2:0]", inner()) : std::to_string(below(8));
        return fmt::format("sum({} in {}..{} : {})", name, below(2), high, drawn(name, depth - 1));
      }
      case 11:
        return fmt::format("{}({}, {})", below(2) == 0 ? "min" : "max", inner(), inner());
      case 12:
        if (functions_ == 0) return inner();
        return fmt::format("f{}(wrap(i16, {}), wrap(i16, {}))", below(static_cast<uint64_t>(functions_)), inner(),
                           inner());
      default:
        return fmt::format("log2(max({}, {}))", inner(), below(8) == 0 ? 0 : 1);
    }
  }

  std::mt19937_64 random_;
  std::vector<Name> names_, states_;
  int functions_ = 0;
  int locals_ = 0;
};

}  // namespace

std::string drawn_machine(uint64_t seed) { return Drawing(seed).machine(); }

}  // namespace covenant::acg::testing
