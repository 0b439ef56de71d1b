/// The host's work at the model's boundary: first and last (de)quantisation, and the order of the elements in memory,
/// which the strides of the tensor's binding give. It does nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "acg/program/program.h"
#include "runtime/session/tensor.h"

namespace covenant::runtime {

/// ONNX QuantizeLinear as ONNX Runtime computes it: clamp(rint(value / scale) + zero_point) to the range of
/// `dtype`, `rint` half to even, NaN as the lowest value.
int32_t quantize(float value, const acg::Quantization& quantization, DType dtype);

/// ONNX DequantizeLinear: f32(stored - zero_point) * scale.
float dequantize(int32_t stored, const acg::Quantization& quantization);

/// The bytes of a tensor in its layout in off-chip memory, padding included. Precondition: dtype and shape of `tensor`
/// are those of the binding (f32 if the host quantises; or a dtype that holds it).
std::vector<uint8_t> to_memory(const acg::TensorBinding& binding, const Tensor& tensor);

/// The same over bytes that begin at the binding's address.
void put_padded(const acg::TensorBinding& binding, const Tensor& tensor, std::span<uint8_t> stored);

/// Only the elements, over bytes that begin at the binding's address. Precondition: as to_memory.
void put(const acg::TensorBinding& binding, const Tensor& tensor, std::span<uint8_t> stored);

/// The inverse: `stored` begins at the binding's address.
Tensor from_memory(const acg::TensorBinding& binding, std::span<const uint8_t> stored);

/// The model's element type: f32 if the host quantises.
DType model_dtype(const acg::TensorBinding& binding);

/// The type that holds one unpacked element: i8 or u8 for elements of less than a byte.
DType held_as(DType dtype);
/// True if a tensor of type `given` can be used for one of `wanted`: the same type, or the one that holds its elements.
bool holds(DType given, DType wanted);

}  // namespace covenant::runtime
