#include "compiler/frontends/onnx/products.h"

#include "acg/base/check.h"
#include "compiler/srdfg/queries.h"
#include "compiler/srdfg/windows.h"

namespace covenant::compiler::frontend {
namespace {

using srdfg::Modifier;
using srdfg::Node;
using srdfg::Value;
using srdfg::ValueId;
using Shape = std::vector<uint64_t>;

/// Both operands as stacks of matrices, and the stack of their products.
struct Stacks {
  Shape a;  ///< with the dimensions of a matrix last
  Shape b;
  Shape many;  ///< dimensions of the result in front of its matrices

  bool has_one_right() const { return srdfg::element_count({b.begin(), b.end() - 2}) == 1; }
};

/// Nothing if the shapes make no product.
std::optional<Stacks> find_stacks(Shape a, Shape b) {
  if (a.empty() || b.empty()) return std::nullopt;
  if (a.size() == 1) a.insert(a.begin(), 1);
  if (b.size() == 1) b.push_back(1);
  auto many = srdfg::broadcast({a.begin(), a.end() - 2}, {b.begin(), b.end() - 2});
  if (!many || a.back() != b.end()[-2]) return std::nullopt;
  return Stacks{std::move(a), std::move(b), std::move(*many)};
}

Stacks stacks_of(const Shape& a, const Shape& b) {
  std::optional<Stacks> stacks = find_stacks(a, b);
  check(stacks.has_value(), "the shapes of a product have been inferred");
  return std::move(*stacks);
}

/// A movement of `id` to `shape`, if it has another one.
ValueId moved(Normalizing& normalizing, const std::string& name, const char* operation, ValueId id, const Shape& shape,
              std::map<std::string, srdfg::Attribute> attributes = {}) {
  Value made = normalizing.graph.get(id);
  if (made.shape == shape) return id;
  made.shape = shape;
  made.modifier = Modifier::kState;
  made.name += "/matrices";
  return normalizing.add_movement(name, operation, id, std::move(made), std::move(attributes));
}

/// The stack as [G,rows,columns], its matrices repeated where `many` has more.
ValueId stacked(Normalizing& normalizing, const std::string& name, ValueId id, const Shape& stack, const Shape& many) {
  Shape alike(many.size() + 2 - stack.size(), 1);
  alike.insert(alike.end(), stack.begin(), stack.end());
  Shape whole = many;
  whole.insert(whole.end(), stack.end() - 2, stack.end());
  std::vector<int64_t> factors;
  for (size_t d = 0; d < whole.size(); ++d) factors.push_back(static_cast<int64_t>(whole[d] / alike[d]));
  ValueId made = id;
  if (alike != whole) {
    made = moved(normalizing, name + "/rank", "reshape", made, alike);
    made = moved(normalizing, name + "/repeat", "repeat", made, whole, {{"factors", factors}});
  }
  return moved(normalizing, name + "/stack", "reshape", made,
               {srdfg::element_count(many), stack.end()[-2], stack.end()[-1]});
}

}  // namespace

std::optional<Shape> matmul_shape(const Shape& a, const Shape& b) {
  const std::optional<Stacks> stacks = find_stacks(a, b);
  if (!stacks) return std::nullopt;
  Shape shape = stacks->many;
  if (a.size() > 1) shape.push_back(stacks->a.end()[-2]);
  if (b.size() > 1) shape.push_back(stacks->b.back());
  return shape;
}

Shape product_shape(const Shape& a, const Shape& b) {
  const Stacks stacks = stacks_of(a, b);
  const uint64_t count = srdfg::element_count(stacks.many);
  const uint64_t rows = stacks.a.end()[-2];
  if (stacks.has_one_right()) return {1, count * rows, stacks.b.back()};
  return {count, rows, stacks.b.back()};
}

Result<std::vector<ValueId>> product_operands(Normalizing& normalizing, const Node& core, const Layer& layer) {
  std::vector<ValueId> ids;
  for (const Operand& operand : layer.activations) {
    const Result<ValueId> id = connect(normalizing, core, operand);
    if (!id) return id.error();
    ids.push_back(*id);
  }
  const Stacks stacks = stacks_of(normalizing.graph.get(ids[0]).shape, normalizing.graph.get(ids[1]).shape);
  const std::string name = core.name.empty() ? core.operation : core.name;
  if (stacks.has_one_right()) {
    const Shape& a = stacks.a;
    const uint64_t rows = srdfg::element_count(a) / a.back();
    ids[0] = moved(normalizing, name + "/first", "reshape", ids[0], {1, rows, a.back()});
    ids[1] = moved(normalizing, name + "/second", "reshape", ids[1], {1, stacks.b.end()[-2], stacks.b.back()});
    return ids;
  }
  ids[0] = stacked(normalizing, name + "/first", ids[0], stacks.a, stacks.many);
  ids[1] = stacked(normalizing, name + "/second", ids[1], stacks.b, stacks.many);
  return ids;
}

}  // namespace covenant::compiler::frontend
