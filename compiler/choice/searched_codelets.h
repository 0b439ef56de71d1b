/// A cache of schedules for bound codelets that are equal except for their names: long networks repeat layers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/base/result.h"
#include "compiler/codelet/codelet.h"
#include "compiler/schedule/layer_search.h"

namespace covenant::compiler {

/// A codelet with the schedules that were found for it. Names are those of the first codelet that was equal.
struct Searched {
  codelet::Codelet packed;
  ScheduleSearch search;
  Status emittable = Done{};  ///< result of `SearchedCodelets::emittable`, once requested
  bool is_emittable_known = false;

  /// Predicted, after another layer: that hides the fetching of the words.
  uint64_t cycles() const {
    const Prediction& prediction = search.simulated.front().prediction;
    return prediction.cycles - prediction.fetch;
  }
};

class SearchedCodelets {
 public:
  explicit SearchedCodelets(LayerSearch& search) : search_(search) {}

  /// Errors: those of `map_to_machine` and of `LayerSearch::search`. What is found stays where it is.
  Result<Searched*> find(const codelet::Codelet& bound);

  /// Looks ahead at these and those that are not known yet, on all threads.
  void find_all(const std::vector<codelet::Codelet>& bound);

  /// A diagnostic if the machine's words cannot express it in its best schedule.
  const Status& emittable(Searched& searched);

 private:
  LayerSearch& search_;
  std::map<std::string, Result<Searched>> known_;  ///< by the contents of a codelet without its name
};

/// The result with the name of another codelet.
ScheduleSearch told_of(const Searched& searched, const std::string& name);

}  // namespace covenant::compiler
