/// Liveness analysis: which virtual registers hold a value that is read later, packet by packet.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/families/vliw/packetize.h"
#include "compiler/families/vliw/register_access.h"

namespace covenant::compiler::vliw {

class Liveness {
 public:
  /// `code` and `accesses` must outlive it.
  Liveness(const PacketCode& code, const RegisterAccesses& accesses);

  /// Number of packets, in the order of the code.
  size_t packets() const { return places_.size(); }
  /// Virtual registers in use immediately after packet `at`: those that are read later, and those that it writes.
  std::vector<uint32_t> held_after(size_t at) const;
  std::vector<uint32_t> held_at_start() const;

 private:
  /// Halves of virtual registers; those that are not pairs have only the lower one.
  using Halves = std::vector<bool>;
  struct Place {
    const CodePacket* packet = nullptr;
    std::vector<size_t> next;  ///< packets that may follow
  };

  void add(const std::vector<PacketStep>& steps);
  Halves live_before(size_t at) const;
  bool grow();

  const RegisterAccesses& accesses_;
  size_t halves_;
  std::vector<Place> places_;
  std::vector<Halves> live_after_;
};

}  // namespace covenant::compiler::vliw
