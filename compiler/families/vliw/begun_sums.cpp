#include "compiler/families/vliw/begun_sums.h"

#include <optional>
#include <set>
#include <utility>

#include "compiler/codelet/arithmetic.h"
#include "compiler/families/vliw/turned_loops.h"

namespace covenant::compiler::vliw {
namespace {

class Begin {
 public:
  Begin(std::map<std::string, RegisterTile>& tiles, TilePlaces& places, const BeginSum& begin)
      : tiles_(tiles), places_(places), begin_(begin) {}

  void run(const codelet::Operation& operation) {
    visit(operation);
    for (const auto& [local, piece] : begun_) tiles_.at(local).is_started = true;
  }

 private:
  void visit(const codelet::Operation& operation) {
    if (const auto* loop = std::get_if<codelet::Loop>(&operation.op)) {
      const auto within = [&] {
        for (const codelet::Operation& inner : loop->body) visit(inner);
      };
      return is_turned(*loop) ? within() : places_.each_trip(*loop, within);
    }
    const auto* compute = std::get_if<codelet::Compute>(&operation.op);
    if (compute == nullptr || !codelet::accumulates(compute->capability)) return;
    const auto tile = tiles_.find(compute->destination.surrogate);
    if (tile == tiles_.end() || tile->second.is_started) return;
    const std::optional<size_t> piece = tile->second.piece_at(places_.fixed_indices(compute->destination));
    if (piece && begun_.emplace(tile->first, *piece).second) begin_(*compute, operation.where);
  }

  std::map<std::string, RegisterTile>& tiles_;
  TilePlaces& places_;
  const BeginSum& begin_;
  std::set<std::pair<std::string, size_t>> begun_;  ///< local and piece
};

}  // namespace

void begin_sums(const codelet::Operation& operation, std::map<std::string, RegisterTile>& tiles, TilePlaces& places,
                const BeginSum& begin) {
  Begin(tiles, places, begin).run(operation);
}

}  // namespace covenant::compiler::vliw
