#include "compiler/families/stream/block_bound.h"

#include <algorithm>
#include <map>
#include <string>

#include "acg/base/check.h"
#include "acg/base/rounding.h"
#include "acg/graph/queries.h"
#include "compiler/codelet/parse.h"
#include "compiler/families/stream/busiest.h"

namespace covenant::compiler::stream {
namespace {

using codelet::Codelet;
using codelet::Surrogate;
using codelet::SurrogateKind;

/// The value of a bound of a scheduled loop or a size of a transfer, which is constant.
int64_t value(const codelet::Expression& expression) { return expression.constant().value(); }

/// Data that moves between a tensor in off-chip memory and one on chip.
struct Moved {
  bool is_load = false;
  uint64_t elements = 0;  ///< elements of all transfers, those outside of the tensor included
};

/// Collects the transfers of a scheduled codelet: (surrogate, on-chip memory) -> what moves.
class Transfers {
 public:
  explicit Transfers(const Codelet& codelet) {
    for (const Surrogate& surrogate : codelet.surrogates) kinds_[surrogate.name] = surrogate.kind;
    visit(codelet.body, 1);
  }

  const std::map<std::pair<std::string, std::string>, Moved>& all() const { return moved_; }

 private:
  void visit(const std::vector<codelet::Operation>& body, uint64_t times) {
    for (const codelet::Operation& operation : body) {
      if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) {
        const auto extent = static_cast<uint64_t>(value(loop->upper) - value(loop->lower));
        visit(loop->body, times * ceil_divide(extent, static_cast<uint64_t>(value(loop->stride))));
      } else if (const auto* transfer = std::get_if<codelet::Transfer>(&operation.op)) {
        note(*transfer, times);
      }
    }
  }

  void note(const codelet::Transfer& transfer, uint64_t times) {
    if (!transfer.local.empty()) locations_[transfer.local] = transfer.location;
    const auto* source = std::get_if<codelet::Reference>(&transfer.source);
    if (source == nullptr) return;
    for (const codelet::Expression& extent : transfer.shape) times *= static_cast<uint64_t>(value(extent));
    const auto add = [&](const std::string& tensor, const std::string& memory, bool is_load) {
      Moved& moved = moved_[{tensor, memory}];
      moved.is_load = is_load;
      moved.elements += times;
    };
    if (is(source->surrogate, SurrogateKind::kInp) && !transfer.local.empty()) {
      add(source->surrogate, transfer.location, true);
    } else if (transfer.destination && is(transfer.destination->surrogate, SurrogateKind::kOut)) {
      add(transfer.destination->surrogate, locations_.at(source->surrogate), false);
    }
  }

  bool is(const std::string& surrogate, SurrogateKind kind) const {
    const auto found = kinds_.find(surrogate);
    return found != kinds_.end() && found->second == kind;
  }

  std::map<std::string, SurrogateKind> kinds_;
  std::map<std::string, std::string> locations_;  ///< memories of locals
  std::map<std::pair<std::string, std::string>, Moved> moved_;
};

/// Number of distinct elements of off-chip memory that the surrogate covers: those of a view may overlap.
uint64_t elements_of(const Surrogate& surrogate) {
  uint64_t elements = 1;
  uint64_t span = 1;
  for (size_t d = 0; d < surrogate.shape.size(); ++d) {
    const auto extent = static_cast<uint64_t>(surrogate.shape[d].constant().value());
    elements *= extent;
    if (!surrogate.strides.empty()) {
      span += (extent - 1) * static_cast<uint64_t>(surrogate.strides[d].constant().value());
    }
  }
  return surrogate.strides.empty() ? elements : std::min(elements, span);
}

const acg::Compute* unit(const acg::Machine& machine, acg::UnitKind kind) {
  const auto found = std::find_if(machine.computes.begin(), machine.computes.end(),
                                  [&](const acg::Compute& node) { return node.unit == kind; });
  return found == machine.computes.end() ? nullptr : &*found;
}

uint64_t attribute(const acg::Compute& node, const char* name) {
  return static_cast<uint64_t>(acg::integer_attribute(node, name));
}

}  // namespace

std::optional<Bound> block_bound(const acg::Program& program, size_t index) {
  const acg::Machine& machine = program.machine;
  const acg::Block& block = program.blocks.at(index);
  const acg::Compute* array = unit(machine, acg::UnitKind::kSystolicArray);
  const acg::Compute* lanes = unit(machine, acg::UnitKind::kSimdArray);
  if ((block.macs > 0 && array == nullptr) || (block.elementwise > 0 && lanes == nullptr)) return std::nullopt;
  const Result<Codelet> codelet = codelet::parse(block.codelet, block.layer);
  check(static_cast<bool>(codelet), "a program's codelets can be read");

  const acg::MemoryId outermost = acg::outermost_memory(machine);
  Busiest busiest(machine);
  uint64_t pass = 0;
  if (block.macs > 0) {
    const uint64_t rows = attribute(*array, "rows");
    const uint64_t columns = attribute(*array, "columns");
    busiest.consider(ceil_divide(block.macs, rows * columns), "compute");
    pass = rows + columns + 2;
  }
  if (block.elementwise > 0) busiest.consider(ceil_divide(block.elementwise, attribute(*lanes, "lanes")), "lanes");
  const Transfers transfers(*codelet);
  for (const Surrogate& surrogate : codelet->surrogates) {
    for (const auto& [ends, moved] : transfers.all()) {
      if (ends.first != surrogate.name) continue;
      const acg::MemoryId memory = acg::find_memory(machine, ends.second).value();
      const uint64_t elements = std::min(moved.elements, elements_of(surrogate));
      const acg::MemoryId home = acg::find_memory(machine, surrogate.location).value_or(outermost);
      const auto way = moved.is_load ? busiest.way(home, memory) : busiest.way(memory, home);
      busiest.move(way, packed_bytes(surrogate.dtype.value(), elements));
    }
  }
  const uint64_t latency = acg::get(machine, outermost).latency;
  const uint64_t fixed = 2 * (latency + 2) + pass;
  return Bound{busiest.cycles() + fixed, busiest.cycles(), fixed,
               fixed > busiest.cycles() ? "fixed" : busiest.resource()};
}

}  // namespace covenant::compiler::stream
