#include "runtime/session/session.h"

#include <utility>

#include "runtime/session/image.h"
#include "runtime/session/window.h"

namespace covenant::runtime {

Result<Session> Session::open(acg::Program program, std::string_view backend, const RtlOptions& rtl) {
  auto kept = std::make_unique<acg::Program>(std::move(program));
  if (Status status = check_memory(*kept); !status) return status.error();
  Result<std::unique_ptr<Device>> device = make_device(backend, *kept, rtl);
  if (!device) return device.error();
  std::vector<uint8_t> image = initial_image(*kept);
  return Session(std::move(kept), std::move(*device), std::move(image), backend, rtl);
}

Result<RunResult> Session::run(const std::vector<Tensor>& inputs, const SessionOptions& options) const {
  const bool values = options.device.values;
  if (Status status = check_inputs(*program_, inputs); !status) return status.error();
  std::vector<uint8_t> memory;
  if (values) {
    memory = fresh_memory();
    put_inputs(*program_, inputs, memory);
  }
  Result<DeviceResult> cost = values ? device_->run(memory, options.device) : device_->time(image_, options.device);
  if (!cost) return cost.error();
  RunResult result;
  result.cost = std::move(*cost);
  result.outputs = outputs_of(*program_, values ? memory : image_);
  if (options.memory) {
    result.memory = std::move(memory);
  } else if (values && result.cost.written) {
    keep(std::move(memory), *result.cost.written);
  }
  return result;
}

std::vector<uint8_t> Session::fresh_memory() const {
  const std::lock_guard lock(spare_->mutex);
  return spare_->memory.empty() ? image_ : std::exchange(spare_->memory, {});
}

void Session::keep(std::vector<uint8_t> memory, const sim::ByteBounds& written) const {
  put_right(*program_, image_, written, memory);
  const std::lock_guard lock(spare_->mutex);
  spare_->memory = std::move(memory);
}

Result<RunTogetherResult> Session::run_together(const std::vector<std::vector<Tensor>>& inputs,
                                                const DeviceOptions& options) const {
  std::vector<std::vector<uint8_t>> memories;
  for (const std::vector<Tensor>& given : inputs) {
    if (Status status = check_inputs(*program_, given); !status) return status.error();
    put_inputs(*program_, given, memories.emplace_back(image_));
  }
  Result<TogetherResult> cost = device_->run_together(memories, options);
  if (!cost) return cost.error();
  RunTogetherResult result;
  result.cost = std::move(*cost);
  for (const std::vector<uint8_t>& memory : memories) result.outputs.push_back(outputs_of(*program_, memory));
  return result;
}

Result<std::vector<Tensor>> Session::run_blocks(const std::vector<Tensor>& inputs,
                                                const std::vector<acg::BlockResult>& results,
                                                const std::vector<std::optional<Tensor>>& expected) const {
  std::vector<uint8_t> memory = image_;
  if (Status status = write_inputs(*program_, inputs, memory); !status) return status.error();
  acg::Program program = *program_;
  for (acg::Segment& segment : program.segments) segment.data.clear();  // they are in memory; windows are copies
  std::vector<Tensor> made(results.size());
  for (size_t block = 0; block < program.blocks.size(); ++block) {
    const Result<Window> window = window_of(program, block, block);
    if (!window) return window.error();
    const Result<std::unique_ptr<Device>> device = make_device(backend_, window->program, rtl_);
    if (!device) return device.error();
    const acg::InstructionWord word = end_stream(*window, memory);
    if (const Result<DeviceResult> done = (*device)->run(memory, {}); !done) return done.error();
    resume_stream(*window, word, memory);
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].block != block) continue;
      made[i] = tensor_in(results[i].tensor, memory);
      if (i >= expected.size()) continue;
      if (const std::optional<Tensor>& given = expected[i]) put_tensor(results[i].tensor, *given, memory);
    }
  }
  return made;
}

}  // namespace covenant::runtime
