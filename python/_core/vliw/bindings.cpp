#include "python/_core/vliw/bindings.h"

#include <pybind11/numpy.h>

#include "python/_core/vliw/bind_executables.h"
#include "python/_core/vliw/packet_profile.h"
#include "sim/vliw/packet_result.h"

namespace covenant::python {
namespace {

namespace py = pybind11;

/// uint64[packets, 14]: the columns of covenant.runtime.result.PACKET_RECORD_FIELDS.
py::array_t<uint64_t> to_array(const std::vector<acg::PacketRecord>& records) {
  constexpr size_t kColumns = 14;
  py::array_t<uint64_t> array({records.size(), kColumns});
  uint64_t* out = array.mutable_data();
  for (const acg::PacketRecord& r : records) {
    for (const uint64_t value : {uint64_t{r.block}, r.sequence, uint64_t{r.address}, r.issue, r.run, r.retire,
                                 r.stalls.registers, r.stalls.queue, r.stalls.branches, r.stalls.vector_registers,
                                 r.stalls.vector_loads, r.digest, r.stalls.turn, r.stalls.vector_units}) {
      *out++ = value;
    }
  }
  return array;
}

void add_result(py::dict& run, const sim::FamilyResult* own) {
  static const sim::PacketResult none;
  const auto* const packets = dynamic_cast<const sim::PacketResult*>(own);
  const sim::PacketResult& result = packets == nullptr ? none : *packets;
  run["packet_records"] = to_array(result.records);
  run["profile"] = to_python(result.profile);
}

}  // namespace

constinit const FamilyBindings kVliwBindings{.bind = &bind_executables, .add_result = &add_result};

}  // namespace covenant::python
