/// Names the port of a memory's model that a transaction belongs to, if it is not the number of the binding.
#pragma once

#include <cstdint>
#include <systemc>
#include <tlm>

namespace covenant::sc {

/// A memory answers the transactions of one port in their order, and counts each port on its own. An initiator with
/// several streams on one socket names their ports by this extension; a router does so for its initiators. Others may
/// ignore it.
///
/// It also says whether the initiator obeys the annotated delay of a response, as TLM-2.0 demands. Many initiators out
/// there do not, and are told at the time of the response.
class PortExtension : public tlm::tlm_extension<PortExtension> {
 public:
  PortExtension() = default;
  explicit PortExtension(uint32_t number, bool obeys = false) : port(number), obeys_annotation(obeys) {}

  uint32_t port = 0;
  bool obeys_annotation = false;  ///< a response may be told ahead of its time

  tlm::tlm_extension_base* clone() const override { return new PortExtension(port, obeys_annotation); }
  void copy_from(const tlm::tlm_extension_base& other) override {
    const auto& from = static_cast<const PortExtension&>(other);
    port = from.port;
    obeys_annotation = from.obeys_annotation;
  }
};

/// True if the initiator of the transaction may be told of its response ahead of time.
inline bool obeys_annotation(const tlm::tlm_generic_payload& transaction) {
  const PortExtension* named = transaction.get_extension<PortExtension>();
  return named != nullptr && named->obeys_annotation;
}

}  // namespace covenant::sc
