/// A machine that a host drives by commands, as a device of a platform: ports for beats, an interrupt line, a reset.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <vector>

#include "acg/base/diagnostic.h"
#include "acg/behaviour/behaviour.h"
#include "acg/behaviour/engine.h"
#include "platform/reset_pin.h"

namespace covenant::sc {

/// Addresses in a platform by names of off-chip states.
using MemoryBases = std::map<std::string, uint64_t, std::less<>>;

struct CommandAcceleratorOptions {
  /// Sockets of each port. Their commands are taken one after another, in the order in which they come.
  uint32_t initiators = 1;
  /// Addresses of the first bytes of off-chip states, as their sockets see them; 0 for one that is not named.
  MemoryBases memory_bases = {};
};

/// Built from the behaviour of a machine, and cycle for cycle what its evaluator does: the machine has cycles of its
/// clock, which begin at multiples of its period. A command that comes when a cycle begins, or since the one before has
/// begun, is carried out from that cycle on. Its transaction ends with its last cycle, and the interrupt line changes
/// with the end of a cycle. When nothing can go on before the host's next command, the clock stands still.
///
///     covenant::sc::CommandAccelerator npu("npu", *covenant::acg::behaviour::load_behaviour("dot.acg"));
///     router.to("npu").bind(npu.socket("bus"));
///     npu.interrupt(line);
class CommandAccelerator : public sc_core::sc_module {
  class OffChipMemories;

 public:
  using Socket = tlm_utils::simple_target_socket_tagged<CommandAccelerator>;
  using MemorySocket = tlm_utils::simple_initiator_socket_tagged_optional<OffChipMemories>;
  using MakeEngine = std::function<std::unique_ptr<acg::behaviour::Engine>()>;

  /// High while the machine asks for its host.
  sc_core::sc_out<bool> interrupt;
  /// A fall drops what the machine does at once, and all its state is as in the beginning. Transactions that are under
  /// way or come while it is low end with a generic error.
  ResetPin reset_n;

  /// Carried out by the evaluator.
  CommandAccelerator(const sc_core::sc_module_name& name, const acg::behaviour::Behaviour& behaviour,
                     const CommandAcceleratorOptions& options = {});
  /// Carried out by what `make` makes: once, and again with each reset.
  CommandAccelerator(const sc_core::sc_module_name& name, MakeEngine make,
                     const CommandAcceleratorOptions& options = {});
  ~CommandAccelerator() override;

  /// The socket of a port for one of the initiators. All of them must be bound. A port or an initiator that there is
  /// not is an error (SC_ERROR with its diagnostic): BEH0031.
  ///
  /// A transaction is one beat of the port's width, or several, which are commands one after another: at its address,
  /// then each as many bytes further as a beat has, from the address again after the bytes of the streaming width.
  /// Responses: TLM_OK; TLM_BURST_ERROR, data or a streaming width that is no whole beats; TLM_BYTE_ENABLE_ERROR, bytes
  /// that are not enabled; TLM_ADDRESS_ERROR, more bits than the port's addresses have; TLM_GENERIC_ERROR, a command
  /// that no instruction takes, or a machine that has stopped or is held in reset: `error` says why. Beats before one
  /// that fails have been carried out. There is no direct access, and none for debugging: reading may change a machine.
  Socket& socket(std::string_view port, uint32_t initiator = 0);

  /// The initiator of a state that the machine's text has `off_chip`: bound, its bytes are those of the platform's
  /// memory, from its base on, and other initiators see what the machine writes when its cycle ends. Unbound, they are
  /// the machine's own. The memory has to grant direct access to all of them, and again if it has withdrawn it: else
  /// BEH0060, as an SC_ERROR when the simulation starts, and what stops the machine later. A reset leaves them. A name
  /// that is no off-chip state's is an error (SC_ERROR): BEH0060.
  MemorySocket& memory(std::string_view state);

  /// The last command that was refused, or what has stopped the machine. A machine that stops is a warning, too.
  const std::optional<Diagnostic>& error() const;
  /// The machine as it is: its cycles and its state.
  const acg::behaviour::Engine& engine() const;
  /// Duration of a cycle.
  const sc_core::sc_time& period() const;

 private:
  class Clock;
  struct Port;
  void before_end_of_elaboration() override;
  void start_of_simulation() override;
  void b_transport(int port, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);

  std::unique_ptr<Clock> clock_;
  std::unique_ptr<OffChipMemories> memories_;
  std::vector<Port> ports_;
};

}  // namespace covenant::sc
