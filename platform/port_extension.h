/// Names the port of a memory's model that a transaction belongs to, if it is not the number of the binding.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

namespace covenant::sc {

/// A memory answers the transactions of one port in their order, and counts each port on its own. An initiator with
/// several streams on one socket names their ports by this extension; a router does so for its initiators. Others may
/// ignore it.
class PortExtension : public tlm::tlm_extension<PortExtension> {
 public:
  PortExtension() = default;
  explicit PortExtension(uint32_t number) : port(number) {}

  uint32_t port = 0;

  tlm::tlm_extension_base* clone() const override { return new PortExtension(port); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    port = static_cast<const PortExtension&>(other).port;
  }
};

}  // namespace covenant::sc
