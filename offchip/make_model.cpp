#include "offchip/make_model.h"

#include <utility>

#include "offchip/dram.h"
#include "offchip/parameters.h"
#include "offchip/slices.h"

namespace covenant::offchip {

Result<std::unique_ptr<Model>> make_model(std::string_view memory, const Connection& connection, Timeline* timeline) {
  if (memory == kFixedMemory) {
    return std::unique_ptr<Model>(std::make_unique<FixedLatency>(connection.clock, connection.ports));
  }
  Result<Parameters> parameters = load_parameters(memory);
  if (!parameters) return parameters.error();
  CommandHook hook;
  if (timeline != nullptr) {
    timeline->tracks = track_names(parameters->organization);
    hook = [timeline, set = *parameters](const Command& command) {
      for (Slice& slice : slices_of(command, set)) timeline->slices.push_back(std::move(slice));
    };
  }
  const auto ports = static_cast<uint32_t>(connection.ports.size());
  return std::unique_ptr<Model>(std::make_unique<Dram>(*std::move(parameters), ports, std::move(hook)));
}

std::vector<std::string> memory_names() {
  std::vector<std::string> names = builtin_parameters();
  names.insert(names.begin(), std::string(kFixedMemory));
  return names;
}

}  // namespace covenant::offchip
