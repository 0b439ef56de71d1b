#include "compiler/binding/read_network.h"

#include "compiler/binding/verify_layers.h"
#include "compiler/network/parse.h"

namespace covenant::compiler {

Result<Network> read_network(std::string_view text, std::string_view file, const acg::Machine& machine,
                             const std::vector<codelet::Codelet>& declared) {
  Result<Network> network = parse_network(text, file, machine);
  if (!network) return network;
  if (const Status verified = verify_layers(*network, declared); !verified) return in_file(verified.error(), file);
  return network;
}

}  // namespace covenant::compiler
