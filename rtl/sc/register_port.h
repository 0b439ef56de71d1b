/// One access at a time to the registers of a Verilated device, on AXI4-Lite.
#pragma once

#include <cstdint>

#include "rtl/cosim/device_abi.h"

namespace covenant::sc {

/// In each cycle: `drive` before the device sees its inputs, `observe` once it has.
class RegisterPort {
 public:
  struct Answer {
    rtl::AxiResponse response = rtl::AxiResponse::kOkay;
    uint32_t value = 0;  ///< result of a read
  };

  explicit RegisterPort(rtl::HostPins& pins) : pins_(pins) {}

  /// Precondition of both: not under way.
  void read(uint32_t address);
  void write(uint32_t address, uint32_t value, uint32_t strobes);
  bool is_under_way() const { return state_ != State::kIdle; }
  const Answer& answer() const { return answer_; }
  /// Ends what is under way with SLVERR.
  void refuse();

  void drive();
  /// True: it has been answered, and ends with this cycle.
  bool observe();

 private:
  enum class State : uint8_t { kIdle, kReads, kWrites };

  rtl::HostPins& pins_;
  State state_ = State::kIdle;
  bool owes_address_ = false;
  bool owes_data_ = false;
  Answer answer_;
};

}  // namespace covenant::sc
