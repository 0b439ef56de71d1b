/// Converts tensors and records to and from numpy arrays.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include "acg/isa/retire_record.h"
#include "runtime/session/tensor.h"

namespace covenant::python {

/// Precondition: contiguous, row-major, native byte order (the package sees to it).
runtime::Tensor to_tensor(const std::string& name, const pybind11::array& array);
/// One tensor for each entry, by name.
std::vector<runtime::Tensor> to_tensors(const pybind11::dict& arrays);

pybind11::array to_array(const runtime::Tensor& tensor);
/// Arrays by name.
pybind11::dict to_arrays(const std::vector<runtime::Tensor>& tensors);

/// uint64[commands, 11]: the columns of covenant.runtime.result.RECORD_FIELDS.
pybind11::array_t<uint64_t> to_array(const std::vector<acg::RetireRecord>& records);

}  // namespace covenant::python
