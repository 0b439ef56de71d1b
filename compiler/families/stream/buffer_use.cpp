#include "compiler/families/stream/buffer_use.h"

#include <algorithm>
#include <vector>

#include "acg/base/check.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/local_layout.h"
#include "compiler/codelet/parse.h"

namespace covenant::compiler::stream {
namespace {

/// Records where in a buffer each local begins, in units of its memory.
void note_offsets(const std::vector<codelet::Operation>& body, std::map<std::string, uint64_t>& offsets) {
  for (const codelet::Operation& operation : body) {
    if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) {
      note_offsets(loop->body, offsets);
    } else if (const auto* transfer = std::get_if<codelet::Transfer>(&operation.op);
               transfer != nullptr && !transfer->local.empty()) {
      offsets[transfer->local] = transfer->offset.value();
    }
  }
}

}  // namespace

std::map<std::string, uint64_t> buffer_use(const acg::Program& program, size_t block) {
  const Result<codelet::Codelet> codelet =
      codelet::parse(program.blocks.at(block).codelet, program.blocks.at(block).layer);
  check(static_cast<bool>(codelet), "a program's codelets can be read");
  std::map<std::string, uint64_t> offsets;
  note_offsets(codelet->body, offsets);
  std::map<std::string, uint64_t> use;
  for (const auto& [name, layout] : local_layouts(*codelet, program.machine)) {
    uint64_t& bytes = use[acg::get(program.machine, layout.memory).name];
    bytes = std::max(bytes, (offsets.at(name) + layout.units) * layout.unit_bytes);
  }
  return use;
}

}  // namespace covenant::compiler::stream
