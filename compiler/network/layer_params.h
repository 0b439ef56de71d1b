/// Params of layers: reading and setting them.
#pragma once

#include <string>

#include "compiler/network/network.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler {

/// An integer param. Precondition: the layer has it.
inline int64_t param(const NetworkLayer& layer, const std::string& name) {
  return std::get<int64_t>(layer.layer.params.at(name));
}

/// The same, of a param that is a number of something.
inline uint64_t count(const NetworkLayer& layer, const std::string& name) {
  return static_cast<uint64_t>(param(layer, name));
}

inline void set_count(NetworkLayer& layer, const std::string& name, uint64_t value) {
  layer.layer.params[name] = static_cast<int64_t>(value);
}

inline void set_real(NetworkLayer& layer, const std::string& name, float value) {
  layer.layer.params[name] = codelet::Constant{DType::kF32, 0, value};
}

/// The zero point of a stored value.
inline int32_t zero_point(const srdfg::Value& value) { return value.quantization.value().zero_points.at(0); }

/// LOWEST and HIGHEST, of a node that clamps.
inline void set_range(const srdfg::Node& node, NetworkLayer& layer) {
  layer.layer.params["LOWEST"] = srdfg::integer_attribute(node, "lowest");
  layer.layer.params["HIGHEST"] = srdfg::integer_attribute(node, "highest");
}

}  // namespace covenant::compiler
