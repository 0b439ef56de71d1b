#include "compiler/match/egraph.h"

#include <algorithm>

#include "acg/base/check.h"

namespace covenant::compiler::match {

size_t EGraph::hash(const Key& key) {
  uint64_t hash = key.operation;
  for (const Id child : key.children) {
    hash = (hash ^ child) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
  }
  return hash;
}

bool EGraph::are_same(const Key& a, const Key& b) {
  return a.operation == b.operation && std::ranges::equal(a.children, b.children);
}

std::optional<Symbol> EGraph::known_symbol(std::string_view name) const {
  const auto known = symbols_.find(name);
  return known == symbols_.end() ? std::nullopt : std::optional<Symbol>(known->second);
}

Symbol EGraph::symbol(std::string_view name) {
  if (const std::optional<Symbol> known = known_symbol(name)) return *known;
  const auto made = static_cast<Symbol>(names_.size());
  names_.emplace_back(name);
  with_.emplace_back();
  symbols_.emplace(name, made);
  return made;
}

Id EGraph::find(Id of) const {
  while (leaders_[of] != of) {
    leaders_[of] = leaders_[leaders_[of]];
    of = leaders_[of];
  }
  return of;
}

std::optional<Id> EGraph::lookup(Symbol operation, std::span<const Id> children) const {
  leading_.assign(children.begin(), children.end());
  for (Id& child : leading_) child = find(child);
  const auto known = memo_.find(Key{operation, leading_});
  return known == memo_.end() ? std::nullopt : std::optional<Id>(find(*known));
}

Id EGraph::add(Symbol operation, std::span<const Id> children) {
  if (const std::optional<Id> known = lookup(operation, children)) return *known;
  const auto made = static_cast<Id>(nodes_.size());
  nodes_.push_back({operation, static_cast<uint32_t>(children_.size()), static_cast<uint32_t>(leading_.size())});
  leaders_.push_back(made);
  classes_.push_back({{made}, {}, false});
  children_.insert(children_.end(), leading_.begin(), leading_.end());
  for (const Id child : leading_) {
    std::vector<Id>& parents = classes_[child].parents;
    if (parents.empty() || parents.back() != made) parents.push_back(made);
  }
  memo_.insert(made);
  mark(made);
  if (analysis_ != nullptr) {
    analysis_->made(*this, made);
    analysis_->modify(*this, made);
  }
  return find(made);
}

void EGraph::mark(Id of) {
  if (std::exchange(classes_[of].is_dirty, true)) return;
  dirty_.push_back(of);
}

bool EGraph::unite(Id a, Id b) {
  Id into = find(a), from = find(b);
  if (into == from) return false;
  const size_t more = classes_[into].parents.size(), fewer = classes_[from].parents.size();
  if (more < fewer || (more == fewer && from < into)) std::swap(into, from);
  leaders_[from] = into;
  ++unions_;
  Class& kept = classes_[into];
  Class left = std::exchange(classes_[from], {});
  pending_.insert(pending_.end(), left.parents.begin(), left.parents.end());
  const size_t own = kept.parents.size();
  kept.nodes.insert(kept.nodes.end(), left.nodes.begin(), left.nodes.end());
  kept.parents.insert(kept.parents.end(), left.parents.begin(), left.parents.end());
  mark(into);
  if (analysis_ == nullptr) return true;
  const auto [into_changed, from_changed] = analysis_->joined(into, from);
  const auto begin = kept.parents.begin();
  if (into_changed) stale_.insert(stale_.end(), begin, begin + static_cast<std::ptrdiff_t>(own));
  if (from_changed) stale_.insert(stale_.end(), begin + static_cast<std::ptrdiff_t>(own), kept.parents.end());
  analysis_->modify(*this, into);
  return true;
}

void EGraph::keep_leaves(Id of) {
  for (const Id node : classes_[find(of)].nodes) nodes_[node].is_hidden = nodes_[node].count != 0;
  mark(find(of));
}

void EGraph::lead_children(Id node) {
  const Node& of = nodes_[node];
  for (uint32_t i = of.first; i < of.first + of.count; ++i) children_[i] = find(children_[i]);
}

/// Gives a node the leaders of its children; one that is the same now is equal. All of their children keep only one of
/// the two among their parents: else a later union of one child would put the other in its place, unseen by the rest.
void EGraph::repair(Id node) {
  const auto known = memo_.find(node);
  if (known != memo_.end() && *known == node) memo_.erase(known);
  lead_children(node);
  mark(find(node));
  const auto [same, is_new] = memo_.insert(node);
  if (is_new) return;
  for (const Id child : children(node)) mark(child);
  unite(*same, node);
}

void EGraph::rebuild() {
  while (!pending_.empty() || !stale_.empty()) {
    while (!pending_.empty()) {
      const Id node = pending_.back();
      pending_.pop_back();
      repair(node);
    }
    while (!stale_.empty()) {
      const Id node = stale_.back();
      stale_.pop_back();
      const Id of = find(node);
      if (!analysis_->made_again(*this, node, of)) continue;
      stale_.insert(stale_.end(), classes_[of].parents.begin(), classes_[of].parents.end());
      analysis_->modify(*this, of);
    }
  }
  refresh_classes();
}

/// The node by which this one and those that are the same are found. One that was left for another may have old
/// leaders.
Id EGraph::representative(Id node) {
  auto found = memo_.find(node);
  if (found == memo_.end()) {
    lead_children(node);
    found = memo_.find(node);
  }
  check(found != memo_.end(), "a node is found by its operation and children");
  return *found;
}

void EGraph::refresh_classes() {
  const auto less = [this](Id a, Id b) {
    if (operation(a) != operation(b)) return operation(a) < operation(b);
    return std::ranges::lexicographical_compare(children(a), children(b));
  };
  const auto keep_one = [this](std::vector<Id>& ids) {
    for (Id& id : ids) id = representative(id);
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
  };
  for (const Id of : dirty_) {
    if (leaders_[of] != of) continue;
    Class& changed = classes_[of];
    changed.is_dirty = false;
    keep_one(changed.nodes);
    std::erase_if(changed.nodes, [this](Id node) { return nodes_[node].is_hidden; });
    keep_one(changed.parents);
    std::ranges::sort(changed.nodes, less);
  }
  dirty_.clear();
  live_.clear();
  for (std::vector<Id>& with : with_) with.clear();
  for (Id of = 0; of < leaders_.size(); ++of) {
    if (leaders_[of] != of) continue;
    live_.push_back(of);
    for (const Id node : classes_[of].nodes) {
      std::vector<Id>& with = with_[operation(node)];
      if (with.empty() || with.back() != of) with.push_back(of);
    }
  }
}

}  // namespace covenant::compiler::match
