#include "compiler/frontends/onnx/onnx_tensor.h"

#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <onnx/onnx_pb.h>

#include "acg/base/packed_elements.h"
#include "compiler/frontends/onnx/refusal.h"
#include "compiler/srdfg/queries.h"

namespace covenant::compiler::frontend {
namespace {

static_assert(std::endian::native == std::endian::little, "data of params is little-endian, as raw_data of ONNX is");

Diagnostic bad_data(const std::string& name, std::string message, std::string offending) {
  return diagnostic({.code = kTensorData,
                     .subject = name,
                     .message = std::move(message),
                     .offending = std::move(offending),
                     .allowed = {},
                     .fix = "the file is damaged or was written by a faulty tool: export the model again"});
}

template <typename Stored, typename Field>
std::vector<uint8_t> narrowed(const Field& field) {
  std::vector<uint8_t> data(static_cast<size_t>(field.size()) * sizeof(Stored));
  for (int i = 0; i < field.size(); ++i) {
    const auto element = static_cast<Stored>(field.Get(i));
    std::memcpy(data.data() + static_cast<size_t>(i) * sizeof(Stored), &element, sizeof(Stored));
  }
  return data;
}

/// Later versions of ONNX number these element types so (TensorProto.DataType, ONNX 1.16).
constexpr int32_t kOnnxU4 = 21;
constexpr int32_t kOnnxI4 = 22;

/// The bytes of the tensor as the file has them: int64 still 8 bytes wide, two elements of 4 bits in each.
std::vector<uint8_t> stored_bytes(const onnx::TensorProto& tensor) {
  if (tensor.has_raw_data()) return {tensor.raw_data().begin(), tensor.raw_data().end()};
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT:
      return narrowed<float>(tensor.float_data());
    case onnx::TensorProto::INT8:
      return narrowed<int8_t>(tensor.int32_data());
    case onnx::TensorProto::UINT8:
    case kOnnxI4:
    case kOnnxU4:
      return narrowed<uint8_t>(tensor.int32_data());
    case onnx::TensorProto::INT16:
      return narrowed<int16_t>(tensor.int32_data());
    case onnx::TensorProto::UINT16:
      return narrowed<uint16_t>(tensor.int32_data());
    case onnx::TensorProto::INT32:
      return narrowed<int32_t>(tensor.int32_data());
    default:
      return narrowed<int64_t>(tensor.int64_data());
  }
}

/// int64 -> i32, if every element fits. The largest and the smallest int64 mean "to the end" (of a Slice), and so do
/// those of an i32.
std::optional<std::vector<uint8_t>> halved(const std::vector<uint8_t>& wide) {
  std::vector<uint8_t> data(wide.size() / 2);
  for (size_t i = 0; i < wide.size() / 8; ++i) {
    int64_t element;
    std::memcpy(&element, wide.data() + i * 8, 8);
    constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
    if (element >= kEnd - 1) element = std::numeric_limits<int32_t>::max();
    if (element <= -kEnd) element = std::numeric_limits<int32_t>::min();
    if (element < std::numeric_limits<int32_t>::min() || element > std::numeric_limits<int32_t>::max()) {
      return std::nullopt;
    }
    const auto cut = static_cast<int32_t>(element);
    std::memcpy(data.data() + i * 4, &cut, 4);
  }
  return data;
}

}  // namespace

std::optional<DType> dtype_of(int32_t onnx_type) {
  switch (onnx_type) {
    case onnx::TensorProto::FLOAT:
      return DType::kF32;
    case onnx::TensorProto::INT8:
      return DType::kI8;
    case onnx::TensorProto::UINT8:
      return DType::kU8;
    case onnx::TensorProto::INT16:
      return DType::kI16;
    case onnx::TensorProto::UINT16:
      return DType::kU16;
    case kOnnxI4:
      return DType::kI4;
    case kOnnxU4:
      return DType::kU4;
    case onnx::TensorProto::INT32:
    case onnx::TensorProto::INT64:
      return DType::kI32;
    default:
      return std::nullopt;
  }
}

std::string onnx_type_name(int32_t onnx_type) {
  if (onnx_type == kOnnxI4) return "INT4";
  if (onnx_type == kOnnxU4) return "UINT4";
  constexpr std::array<const char*, 4> kOfEightBits{"FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ"};
  constexpr int32_t kFirst = 17;  // of these, ONNX 1.14
  if (onnx_type >= kFirst && onnx_type < kFirst + 4) return kOfEightBits.at(static_cast<size_t>(onnx_type - kFirst));
  if (!onnx::TensorProto_DataType_IsValid(onnx_type)) return fmt::format("element type {}", onnx_type);
  return onnx::TensorProto_DataType_Name(static_cast<onnx::TensorProto_DataType>(onnx_type));
}

Result<srdfg::Value> read_tensor(const onnx::TensorProto& tensor, const std::string& name) {
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL || tensor.external_data_size() > 0) {
    return diagnostic(
        {.code = kExternalData,
         .subject = name,
         .message = "the tensor's data is in another file",
         .offending = "external data",
         .allowed = {"data inside the model file"},
         .fix = "save the model in one file: onnx.save(onnx.load(path), path, save_as_external_data=False)"});
  }
  const auto dtype = dtype_of(tensor.data_type());
  if (!dtype) {
    return diagnostic(
        {.code = kDtype,
         .subject = name,
         .message = "the tensor's element type is not supported",
         .offending = onnx_type_name(tensor.data_type()),
         .allowed = {"FLOAT", "INT4", "UINT4", "INT8", "UINT8", "INT16", "UINT16", "INT32", "INT64 (constant shapes)"},
         .fix = "quantise to 8 bits (QuantType.QInt8 or QuantType.QUInt8), from a float32 model"});
  }
  srdfg::Value value{.name = name, .dtype = *dtype, .modifier = srdfg::Modifier::kParam};
  uint64_t count = 1;
  for (int64_t extent : tensor.dims()) {
    if (extent < 0 || extent > static_cast<int64_t>(kMostElements)) {
      return bad_data(name, "a dimension is negative or too large", fmt::format("{}", extent));
    }
    count *= static_cast<uint64_t>(extent);
    if (count > kMostElements) return bad_data(name, "the tensor has too many elements", fmt::format("{}", count));
    value.shape.push_back(static_cast<uint64_t>(extent));
  }
  const bool wide = tensor.data_type() == onnx::TensorProto::INT64;
  value.data = stored_bytes(tensor);
  if (value.data.size() != (wide ? count * 8 : packed_bytes(*dtype, count))) {
    return bad_data(name,
                    fmt::format("the tensor holds {} bytes, not what its shape {} needs", value.data.size(),
                                shape_text(value.shape)),
                    fmt::format("{} bytes", value.data.size()));
  }
  value.data = unpacked(*dtype, value.data, wide ? 2 * count : count);
  if (wide) {
    auto data = halved(value.data);
    if (!data) return bad_data(name, "an int64 constant does not fit 32 bits", "");
    value.data = std::move(*data);
  }
  return value;
}

}  // namespace covenant::compiler::frontend
