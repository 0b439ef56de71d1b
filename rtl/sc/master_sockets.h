/// The sockets through which the AXI4 masters of a Verilated device access their memories.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <tlm>
#include <vector>

#include "rtl/cosim/device_abi.h"
#include "rtl/sc/masters.h"

namespace covenant::sc {

/// One socket for each master and memory that its ports ask. The ports on a socket keep the numbers that they have at
/// the memory without sharing: PortExtension names them.
class MasterSockets {
 public:
  /// Within the module that is being made. `pins` must outlive it; `first_port` is added to the numbers of ports.
  MasterSockets(rtl::DevicePins& pins, uint32_t first_port);

  /// Sockets of a memory by its number, in the order of their lowest ports.
  std::vector<tlm::tlm_initiator_socket<>*> of(uint32_t memory) const;

  std::vector<ReadMaster>& reads() { return reads_; }
  std::vector<WriteMaster>& writes() { return writes_; }
  bool is_quiet() const;
  /// Nothing is under way: what memories still answer is dropped.
  void reset();

 private:
  /// A port on a socket.
  struct Member {
    uint32_t port = 0;
    bool writes = false;
    size_t master = 0;  ///< index in `reads_` or `writes_`
    uint32_t id = 0;
  };
  struct Group {
    uint32_t master = 0;
    uint32_t memory = 0;
    std::vector<Member> members;  ///< by place
    std::unique_ptr<MemorySocket> socket;
  };

  template <class Pins>
  void add(const std::vector<Pins>& all, bool writes);
  void open(Group& group, uint32_t first_port);
  template <class Pins>
  std::vector<PortPath> paths_of(const Pins& pins, bool writes) const;

  std::vector<Group> groups_;
  std::vector<ReadMaster> reads_;
  std::vector<WriteMaster> writes_;
};

}  // namespace covenant::sc
