/// Inputs and outputs of programs as Python's dictionaries.
#pragma once

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <vector>

#include "acg/program/program.h"
#include "python/_core/common/numpy_name.h"

namespace covenant::python {

inline pybind11::dict tensor_object(const acg::TensorBinding& tensor) {
  using namespace pybind11::literals;  // pybind11's own idiom for keyword arguments
  return pybind11::dict("name"_a = tensor.name,
                        "stored_dtype"_a = numpy_name(tensor.model_dtype.value_or(tensor.dtype)),
                        "shape"_a = tensor.shape, "host_quantizes"_a = tensor.host_quantizes,
                        "scale"_a = tensor.quantization.scale, "zero_point"_a = tensor.quantization.zero_point);
}

inline pybind11::list tensor_objects(const std::vector<acg::TensorBinding>& tensors) {
  pybind11::list list;
  for (const acg::TensorBinding& tensor : tensors) list.append(tensor_object(tensor));
  return list;
}

inline pybind11::list state_pairs(const std::vector<acg::StateTensor>& state) {
  pybind11::list pairs;
  for (const acg::StateTensor& one : state) pairs.append(pybind11::make_tuple(one.output, one.input));
  return pairs;
}

}  // namespace covenant::python
