#include "compiler/frontends/onnx/expand.h"

#include <algorithm>
#include <fmt/format.h>
#include <onnx/onnx_pb.h>

#include "acg/base/failure.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;
using srdfg::Value;
using Integers = std::vector<int64_t>;

const AttributeProto* attribute(const NodeProto& node, const char* name) {
  for (const AttributeProto& one : node.attribute()) {
    if (one.name() == name) return &one;
  }
  return nullptr;
}

int64_t integer_in(const NodeProto& node, const char* name, int64_t otherwise) {
  const AttributeProto* found = attribute(node, name);
  return found == nullptr || found->type() != AttributeProto::INT ? otherwise : found->i();
}

void set_integers(NodeProto& node, const char* name, const Integers& numbers) {
  AttributeProto& made = *node.add_attribute();
  made.set_name(name);
  made.set_type(AttributeProto::INTS);
  for (const int64_t number : numbers) made.add_ints(number);
}

class Expander {
 public:
  Expander(const NodeProto& node, const Value& x, const std::map<std::string, const Value*>& constants)
      : node_(node), shape_(x.shape.begin(), x.shape.end()), constants_(constants) {}

  std::vector<NodeProto> run() {
    if (node_.op_type() == "Split") split();
    if (node_.op_type() == "Gather") pick();
    if (node_.op_type() == "DepthToSpace") spread();
    if (node_.op_type() == "SpaceToDepth") gather();
    return std::move(made_);
  }

 private:
  [[noreturn]] void contradiction(std::string message, std::string offending) const {
    throw Failure{malformed({.name = name(), .operation = node_.op_type(), .body = {}}, std::move(message),
                            std::move(offending))};
  }

  std::string name() const { return node_.name().empty() && node_.output_size() > 0 ? node_.output(0) : node_.name(); }

  /// The name of a constant with these elements.
  std::string constant(const std::string& wanted, const Integers& numbers) {
    NodeProto& made = made_.emplace_back();
    made.set_op_type("Constant");
    made.set_name(wanted);
    made.add_output(wanted);
    set_integers(made, "value_ints", numbers);
    return wanted;
  }

  NodeProto& node(const char* operation, const std::string& input, const std::string& output) {
    NodeProto& made = made_.emplace_back();
    made.set_op_type(operation);
    made.set_name(output == node_.output(0) ? name() : output);
    made.add_input(input);
    made.add_output(output);
    return made;
  }

  /// The second input, which gives `what`.
  const Value& second(const char* what) const {
    const auto found = constants_.find(node_.input(1));
    const bool is_constant = found != constants_.end() && found->second->modifier == srdfg::Modifier::kParam &&
                             found->second->dtype == DType::kI32;
    if (is_constant) return *found->second;
    throw Failure{diagnostic({.code = kDynamicShape,
                              .subject = fmt::format("{} ({})", name(), node_.op_type()),
                              .message = fmt::format("the {} are computed, not constant", what),
                              .offending = node_.input(1),
                              .allowed = {fmt::format("constant {}", what)},
                              .fix = "fold constants first, for example with quant_pre_process"})};
  }

  Integers parts(int64_t extent) const {
    const int64_t count = node_.output_size();
    if (const AttributeProto* stated = attribute(node_, "split")) return {stated->ints().begin(), stated->ints().end()};
    if (node_.input_size() > 1 && !node_.input(1).empty()) {
      return srdfg::integer_elements(second("sizes of the parts"));
    }
    if (count == 0) return {};
    // Parts are equal; the last one is smaller if they do not divide the dimension.
    const int64_t each = (extent + count - 1) / count;
    Integers result(static_cast<size_t>(count), each);
    result.back() = extent - each * (count - 1);
    return result;
  }

  int64_t stated_axis() const {
    const auto rank = static_cast<int64_t>(shape_.size());
    const int64_t axis = integer_in(node_, "axis", 0);
    if (axis < -rank || axis >= rank) contradiction("axis is outside the shape", fmt::format("{}", axis));
    return axis < 0 ? axis + rank : axis;
  }

  /// Elements `first`, first + step, ... before `end` along one dimension.
  NodeProto& slice(const std::string& output, int64_t axis, int64_t first, int64_t end, int64_t step) {
    const std::string starts = constant(output + "/starts", {first});
    const std::string ends = constant(output + "/ends", {end});
    const std::string axes = constant(output + "/axes", {axis});
    const std::string steps = constant(output + "/steps", {step});
    NodeProto& made = node("Slice", node_.input(0), output);
    for (const std::string& input : {starts, ends, axes, steps}) made.add_input(input);
    return made;
  }

  /// Equally spaced indices become a Slice, unless they are all there are; several of those are concatenated.
  void pick() {
    const int64_t axis = stated_axis();
    const int64_t extent = shape_[static_cast<size_t>(axis)];
    const Value& stated = second("indices");
    Integers indices = srdfg::integer_elements(stated);
    for (int64_t& index : indices) {
      if (index < -extent || index >= extent) contradiction("an index is outside the shape", fmt::format("{}", index));
      if (index < 0) index += extent;
    }
    if (indices.empty()) contradiction("there is no index", "none");
    const std::string& output = node_.output(0);
    const std::string picked = stated.shape.size() == 1 ? output : output + "/picked";
    std::vector<std::string> runs;
    for (size_t first = 0, next = 0; first < indices.size(); first = next) {
      next = first + 1;
      const int64_t step = next < indices.size() ? indices[next] - indices[first] : 1;
      while (step > 0 && next < indices.size() && indices[next] - indices[next - 1] == step) ++next;
      const bool is_all = first == 0 && next == indices.size();
      if (!is_all && indices[first] == 0 && indices[next - 1] + 1 == extent && step == 1) {
        runs.push_back(node_.input(0));
        continue;
      }
      runs.push_back(is_all ? picked : fmt::format("{}/{}", output, runs.size()));
      slice(runs.back(), axis, indices[first], indices[next - 1] + 1, std::max<int64_t>(1, step));
    }
    if (runs.size() > 1) {
      NodeProto& whole = node("Concat", runs[0], picked);
      for (size_t i = 1; i < runs.size(); ++i) whole.add_input(runs[i]);
      AttributeProto& along = *whole.add_attribute();
      along.set_name("axis");
      along.set_type(AttributeProto::INT);
      along.set_i(axis);
    }
    if (stated.shape.size() == 1) return;
    Integers shape(shape_.begin(), shape_.begin() + axis);
    shape.insert(shape.end(), stated.shape.begin(), stated.shape.end());
    shape.insert(shape.end(), shape_.begin() + axis + 1, shape_.end());
    const std::string wanted = constant(output + "/shape", shape);
    node("Reshape", picked, output).add_input(wanted);
  }

  void split() {
    const int64_t axis = stated_axis();
    const int64_t extent = shape_[static_cast<size_t>(axis)];
    const Integers sizes = parts(extent);
    if (sizes.size() != static_cast<size_t>(node_.output_size())) {
      contradiction("there is not one size for each result", fmt::format("{} sizes", sizes.size()));
    }
    int64_t first = 0;
    for (int i = 0; i < node_.output_size(); ++i) {
      const int64_t size = sizes[static_cast<size_t>(i)];
      const std::string& output = node_.output(i);
      if (size < 1 || size > extent - first) {
        contradiction("the parts are not those of the dimension", fmt::format("{} of {}", size, extent));
      }
      NodeProto& made = slice(output, axis, first, first + size, 1);
      if (i > 0) made.set_name(fmt::format("{}/{}", name(), i));
      first += size;
    }
    if (first != extent) contradiction("the parts are not those of the dimension", fmt::format("{}", first));
  }

  int64_t block() const {
    const int64_t size = integer_in(node_, "blocksize", 0);
    if (size < 1 || size > (1 << 15)) contradiction("a block has at least one element", fmt::format("{}", size));
    if (shape_.size() != 4) contradiction("only images [N,C,H,W] have blocks", fmt::format("rank {}", shape_.size()));
    return size;
  }

  void turn(const Integers& first, const Integers& permutation, const Integers& last) {
    const std::string& output = node_.output(0);
    const std::string parts = constant(output + "/parts", first);
    const std::string shape = constant(output + "/shape", last);
    node("Reshape", node_.input(0), output + "/blocks").add_input(parts);
    set_integers(node("Transpose", output + "/blocks", output + "/turned"), "perm", permutation);
    node("Reshape", output + "/turned", output).add_input(shape);
  }

  void spread() {
    const int64_t size = block();
    const int64_t channels = shape_[1] / (size * size);
    if (channels * size * size != shape_[1])
      contradiction("blocks do not divide the channels", fmt::format("{}", size));
    const AttributeProto* mode = attribute(node_, "mode");
    const bool is_crd = mode != nullptr && mode->s() == "CRD";
    const Integers last{shape_[0], channels, shape_[2] * size, shape_[3] * size};
    if (is_crd) {
      turn({shape_[0], channels, size, size, shape_[2], shape_[3]}, {0, 1, 4, 2, 5, 3}, last);
    } else {
      turn({shape_[0], size, size, channels, shape_[2], shape_[3]}, {0, 3, 4, 1, 5, 2}, last);
    }
  }

  void gather() {
    const int64_t size = block();
    if (shape_[2] % size != 0 || shape_[3] % size != 0) {
      contradiction("blocks do not divide rows or columns", fmt::format("{}", size));
    }
    const int64_t rows = shape_[2] / size;
    const int64_t columns = shape_[3] / size;
    turn({shape_[0], shape_[1], rows, size, columns, size}, {0, 3, 5, 1, 2, 4},
         {shape_[0], size * size * shape_[1], rows, columns});
  }

  const NodeProto& node_;
  const Integers shape_;
  const std::map<std::string, const Value*>& constants_;
  std::vector<NodeProto> made_;
};

}  // namespace

bool is_expanded(const std::string& operation) {
  return operation == "Split" || operation == "Gather" || operation == "DepthToSpace" || operation == "SpaceToDepth";
}

Result<std::vector<NodeProto>> expanded(const NodeProto& node, const Value& x,
                                        const std::map<std::string, const Value*>& constants) {
  return guarded<std::vector<NodeProto>>([&] { return Expander(node, x, constants).run(); });
}

}  // namespace covenant::compiler::frontend
