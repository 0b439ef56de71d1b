#include "rtl/sc/rtl_accelerator.h"

#include <cstring>
#include <utility>

#include "acg/graph/queries.h"
#include "offchip/clock.h"
#include "platform/register_access.h"
#include "platform/report.h"
#include "rtl/sc/rtl_pins.h"

namespace covenant::sc {

namespace {

sc_core::sc_time period_of(const acg::Machine& machine) {
  return time_of_picoseconds(offchip::Clock::of_frequency(machine.clock_hertz).period);
}

}  // namespace

RtlAccelerator::RtlAccelerator(const sc_core::sc_module_name& name, acg::Machine machine, uint32_t first_port,
                               const rtl::DeviceOptions& options)
    : sc_core::sc_module(name),
      registers("registers"),
      interrupt("interrupt"),
      reset_n("reset_n"),
      machine_(std::move(machine)) {
  check_resolution(*this);
  registers.register_b_transport(this, &RtlAccelerator::b_transport);
  registers.register_transport_dbg(this, &RtlAccelerator::transport_dbg);
  const Result<rtl::DeviceModel> model = rtl::build_device(machine_, options);
  if (!model) {
    report(model.error());
    return;
  }
  pins_ = std::make_unique<Pins>(model->make(), period_of(machine_), first_port, interrupt, reset_n);
}

RtlAccelerator::~RtlAccelerator() = default;

const acg::Machine& RtlAccelerator::machine() const { return machine_; }

std::vector<tlm::tlm_initiator_socket<>*> RtlAccelerator::memory_sockets(std::string_view memory) {
  for (uint32_t index = 0; index < machine_.memories.size(); ++index) {
    const acg::Memory& one = machine_.memories[index];
    if (one.name == memory && one.kind == acg::MemoryKind::kOffchip) return pins_->sockets_of(index);
  }
  return {};
}

uint32_t RtlAccelerator::port_count() const { return static_cast<uint32_t>(acg::engines(machine_).size()) + 1; }

uint64_t RtlAccelerator::clocked() const { return pins_->clocked(); }

void RtlAccelerator::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  // Accesses to registers depend on their time: the caller must not run ahead of the kernel.
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  transaction.set_dmi_allowed(false);
  transaction.set_response_status(check_register_access(transaction));
  if (transaction.is_response_error()) return;
  const uint64_t address = transaction.get_address();
  RegisterPort::Answer answer;
  if (transaction.is_write()) {
    uint32_t value = 0;
    std::memcpy(&value, transaction.get_data_ptr(), kRegisterBytes);
    answer = pins_->write(static_cast<uint32_t>(address), value, strobes_of(transaction));
  } else if (transaction.is_read()) {
    answer = pins_->read(static_cast<uint32_t>(address));
    if (answer.response == rtl::AxiResponse::kOkay) {
      std::memcpy(transaction.get_data_ptr(), &answer.value, kRegisterBytes);
    }
  }
  if (answer.response != rtl::AxiResponse::kOkay) transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

/// Reads registers, and changes nothing.
unsigned int RtlAccelerator::transport_dbg(tlm::tlm_generic_payload& transaction) {
  if (!transaction.is_read() || check_register_access(transaction) != tlm::TLM_OK_RESPONSE) return 0;
  const std::optional<uint32_t> read = pins_->look(static_cast<uint32_t>(transaction.get_address()));
  if (!read) return 0;
  std::memcpy(transaction.get_data_ptr(), &*read, kRegisterBytes);
  return kRegisterBytes;
}

}  // namespace covenant::sc
