/// The interface of a Verilated device that is compiled as a shared library: its pins and its clock. Both sides include
/// this header.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace covenant::rtl {

/// Response codes of AXI4 and AXI4-Lite.
enum class AxiResponse : uint8_t { kOkay = 0, kExclusiveOkay = 1, kSlaveError = 2, kDecodeError = 3 };

/// Registers on AXI4-Lite, and the interrupt line.
struct HostPins {
  bool awvalid = false;
  uint32_t awaddr = 0;
  bool wvalid = false;
  uint32_t wdata = 0;
  uint32_t wstrb = 0;
  bool bready = false;
  bool arvalid = false;
  uint32_t araddr = 0;
  bool rready = false;
  // Driven by the device:
  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  AxiResponse bresp = AxiResponse::kOkay;
  bool arready = false;
  bool rvalid = false;
  uint32_t rdata = 0;
  AxiResponse rresp = AxiResponse::kOkay;
  bool interrupt = false;
};

/// An off-chip port of the machine, behind a master.
struct DevicePort {
  uint32_t memory = 0;      ///< off-chip, its number in the machine
  uint32_t port = 0;        ///< its engine's number; of the fetch unit: of engines
  uint32_t beat_bytes = 0;  ///< narrow transfers, if that is less than the bus has
};

/// Read channels of a master: INCR bursts, whose id is the place of their port in `ports`. Answers of one id come in
/// the order of its bursts; those of others may come between, also beat by beat.
struct ReadPins {
  uint32_t master = 0;     ///< its number; one without write channels has no WritePins
  uint32_t bus_bytes = 0;  ///< width of its data; a beat at address `a` has its bytes from `a % bus_bytes` on
  std::vector<DevicePort> ports{};
  bool arready = false;
  bool rvalid = false;
  bool rlast = false;
  uint32_t rid = 0;
  AxiResponse rresp = AxiResponse::kOkay;
  std::vector<uint8_t> rdata{};
  // Driven by the device:
  bool arvalid = false;
  uint32_t arid = 0;  ///< 0 if `ports` has one, and no pin then
  uint64_t araddr = 0;
  uint32_t arlen = 0;  ///< beats, less one
  bool rready = false;
};

/// Write channels of a master. Beats come in the order of their addresses.
struct WritePins {
  uint32_t master = 0;
  uint32_t bus_bytes = 0;
  std::vector<DevicePort> ports{};
  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  uint32_t bid = 0;
  AxiResponse bresp = AxiResponse::kOkay;
  // Driven by the device:
  bool awvalid = false;
  uint32_t awid = 0;
  uint64_t awaddr = 0;
  uint32_t awlen = 0;
  bool wvalid = false;
  bool wlast = false;
  std::vector<uint8_t> wdata{};
  std::vector<uint8_t> wstrb{};  ///< a bit for each byte of the bus, the lowest first
  bool bready = false;
};

struct DevicePins {
  HostPins host;
  std::vector<ReadPins> reads;    ///< in the order of masters, which is that of their first ports; the fetch unit's is
                                  ///< first
  std::vector<WritePins> writes;  ///< in the same order
  bool is_busy = false;           ///< a run is in progress; not a pin: if false, the clock may stand still
};

/// One device. Between a `rise` and the next, as often as wanted: inputs are set, `settle` shows what follows from
/// them.
class VerilatedDevice {
 public:
  VerilatedDevice() = default;
  VerilatedDevice(const VerilatedDevice&) = delete;
  VerilatedDevice& operator=(const VerilatedDevice&) = delete;
  virtual ~VerilatedDevice() = default;

  virtual DevicePins& pins() = 0;
  /// The state after power-on: reset for some cycles. Memories are not its own, scratchpads hold anything.
  virtual void reset() = 0;
  /// Begins the next cycle: registers take their inputs.
  virtual void rise() = 0;
  virtual void settle() = 0;
  /// The value that a read of the register at `address` would return in this cycle; nothing if it would be refused. Has
  /// no effect. Precondition: it is the address of a register.
  virtual std::optional<uint32_t> look(uint32_t address) = 0;
};

using MakeDevice = VerilatedDevice* (*)();
inline constexpr char kMakeDeviceSymbol[] = "covenant_make_device";

}  // namespace covenant::rtl
