/// Names of element types in numpy.
#pragma once

#include <string>

#include "acg/base/dtype.h"

namespace covenant::python {

/// "int8", "uint32", "float32"; for elements of less than a byte, the type that holds an unpacked one.
inline std::string numpy_name(DType dtype) {
  const DTypeInfo& entry = info(dtype);
  return (entry.is_float ? "float" : entry.is_signed ? "int" : "uint") + std::to_string(8 * bytes(dtype));
}

}  // namespace covenant::python
