#include "compiler/choice/searched_codelets.h"

#include <set>
#include <utility>

#include "compiler/codelet/print.h"
#include "compiler/mapping/sequence.h"
#include "compiler/schedule/splits.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;

std::string key_of(const Codelet& bound) {
  std::string text = print(bound);
  return text.substr(text.find('{'));
}

Result<Searched> searched(const Codelet& bound, LayerSearch& search) {
  Result<Codelet> packed = map_to_machine(bound, search.machine());
  if (!packed) return packed.error();
  Result<ScheduleSearch> found = search.search(*packed);
  if (!found) return found.error();
  return Searched{std::move(*packed), std::move(*found)};
}

Codelet tiled(const Searched& searched, const acg::Machine& machine) {
  return tile(searched.packed, machine, parts_of(searched.search.problem, searched.search.simulated.front()));
}

}  // namespace

Result<Searched*> SearchedCodelets::find(const Codelet& bound) {
  std::string key = key_of(bound);
  auto known = known_.find(key);
  if (known == known_.end()) known = known_.emplace(std::move(key), searched(bound, search_)).first;
  Result<Searched>& found = known->second;
  if (!found) return found.error();
  return &*found;
}

void SearchedCodelets::find_all(const std::vector<Codelet>& bound) {
  std::vector<Codelet> packed;
  std::set<std::string> keys;
  for (const Codelet& one : bound) {
    if (!keys.insert(key_of(one)).second) continue;
    Result<Codelet> made = map_to_machine(one, search_.machine());
    if (made) packed.push_back(std::move(*made));
  }
  search_.search_all(packed);
}

const Status& SearchedCodelets::emittable(Searched& searched) {
  if (!std::exchange(searched.is_emittable_known, true)) {
    searched.emittable = search_.model().check_emittable(tiled(searched, search_.machine()));
  }
  return searched.emittable;
}

ScheduleSearch told_of(const Searched& searched, const std::string& name) {
  ScheduleSearch result = searched.search;
  result.problem.name = name;
  for (Schedule& schedule : result.simulated) {
    if (schedule.split) schedule.split->problem.name = name;
  }
  return result;
}

}  // namespace covenant::compiler
