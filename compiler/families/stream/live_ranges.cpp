#include "compiler/families/stream/live_ranges.h"

#include <set>
#include <vector>

namespace covenant::compiler::stream {
namespace {

using codelet::Compute;
using codelet::Loop;
using codelet::Operation;
using codelet::Reference;
using codelet::Transfer;

class Walk {
 public:
  explicit Walk(const codelet::Codelet& codelet) {
    for (const codelet::Surrogate& surrogate : codelet.surrogates) places_[surrogate.name] = surrogate.location;
    block(codelet.body);
  }

  std::map<std::string, LiveRange> take() { return std::move(result_); }

 private:
  /// The locals that a block uses, except its own.
  std::set<std::string> block(const std::vector<Operation>& body) {
    std::set<std::string> used;
    std::vector<std::string> own;
    for (const Operation& operation : body) {
      std::set<std::string> here;
      if (const auto* loop = std::get_if<Loop>(&operation.op)) {
        ++number_;
        here = block(loop->body);
      } else if (const auto* transfer = std::get_if<Transfer>(&operation.op)) {
        ++number_;
        here = touch(*transfer);
        if (!transfer->local.empty()) own.push_back(transfer->local);
      } else {
        ++number_;
        here = touch(std::get<Compute>(operation.op));
      }
      for (const std::string& name : here) result_[name].last = number_;
      used.insert(here.begin(), here.end());
    }
    for (const std::string& name : own) used.erase(name);
    return used;
  }

  std::set<std::string> touch(const Transfer& transfer) {
    std::set<std::string> here;
    const auto* source = std::get_if<Reference>(&transfer.source);
    if (!transfer.local.empty()) {
      places_[transfer.local] = transfer.location;
      result_[transfer.local].first = number_;
      here.insert(transfer.local);
    }
    if (source == nullptr) return here;
    const std::string& to = places_.at(transfer.destination ? transfer.destination->surrogate : transfer.local);
    const std::string engine = places_.at(source->surrogate) + "->" + to;
    if (!transfer.local.empty()) result_[transfer.local].filler = engine;
    read(*source, engine, here);
    return here;
  }

  std::set<std::string> touch(const Compute& compute) {
    std::set<std::string> here{compute.destination.surrogate};
    LiveRange& written = result_[compute.destination.surrogate];
    written.filler = compute.location;
    if (written.written == 0) written.written = number_;
    for (const auto& operand : compute.operands) {
      if (const auto* reference = std::get_if<Reference>(&operand)) read(*reference, compute.location, here);
    }
    return here;
  }

  void read(const Reference& reference, const std::string& engine, std::set<std::string>& here) {
    const auto local = result_.find(reference.surrogate);
    if (local == result_.end()) return;
    local->second.emptier = engine;
    here.insert(reference.surrogate);
  }

  size_t number_ = 0;
  std::map<std::string, std::string> places_;
  std::map<std::string, LiveRange> result_;
};

}  // namespace

std::map<std::string, LiveRange> live_ranges(const codelet::Codelet& codelet) { return Walk(codelet).take(); }

}  // namespace covenant::compiler::stream
