#include "acg/isa/mnemonic.h"

#include <tuple>

namespace covenant::acg {

bool Mnemonic::operator==(const Mnemonic& other) const {
  const auto all = [](const Mnemonic& of) {
    return std::tie(of.name, of.opcode, of.does, of.fields, of.encoding, of.syntax, of.slots, of.blocks, of.pipes,
                    of.latency);
  };
  return all(*this) == all(other);
}

}  // namespace covenant::acg
