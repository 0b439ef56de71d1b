/// The reset input of an accelerator.
#pragma once

#include <systemc>

namespace covenant::sc {

/// Low holds the device in reset. It may be left unbound: the device is then never reset.
///
///     sc_core::sc_signal<bool> reset_n("reset_n", true);
///     npu.reset_n(reset_n);
class ResetPin : public sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 1, sc_core::SC_ZERO_OR_MORE_BOUND> {
 public:
  using sc_port::sc_port;

  bool is_low() const { return size() > 0 && !(*this)[0]->read(); }
};

}  // namespace covenant::sc
