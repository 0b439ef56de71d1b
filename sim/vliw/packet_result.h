/// Results that only programs of packets have.
#pragma once

#include <vector>

#include "acg/isa/vliw/packet_record.h"
#include "sim/run/family_result.h"
#include "sim/vliw/packet_profile.h"

namespace covenant::sim {

class PacketResult final : public FamilyResult {
 public:
  std::vector<acg::PacketRecord> records;  ///< in the order of issue, if requested
  std::vector<PacketProfile> profile;      ///< by address, if requested
};

}  // namespace covenant::sim
