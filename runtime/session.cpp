#include "runtime/session.h"

#include "runtime/image.h"

namespace covenant::runtime {

Result<Session> Session::open(acg::Program program, std::string_view backend, const RtlOptions& rtl) {
  auto kept = std::make_unique<acg::Program>(std::move(program));
  if (Status status = check_memory(*kept); !status) return status.error();
  Result<std::unique_ptr<Device>> device = make_device(backend, *kept, rtl);
  if (!device) return device.error();
  std::vector<uint8_t> image = initial_image(*kept);
  return Session(std::move(kept), std::move(*device), std::move(image));
}

Result<RunResult> Session::run(const std::vector<Tensor>& inputs, const SessionOptions& options) const {
  std::vector<uint8_t> memory = image_;
  if (Status status = write_inputs(*program_, inputs, memory); !status) return status.error();
  Result<DeviceResult> cost = device_->run(memory, options.device);
  if (!cost) return cost.error();
  RunResult result;
  result.cost = std::move(*cost);
  result.outputs = outputs_of(*program_, memory);
  if (options.memory) result.memory = std::move(memory);
  return result;
}

}  // namespace covenant::runtime
