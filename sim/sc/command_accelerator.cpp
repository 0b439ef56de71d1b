#include "sim/sc/command_accelerator.h"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "acg/behaviour/evaluator.h"
#include "platform/report.h"
#include "sim/sc/command_clock.h"
#include "sim/sc/off_chip_memories.h"

namespace covenant::sc {

using acg::behaviour::Command;

/// A port with a socket for each initiator.
struct CommandAccelerator::Port {
  std::string name;
  uint64_t address_bits = 0;
  uint32_t bytes = 0;  ///< of a beat
  std::vector<std::unique_ptr<Socket>> sockets;

  /// Why the port does not take a transaction; TLM_OK_RESPONSE if it does.
  tlm::tlm_response_status status_of(const tlm::tlm_generic_payload& transaction) const;
};

namespace {

bool enables_all(const tlm::tlm_generic_payload& transaction) {
  const unsigned char* const enables = transaction.get_byte_enable_ptr();
  if (enables == nullptr) return true;
  const unsigned int length = std::min(transaction.get_byte_enable_length(), transaction.get_data_length());
  return length != 0 &&
         std::all_of(enables, enables + length, [](unsigned char byte) { return byte == TLM_BYTE_ENABLED; });
}

}  // namespace

tlm::tlm_response_status CommandAccelerator::Port::status_of(const tlm::tlm_generic_payload& transaction) const {
  const uint64_t length = transaction.get_data_length(), width = transaction.get_streaming_width();
  const bool is_whole = length != 0 && length % bytes == 0 && (width >= length || (width != 0 && width % bytes == 0));
  if (transaction.get_data_ptr() == nullptr || !is_whole) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (!enables_all(transaction)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const uint64_t most = (uint64_t{1} << address_bits) - 1;
  const uint64_t last = std::min(length, width) - bytes;  // begin of the last beat
  if (transaction.get_address() > most || last > most - transaction.get_address()) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  return tlm::TLM_OK_RESPONSE;
}

CommandAccelerator::CommandAccelerator(const sc_core::sc_module_name& name, const acg::behaviour::Behaviour& behaviour,
                                       const CommandAcceleratorOptions& options)
    : CommandAccelerator(
          name, [behaviour] { return std::make_unique<acg::behaviour::Evaluator>(behaviour); }, options) {}

CommandAccelerator::CommandAccelerator(const sc_core::sc_module_name& name, MakeEngine make,
                                       const CommandAcceleratorOptions& options)
    : sc_core::sc_module(name),
      interrupt("interrupt"),
      reset_n("reset_n"),
      clock_(std::make_unique<Clock>(std::move(make), interrupt, reset_n)),
      memories_(std::make_unique<OffChipMemories>(clock_->engine().behaviour(), options.memory_bases)) {
  clock_->use(*memories_);
  for (const acg::behaviour::Port& port : clock_->engine().behaviour().ports) {
    if (port.is_stream) continue;
    Port& made = ports_.emplace_back();
    made.name = port.name;
    made.address_bits = static_cast<uint64_t>(port.address_bits);
    made.bytes = static_cast<uint32_t>(port.data_bits / 8);
    for (uint32_t initiator = 0; initiator < options.initiators; ++initiator) {
      const std::string socket = fmt::format("{}_{}", port.name, initiator);
      made.sockets.push_back(std::make_unique<Socket>(socket.c_str()));
      made.sockets.back()->register_b_transport(this, &CommandAccelerator::b_transport,
                                                static_cast<int>(ports_.size()) - 1);
    }
  }
}

CommandAccelerator::~CommandAccelerator() = default;

void CommandAccelerator::before_end_of_elaboration() { check_resolution(*this); }

void CommandAccelerator::start_of_simulation() {
  if (const Status attached = clock_->attach(); !attached) report(attached.error());
}

CommandAccelerator::Socket& CommandAccelerator::socket(std::string_view port, uint32_t initiator) {
  std::vector<std::string> known;
  for (Port& one : ports_) {
    if (one.name == port && initiator < one.sockets.size()) return *one.sockets[initiator];
    for (const auto& socket : one.sockets) known.emplace_back(socket->basename());
  }
  report({"BEH0031",
          {},
          name(),
          "no such port, or fewer initiators",
          fmt::format("{}_{}", port, initiator),
          std::move(known),
          "name a port of the machine; CommandAcceleratorOptions has the number of initiators"});
  return *ports_.front().sockets.front();  // if a report handler returns
}

CommandAccelerator::MemorySocket& CommandAccelerator::memory(std::string_view state) {
  return memories_->socket(state);
}

const std::optional<Diagnostic>& CommandAccelerator::error() const { return clock_->error(); }
const acg::behaviour::Engine& CommandAccelerator::engine() const { return clock_->engine(); }
const sc_core::sc_time& CommandAccelerator::period() const { return clock_->period(); }

void CommandAccelerator::b_transport(int port, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) {  // its time counts: initiators may not run ahead
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
  }
  const Port& on = ports_[static_cast<size_t>(port)];
  transaction.set_dmi_allowed(false);
  transaction.set_response_status(on.status_of(transaction));
  if (transaction.is_response_error() || transaction.get_command() == tlm::TLM_IGNORE_COMMAND) return;
  const std::optional<uint64_t> turn = clock_->enter();
  if (!turn) return transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  for (uint32_t at = 0; at < transaction.get_data_length() && !transaction.is_response_error(); at += on.bytes) {
    unsigned char* const bytes = transaction.get_data_ptr() + at;
    Command command{transaction.is_write(), transaction.get_address() + at % transaction.get_streaming_width(),
                    std::vector<uint8_t>(on.bytes)};
    if (command.writes) std::copy_n(bytes, on.bytes, command.data.begin());
    const std::optional<std::vector<uint8_t>> read = clock_->go(on.name, command);
    if (!read) transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    if (read && !command.writes) std::copy(read->begin(), read->end(), bytes);
  }
  clock_->leave(*turn);
}

}  // namespace covenant::sc
