#include "acg/behaviour/load.h"

#include "acg/base/failure.h"
#include "acg/behaviour/read_behaviour.h"
#include "acg/lang/parser.h"

namespace covenant::acg::behaviour {

Result<Behaviour> parse_behaviour(std::string_view text, std::string_view file_name, std::string_view preset,
                                  const std::vector<std::pair<std::string, std::string>>& set,
                                  const lang::ReadInclude& read) {
  const Result<lang::MachineSpec> spec =
      guarded<lang::MachineSpec>([&] { return lang::parse_spec(text, file_name, read); });
  return spec ? read_behaviour(*spec, preset, set) : spec.error();
}

Result<Behaviour> load_behaviour(std::string_view spec, const std::vector<std::pair<std::string, std::string>>& set) {
  const Result<MachineText> found = machine_text(spec, builtin_command_machines());
  return found ? parse_behaviour(found->text, found->file_name, found->preset, set) : found.error();
}

}  // namespace covenant::acg::behaviour
