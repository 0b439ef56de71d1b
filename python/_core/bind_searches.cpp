/// Python bindings of the scalar search for embeddings.
#include <optional>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>

#include "acg/base/check.h"
#include "compiler/embedding/scalar/effort.h"
#include "compiler/embedding/scalar/portfolio.h"
#include "python/_core/bind.h"

namespace covenant::python {
namespace {

namespace py = pybind11;
using namespace py::literals;  // pybind11's own idiom for keyword arguments
namespace scalar = compiler::embedding::scalar;

/// Searches a convolution for the first embedding of GEMM of 1x16x16 under strict rules.
py::dict search_convolution(int64_t channels, int64_t pixels, int64_t taps, const std::string& layout,
                            const std::string& strategy, bool sums_are_instances, uint64_t most_nodes) {
  const std::optional<scalar::Strategy> named = scalar::strategy_named(strategy);
  check(named.has_value(), "a strategy that there is not");
  scalar::ScalarSearch search;
  {
    const py::gil_scoped_release released;
    const scalar::SumDomain sums = sums_are_instances ? scalar::SumDomain::kInstances : scalar::SumDomain::kElements;
    const scalar::Problem problem =
        scalar::problem_of(scalar::convolution(channels, pixels, taps), scalar::row_of_16x16(), {}, sums);
    search = scalar::search_scalars(problem, *named, scalar::order_in(layout), {.most_nodes = most_nodes});
  }
  return py::dict("nodes"_a = search.effort.nodes, "fails"_a = search.effort.fails, "depth"_a = search.effort.depth,
                  "assets"_a = search.assets, "found"_a = search.solution.has_value(),
                  "complete"_a = search.is_complete);
}

}  // namespace

void bind_searches(py::module_& core) {
  core.def("search_convolution", &search_convolution, "channels"_a, "pixels"_a, "taps"_a, "layout"_a, "strategy"_a,
           "sums_are_instances"_a, "most_nodes"_a);
}

}  // namespace covenant::python
