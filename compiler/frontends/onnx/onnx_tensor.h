/// Converts ONNX tensors (protobuf) to params.
#pragma once

#include <optional>
#include <string>

#include "acg/base/result.h"
#include "compiler/srdfg/graph.h"

namespace onnx {
class TensorProto;
}

namespace covenant::compiler::frontend {

/// A tensor or value of more elements is refused: no network for these machines has one, hostile files do.
inline constexpr uint64_t kMostElements = uint64_t{1} << 30;

/// Our dtype for an ONNX element type; int64 (which shapes are made of) becomes i32. nullopt: not supported.
std::optional<DType> dtype_of(int32_t onnx_type);
std::string onnx_type_name(int32_t onnx_type);

/// A param called `name`. ONX0003: data in another file; ONX0005: dtype; ONX0011: data that does not fit the shape, an
/// int64 beyond 32 bits, too many elements.
Result<srdfg::Value> read_tensor(const onnx::TensorProto& tensor, const std::string& name);

}  // namespace covenant::compiler::frontend
