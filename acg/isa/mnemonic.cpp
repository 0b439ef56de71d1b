#include "acg/isa/mnemonic.h"

#include <tuple>

namespace covenant::acg {

int64_t lowest_value(const Field& field) {
  return field.is_signed ? -(int64_t{1} << (field.width - 1)) * int64_t{field.scale} : 0;
}

int64_t highest_value(const Field& field) {
  return ((int64_t{1} << (field.is_signed ? field.width - 1 : field.width)) - 1) * int64_t{field.scale};
}

bool Mnemonic::operator==(const Mnemonic& other) const {
  const auto all = [](const Mnemonic& of) {
    return std::tie(of.name, of.opcode, of.does, of.fields, of.encoding, of.syntax, of.slots, of.blocks, of.pipes,
                    of.latency);
  };
  return all(*this) == all(other);
}

}  // namespace covenant::acg
