#include "tests/property/codelet/random_codelet.h"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

#include "acg/lang/load.h"
#include "tests/support/acg/edges.h"

namespace covenant::compiler::testing {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Constant;
using codelet::Expression;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Surrogate;
using codelet::SurrogateKind;

int64_t between(Random& random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

template <typename T>
T pick(Random& random, const std::vector<T>& choices) {
  return choices[static_cast<size_t>(between(random, 0, static_cast<int64_t>(choices.size()) - 1))];
}

/// One loop of a nest.
struct Dimension {
  std::string variable;
  int64_t extent = 1;
};

class Generator {
 public:
  Generator(Random& random, const Abilities& abilities) : random_(random), abilities_(abilities) {}

  Codelet make() {
    codelet_.name = "random";
    const int64_t nests = between(random_, 0, 3) == 0 ? between(random_, 2, 3) : 1;
    for (int64_t i = 0; i < nests; ++i) nest();
    return std::move(codelet_);
  }

 private:
  bool chance(int64_t one_in) { return between(random_, 1, one_in) == 1; }

  void nest() {
    std::vector<int> kinds{0, 0};
    if (!abilities_.reduce_max.empty()) kinds.push_back(1);
    if (!abilities_.reduce_sum.empty()) kinds.push_back(2);
    if (abilities_.has_gemm) kinds.insert(kinds.end(), {3, 3});
    switch (pick(random_, kinds)) {
      case 1:
        return reduction("REDUCE_MAX", pick(random_, abilities_.reduce_max), std::nullopt);
      case 2:
        return reduction("REDUCE_SUM", pick(random_, abilities_.reduce_sum), DType::kI32);
      case 3:
        return gemm();
      default:
        return elementwise();
    }
  }

  std::string name(const char* prefix) { return prefix + std::to_string(++names_); }

  std::string declare(SurrogateKind kind, std::vector<int64_t> shape, DType dtype) {
    Surrogate surrogate;
    surrogate.kind = kind;
    surrogate.name = name(kind == SurrogateKind::kInp ? "in" : kind == SurrogateKind::kOut ? "out" : "tmp");
    surrogate.shape.assign(shape.begin(), shape.end());
    surrogate.dtype = dtype;
    codelet_.surrogates.push_back(surrogate);
    return surrogate.name;
  }

  std::vector<Dimension> dimensions(int64_t count) {
    std::vector<Dimension> result;
    for (int64_t i = 0; i < count; ++i) result.push_back({name("v"), between(random_, 1, i + 1 == count ? 40 : 6)});
    return result;
  }

  static std::vector<int64_t> shape_of(const std::vector<Dimension>& dimensions) {
    std::vector<int64_t> shape;
    for (const Dimension& one : dimensions) shape.push_back(one.extent);
    return shape;
  }
  static std::vector<Expression> indices_of(const std::vector<Dimension>& dimensions) {
    std::vector<Expression> indices;
    for (const Dimension& one : dimensions) indices.push_back(Expression::variable(one.variable));
    return indices;
  }

  static std::vector<Operation> wrap(const std::vector<Dimension>& loops, std::vector<Operation> body) {
    for (size_t i = loops.size(); i-- > 0;) {
      body = {{Loop{loops[i].variable, 0, loops[i].extent, 1, std::move(body)}, {}}};
    }
    return body;
  }
  void append(std::vector<Operation> body) {
    codelet_.body.insert(codelet_.body.end(), std::make_move_iterator(body.begin()),
                         std::make_move_iterator(body.end()));
  }

  /// A new input that is read at the loops' variables; leading dimensions may be shifted, strided, fixed or of size 1.
  Reference input_at(const std::vector<Dimension>& dimensions, DType dtype) {
    std::vector<int64_t> shape = shape_of(dimensions);
    std::vector<Expression> indices = indices_of(dimensions);
    bool leaves = false;
    for (size_t d = 0; d + 1 < shape.size(); ++d) {
      const int64_t kind = between(random_, 0, 7);
      if (kind == 0) {
        indices[d] = indices[d] * 2;
        shape[d] = shape[d] * 2 - 1;
      } else if (kind == 1) {
        indices[d] = indices[d] + between(random_, -2, 2);
        leaves = true;
      } else if (kind == 2) {
        indices[d] = between(random_, 0, shape[d] - 1);
      }
    }
    const std::string made = declare(SurrogateKind::kInp, shape, dtype);
    if (leaves) {
      codelet_.surrogates.back().has_fill = true;
      codelet_.surrogates.back().fill = between(random_, 0, 5);
    }
    return {made, indices};
  }

  void elementwise() {
    const std::vector<Dimension> loops = dimensions(between(random_, 1, 3));
    const DType dtype = pick(random_, abilities_.elementwise);
    std::vector<Operation> body;
    std::vector<Reference> made;
    const int64_t count = between(random_, 1, 3);
    for (int64_t i = 0; i < count; ++i) {
      Compute compute;
      const bool is_last = i + 1 == count;
      compute.destination = {declare(is_last ? SurrogateKind::kOut : SurrogateKind::kLocal, shape_of(loops), dtype),
                             indices_of(loops)};
      const auto operand = [&] { return !made.empty() && chance(2) ? pick(random_, made) : input_at(loops, dtype); };
      std::vector<std::string> names{"ADD", "SUB", "MUL", "MAX", "MIN", "MOVE"};
      if (abilities_.has_relu) names.insert(names.end(), {"RELU", "RELU"});
      compute.capability = pick(random_, names);
      compute.operands.push_back(made.empty() ? operand() : made.back());
      const bool is_unary = compute.capability == "MOVE" || compute.capability == "RELU";
      const bool takes_constant = compute.capability == "ADD" && dtype == DType::kI32 && abilities_.constants;
      if (!is_unary && takes_constant && chance(2)) {
        compute.operands.push_back(Constant{DType::kI32, between(random_, -99, 99), 0});
      } else if (!is_unary) {
        compute.operands.push_back(operand());
      }
      made.push_back(compute.destination);
      body.push_back({compute, {}});
    }
    std::vector<Dimension> order = loops;
    if (chance(2)) std::shuffle(order.begin(), order.end(), random_);
    append(wrap(order, std::move(body)));
  }

  /// y[a, c] = reduction over a window of x[a*stride + k - pad, c].
  void reduction(const char* capability, DType from, std::optional<DType> to) {
    const Dimension rows{name("v"), between(random_, 1, 5)};
    const Dimension columns{name("v"), between(random_, 1, 19)};
    const Dimension window{name("v"), between(random_, 1, 4)};
    const int64_t stride = between(random_, 1, 3);
    const int64_t pad = chance(2) ? between(random_, 0, window.extent - 1) : 0;
    const std::string x =
        declare(SurrogateKind::kInp, {(rows.extent - 1) * stride + window.extent, columns.extent}, from);
    if (pad > 0) codelet_.surrogates.back().has_fill = true;
    const std::string y = declare(SurrogateKind::kOut, {rows.extent, columns.extent}, to.value_or(from));
    Compute compute;
    compute.capability = capability;
    compute.destination = {y, indices_of({rows, columns})};
    compute.operands.push_back(
        Reference{x,
                  {Expression::variable(rows.variable) * stride + Expression::variable(window.variable) - pad,
                   Expression::variable(columns.variable)}});
    std::vector<Dimension> order{rows, columns};
    if (chance(2)) std::swap(order[0], order[1]);
    order.push_back(window);
    if (chance(4)) std::shuffle(order.begin(), order.end(), random_);
    append(wrap(order, {{compute, {}}}));
  }

  void gemm() {
    const Dimension n{name("v"), between(random_, 1, 5)};
    const Dimension o{name("v"), between(random_, 1, 19)};
    const Dimension k{name("v"), between(random_, 1, 19)};
    const std::string x = declare(SurrogateKind::kInp, {n.extent, k.extent}, DType::kI8);
    const std::string w = declare(SurrogateKind::kInp, {k.extent, o.extent}, DType::kI8);
    const std::string b = declare(SurrogateKind::kInp, {o.extent}, DType::kI32);
    const std::string y = declare(SurrogateKind::kOut, {n.extent, o.extent}, DType::kI32);
    Compute compute;
    compute.capability = "GEMM";
    compute.destination = {y, indices_of({n, o})};
    compute.operands = {Reference{x, indices_of({n, k})}, Reference{w, indices_of({k, o})},
                        Reference{b, indices_of({o})}};
    std::vector<Dimension> order{n, o, k};
    if (chance(3)) std::shuffle(order.begin(), order.end(), random_);
    append(wrap(order, {{compute, {}}}));
  }

  Random& random_;
  const Abilities& abilities_;
  Codelet codelet_;
  int names_ = 0;
};

acg::Machine loaded(const Result<acg::Machine>& machine, const std::string& text) {
  if (!machine) throw std::runtime_error(render(machine.error()) + text);
  return *machine;
}

}  // namespace

RandomMachine random_described_machine(Random& random) {
  const std::vector<int64_t> sizes{1, 1, 2, 2, 3, 4, 8};
  const int64_t pads = between(random, 1, 2);
  const bool has_middle = between(random, 0, 2) == 0;
  std::string text = "acg drawn {\n  memory D { kind = offchip; depth = 1M; }\n";
  if (has_middle) text += "  memory L { data_width = 8; depth = 64K; }\n  edge D <-> L { bandwidth = 4096; }\n";
  for (int64_t i = 0; i < pads; ++i) {
    text += fmt::format("  memory S{} {{ data_width = 8; depth = {}; }}\n  edge {} <-> S{} {{ bandwidth = {}; }}\n", i,
                        between(random, 1, 8) * 512, has_middle ? "L" : "D", i, 64 << between(random, 0, 6));
  }
  const int64_t nodes = between(random, 1, 4);
  for (int64_t i = 0; i < nodes; ++i) {
    text += fmt::format("  compute P{} {{ unit = described;\n", i);
    const int64_t at_once = pick(random, sizes);
    for (const char* dtype : {"i8", "i16", "i32"}) {
      for (const char* capability : {"ADD", "SUB", "MUL", "MAX", "MIN"}) {
        // The first node can do everything, the others some of it.
        if (i > 0 && between(random, 0, 2) == 0) continue;
        text += fmt::format("    ({0},{1}) = {2}(({0},{1}),({0},{1}));\n", dtype, at_once, capability);
      }
      for (const char* capability : {"MOVE", "RELU", "REDUCE_MAX"}) {
        if (i > 0 && between(random, 0, 2) == 0) continue;
        text += fmt::format("    ({0},{1}) = {2}(({0},{1}));\n", dtype, at_once, capability);
      }
    }
    if (i == 0) {
      text += fmt::format("    (i32,{0}) = ADD((i32,{0}),(i32,1));\n    (i32,{0}) = REDUCE_SUM((i8,{0}));\n", at_once);
      text += fmt::format("    (i32,{0}) = GEMM((i8,{1}),(i8,{1},{0}),(i32,{0}));\n", at_once, pick(random, sizes));
    }
    text += "  }\n";
    for (int64_t j = 0; j < pads; ++j) {
      // Every node reaches the first scratchpad.
      if (j == 0 || between(random, 0, 1) == 0) text += fmt::format("  edge S{} <-> P{};\n", j, i);
    }
  }
  text += "}\n";
  RandomMachine result{loaded(acg::parse_machine(text, "drawn.acg"), text), {}};
  result.abilities = {{DType::kI8, DType::kI16, DType::kI32}, true,         true,
                      {DType::kI8, DType::kI16, DType::kI32}, {DType::kI8}, true};
  return result;
}

RandomMachine random_genesys_machine(Random& random) {
  const auto text = [&](int64_t low, int64_t high) { return std::to_string(between(random, low, high)); };
  RandomMachine result{loaded(acg::load_machine("genesys", {{"M", text(1, 12)},
                                                            {"N", text(1, 12)},
                                                            {"input_depth", text(8, 64)},
                                                            {"weight_depth", text(4, 32)},
                                                            {"bias_depth", text(2, 8)},
                                                            {"output_depth", text(8, 64)},
                                                            {"vector_depth", text(8, 64)}}),
                              "genesys"),
                       {}};
  // Every other one sends sums off the chip through its lanes.
  if (between(random, 0, 1) == 0) result.machine = test::without_edge(std::move(result.machine), "OBUF", "DRAM");
  result.abilities = {{DType::kI32}, false, true, {DType::kI8, DType::kU8}, {DType::kI8, DType::kU8}, true};
  return result;
}

Codelet random_codelet(Random& random, const Abilities& abilities) { return Generator(random, abilities).make(); }

}  // namespace covenant::compiler::testing
