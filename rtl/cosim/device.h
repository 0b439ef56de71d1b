/// Builds the Verilated device of a machine (covenant_axi_top), for users with a bus and a host of their own.
///
///     Result<rtl::DeviceModel> model = rtl::build_device(machine, {.cache = "build/rtl"});
///     std::shared_ptr<rtl::VerilatedDevice> device = model->make();
///     device->reset();
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "acg/base/result.h"
#include "acg/graph/graph.h"
#include "rtl/cosim/build_progress.h"
#include "rtl/cosim/device_abi.h"
#include "rtl/gen/axi/axi_sharing.h"

namespace covenant::rtl {

struct DeviceOptions {
  std::filesystem::path cache;  ///< as BuildOptions of rtl/cosim/model.h, and so are those below
  bool quick = false;
  uint32_t jobs = 2;
  BuildProgress progress = {};
  /// Build with the assertions of all modules: one that fails ends the process and prints its place.
  bool checked = false;
  /// Which off-chip ports share an AXI4 master, as in `covenant rtl --axi`.
  AxiMasters masters = AxiMasters::kPort;
  /// Most bursts of each port that are in progress: a power of two, at least 2. 0: the default of the RTL.
  uint32_t outstanding = 0;
};

/// A Verilated device, loaded: any number of them can be made.
class DeviceModel {
 public:
  /// Before its reset. It holds the library.
  std::shared_ptr<VerilatedDevice> make() const;
  const std::filesystem::path& folder() const { return folder_; }  ///< sources, library, log of the build

 private:
  friend Result<DeviceModel> build_device(const acg::Machine& machine, const DeviceOptions& options);
  std::filesystem::path folder_;
  std::shared_ptr<void> library_;
  MakeDevice make_ = nullptr;
};

/// Builds the device. Errors: those of build_model (rtl/cosim/model.h); RTL0018 (AXI4 cannot carry the beats of a
/// port).
Result<DeviceModel> build_device(const acg::Machine& machine, const DeviceOptions& options);

}  // namespace covenant::rtl
