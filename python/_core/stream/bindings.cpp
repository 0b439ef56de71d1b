/// Python bindings of what only programs of stream machines have: buffers, and bounds of their blocks.
#include "python/_core/stream/bindings.h"

#include <optional>
#include <pybind11/stl.h>

#include "compiler/families/stream/block_bound.h"
#include "compiler/families/stream/buffer_use.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments

py::object block_bound(const acg::Program& program, size_t block) {
  const std::optional<compiler::stream::Bound> bound = compiler::stream::block_bound(program, block);
  if (!bound) return py::none();
  return py::dict("cycles"_a = bound->cycles, "busiest"_a = bound->busiest, "fixed"_a = bound->fixed,
                  "limited_by"_a = bound->limited_by);
}

void bind(py::module_& core) {
  core.def("buffer_use", &compiler::stream::buffer_use, "program"_a, "block"_a);
  core.def("block_bound", &block_bound, "program"_a, "block"_a);
}

}  // namespace

constinit const FamilyBindings kStreamBindings{.bind = &bind};

}  // namespace covenant::python
