#include "sim/sc/accelerator.h"

#include <cstring>
#include <utility>

#include "acg/graph/queries.h"
#include "platform/register_access.h"
#include "platform/report.h"
#include "sim/sc/accelerator_host.h"

namespace covenant::sc {

Accelerator::Accelerator(const sc_core::sc_module_name& name, acg::Machine machine, uint32_t first_port,
                         const AcceleratorOptions& options)
    : sc_core::sc_module(name),
      registers("registers"),
      interrupt("interrupt"),
      reset_n("reset_n"),
      host_(std::make_unique<Host>(std::move(machine), sim::sc::RunnerOptions{first_port, options.outstanding},
                                   interrupt, reset_n)) {
  registers.register_b_transport(this, &Accelerator::b_transport);
  registers.register_transport_dbg(this, &Accelerator::transport_dbg);
}

Accelerator::~Accelerator() = default;

void Accelerator::before_end_of_elaboration() { check_resolution(*this); }

const acg::Machine& Accelerator::machine() const { return host_->machine(); }

std::vector<tlm::tlm_initiator_socket<>*> Accelerator::memory_sockets(std::string_view memory) {
  return host_->memory_sockets(memory);
}

uint32_t Accelerator::port_count() const { return static_cast<uint32_t>(acg::engines(machine()).size()) + 1; }

void Accelerator::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  // Accesses to registers depend on their time: the caller must not run ahead of the kernel.
  if (delay != sc_core::SC_ZERO_TIME) {
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  transaction.set_dmi_allowed(false);
  transaction.set_response_status(check_register_access(transaction));
  if (transaction.is_response_error()) return;
  uint32_t value = 0;
  if (transaction.is_write()) {
    std::memcpy(&value, transaction.get_data_ptr(), kRegisterBytes);
    if (!host_->write32(transaction.get_address(), value, strobes_of(transaction))) {
      transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
  } else if (transaction.is_read()) {
    const std::optional<uint32_t> read = host_->read32(transaction.get_address());
    if (!read) return transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    std::memcpy(transaction.get_data_ptr(), &*read, kRegisterBytes);
  }
}

/// Reads registers, and changes nothing.
unsigned int Accelerator::transport_dbg(tlm::tlm_generic_payload& transaction) {
  if (!transaction.is_read() || check_register_access(transaction) != tlm::TLM_OK_RESPONSE) return 0;
  const std::optional<uint32_t> read = host_->read32(transaction.get_address());
  if (!read) return 0;
  std::memcpy(transaction.get_data_ptr(), &*read, kRegisterBytes);
  return kRegisterBytes;
}

}  // namespace covenant::sc
