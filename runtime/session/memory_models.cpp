#include "runtime/session/memory_models.h"

#include <string>

#include "acg/graph/queries.h"
#include "offchip/connect.h"

namespace covenant::runtime {

Result<MemoryModels> make_memory_models(const acg::Program& program, std::string_view memory,
                                        std::deque<offchip::Timeline>* timelines) {
  MemoryModels models;
  if (memory == offchip::kFixedMemory) return models;
  for (size_t i = 0; i < acg::memory_ranges(program).size(); ++i) {
    offchip::Timeline* const timeline = timelines == nullptr ? nullptr : &timelines->emplace_back();
    auto model = offchip::make_model(memory, offchip::connection_of(program.machine), timeline);
    if (!model) return model.error();
    models.push_back(std::move(*model));
  }
  return models;
}

std::vector<offchip::Model*> pointers_to(const MemoryModels& models) {
  std::vector<offchip::Model*> pointers;
  for (const auto& model : models) pointers.push_back(model.get());
  return pointers;
}

std::vector<sim::MemoryStatistics> counted_by(const MemoryModels& models, const acg::Program& program,
                                              std::string_view memory) {
  std::vector<sim::MemoryStatistics> counted;
  const std::vector<acg::MemoryRange> ranges = acg::memory_ranges(program);
  for (size_t i = 0; i < models.size(); ++i) {
    counted.push_back({acg::get(program.machine, ranges[i].memory).name, std::string(memory), models[i]->statistics()});
  }
  return counted;
}

std::vector<sim::MemoryTrace> traces_of(const std::deque<offchip::Timeline>& timelines, const acg::Program& program,
                                        const std::string& memory) {
  std::vector<sim::MemoryTrace> traces;
  const std::vector<acg::MemoryRange> ranges = acg::memory_ranges(program);
  for (size_t i = 0; i < timelines.size(); ++i) {
    const std::string& name = acg::get(program.machine, ranges[i].memory).name;
    traces.push_back(sim::trace_of_memory(name, memory, program.machine, timelines[i]));
  }
  return traces;
}

}  // namespace covenant::runtime
