#include "rtl/cosim/timing.h"

#include <algorithm>

namespace covenant::rtl {
namespace {

void request(void* user, uint64_t cycle, uint32_t port, uint64_t address, uint32_t bytes, bool writes) {
  const auto& asked = *static_cast<AskedModel*>(user);
  asked.model->request({port, asked.clock.time_of(cycle), address, bytes, writes});
}

uint64_t advance(void* user, uint64_t cycle, std::vector<uint32_t>& ports) {
  auto& asked = *static_cast<AskedModel*>(user);
  asked.answers.clear();
  asked.model->advance(asked.clock.time_of(cycle), asked.answers);
  for (const offchip::Answer& answer : asked.answers) ports.push_back(answer.port);
  const uint64_t next = asked.model->next();
  return next == UINT64_MAX ? next : std::max(cycle + 1, asked.clock.cycle_from(next));
}

}  // namespace

OffchipTiming timing_of(AskedModel& asked) {
  return asked.model == nullptr ? OffchipTiming{} : OffchipTiming{&asked, &request, &advance};
}

}  // namespace covenant::rtl
