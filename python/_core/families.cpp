#include "python/_core/families.h"

#include <array>

#include "python/_core/stream/bindings.h"
#include "python/_core/vliw/bindings.h"

namespace covenant::python {
namespace {

constexpr std::array<const FamilyBindings*, 2> kFamilies{&kStreamBindings, &kVliwBindings};

}  // namespace

void bind_families(pybind11::module_& core) {
  for (const FamilyBindings* family : kFamilies) family->bind(core);
}

void add_family_results(pybind11::dict& run, const sim::FamilyResult* own) {
  for (const FamilyBindings* family : kFamilies) {
    if (family->add_result != nullptr) family->add_result(run, own);
  }
}

}  // namespace covenant::python
