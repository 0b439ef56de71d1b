#include "compiler/families/vliw/scalar_pointers.h"

#include "acg/base/check.h"

namespace covenant::compiler::vliw {

Name ScalarPointers::at(const Address& address, int64_t step) {
  check(address.steps.size() == loops_.size(), "an address has a step for every open loop");
  const Name name = writer_.scalar(static_cast<int32_t>(address.first));
  if (!loops_.empty()) loops_.back().pointers.push_back({name, address.steps, step});
  return name;
}

void ScalarPointers::close(std::vector<CodeStep>& body) {
  const OpenLoop loop = std::move(loops_.back());
  loops_.pop_back();
  for (Pointer pointer : loop.pointers) {
    const int64_t wanted = pointer.steps[loops_.size()], missing = wanted - pointer.moved;
    if (missing != 0) {
      writer_.add(body, acg::VliwOperation::kA2Addi, {pointer.name, pointer.name, static_cast<int32_t>(missing)});
    }
    pointer.moved = wanted * loop.trips;
    if (!loops_.empty()) loops_.back().pointers.push_back(std::move(pointer));
  }
}

}  // namespace covenant::compiler::vliw
