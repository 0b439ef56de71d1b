#include "python/_core/common/arrays.h"

#include <cstring>

#include "acg/base/check.h"
#include "python/_core/common/numpy_name.h"

namespace covenant::python {

namespace py = pybind11;

namespace {

DType dtype_of(const py::array& array) {
  for (const DTypeInfo& entry : kDTypes) {
    if (array.dtype().is(py::dtype(numpy_name(entry.dtype)))) return entry.dtype;
  }
  fail("an array of an element type that the package should have refused");
}

}  // namespace

runtime::Tensor to_tensor(const std::string& name, const py::array& array) {
  runtime::Tensor tensor;
  tensor.name = name;
  tensor.dtype = dtype_of(array);
  for (py::ssize_t i = 0; i < array.ndim(); ++i) tensor.shape.push_back(static_cast<uint64_t>(array.shape(i)));
  tensor.bytes.resize(static_cast<size_t>(array.nbytes()));
  if (!tensor.bytes.empty()) std::memcpy(tensor.bytes.data(), array.data(), tensor.bytes.size());
  return tensor;
}

py::array to_array(const runtime::Tensor& tensor) {
  py::array array(py::dtype(numpy_name(tensor.dtype)), tensor.shape);
  check(static_cast<size_t>(array.nbytes()) == tensor.bytes.size(), "a tensor's bytes fill its shape");
  if (!tensor.bytes.empty()) std::memcpy(array.mutable_data(), tensor.bytes.data(), tensor.bytes.size());
  return array;
}

py::array_t<uint64_t> to_array(const std::vector<acg::RetireRecord>& records) {
  constexpr size_t kColumns = 11;
  py::array_t<uint64_t> array({records.size(), kColumns});
  uint64_t* out = array.mutable_data();
  for (const acg::RetireRecord& r : records) {
    for (const uint64_t value : {uint64_t{r.block}, uint64_t{r.engine}, uint64_t{r.word_index}, r.sequence,
                                 r.word.bits(0, 64), r.issue, r.retire, r.first_port, r.last_port, r.stall, r.digest}) {
      *out++ = value;
    }
  }
  return array;
}

std::vector<runtime::Tensor> to_tensors(const py::dict& arrays) {
  std::vector<runtime::Tensor> tensors;
  for (const auto& [name, array] : arrays) tensors.push_back(to_tensor(py::str(name), py::cast<py::array>(array)));
  return tensors;
}

py::dict to_arrays(const std::vector<runtime::Tensor>& tensors) {
  py::dict arrays;
  for (const runtime::Tensor& tensor : tensors) arrays[py::str(tensor.name)] = to_array(tensor);
  return arrays;
}

}  // namespace covenant::python
