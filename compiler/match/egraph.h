/// E-graphs: classes of equal terms, in which what is equal is held once.
///
/// After Willsey et al., "egg: Fast and Extensible Equality Saturation", section 3: unions leave it to `rebuild` to
/// make congruent nodes equal, once for all of them. Nothing depends on time, addresses or hashes: the same calls give
/// the same ids.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace covenant::compiler::match {

/// A node, and the class of which it was the first.
using Id = uint32_t;
/// Name of an operation.
using Symbol = uint32_t;

class EGraph;

/// Facts about classes that are kept while nodes come and classes meet: shapes, constants. One for each class; they
/// form a join-semilattice.
class Analysis {
 public:
  virtual ~Analysis() = default;
  /// A node has come, with a class of its own.
  virtual void made(const EGraph& graph, Id node) = 0;
  /// A class joins another: whether the fact of `into` has changed, and whether it is now other than that of `from`
  /// was.
  virtual std::pair<bool, bool> joined(Id into, Id from) = 0;
  /// The fact of a child has changed: whether that of the node's class, `of`, has so.
  virtual bool made_again(const EGraph& graph, Id node, Id of) = 0;
  /// The fact of a class is new or has changed: may add nodes and unite classes.
  virtual void modify(EGraph& /*graph*/, Id /*of*/) {}
};

class EGraph {
 public:
  /// The analysis, if any, must outlive the graph.
  explicit EGraph(Analysis* analysis = nullptr) : analysis_(analysis), memo_(64, Hash{this}, Equal{this}) {}
  EGraph(const EGraph&) = delete;
  EGraph& operator=(const EGraph&) = delete;

  Symbol symbol(std::string_view name);
  std::optional<Symbol> known_symbol(std::string_view name) const;
  const std::string& name(Symbol symbol) const { return names_[symbol]; }

  /// The class of this node, which is added if it is not there.
  Id add(Symbol operation, std::span<const Id> children);
  std::optional<Id> lookup(Symbol operation, std::span<const Id> children) const;
  /// Makes two classes one. Returns whether they were two.
  bool unite(Id a, Id b);
  /// Leaves a class to its nodes without children, of which it has one: the others are not looked into any more, but
  /// what is equal to them is still known to be.
  void keep_leaves(Id of);
  /// Restores congruence: what has equal operations of equal children is equal. Needed before classes are looked into.
  void rebuild();
  bool is_clean() const { return pending_.empty() && stale_.empty() && dirty_.empty(); }
  /// Nodes that have been added and classes that have been united, ever: what leaves it alone has changed nothing.
  size_t changes() const { return nodes_.size() + unions_; }

  Id find(Id of) const;
  Symbol operation(Id node) const { return nodes_[node].operation; }
  std::span<const Id> children(Id node) const {
    return std::span(children_).subspan(nodes_[node].first, nodes_[node].count);
  }

  /// The rest: precondition `is_clean()`.
  std::span<const Id> classes() const { return live_; }                                  ///< ascending
  std::span<const Id> nodes(Id of) const { return classes_[find(of)].nodes; }            ///< by operation and children
  std::span<const Id> parents(Id of) const { return classes_[find(of)].parents; }        ///< nodes with it as a child
  std::span<const Id> classes_with(Symbol operation) const { return with_[operation]; }  ///< ascending
  /// Nodes that differ, also those that are not looked into.
  size_t node_count() const { return memo_.size(); }
  size_t class_count() const { return live_.size(); }

 private:
  struct Node {
    Symbol operation;
    uint32_t first, count;  ///< of its children
    bool is_hidden = false;
  };
  struct Class {
    std::vector<Id> nodes, parents;
    bool is_dirty = false;
  };
  struct Key {
    Symbol operation;
    std::span<const Id> children;
  };
  struct Hash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): its name in std
    const EGraph* graph;
    size_t operator()(const auto& of) const { return hash(graph->key(of)); }
  };
  struct Equal {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): its name in std
    const EGraph* graph;
    bool operator()(const auto& a, const auto& b) const { return are_same(graph->key(a), graph->key(b)); }
  };

  static size_t hash(const Key& key);
  static bool are_same(const Key& a, const Key& b);
  static Key key(const Key& key) { return key; }
  Key key(Id node) const { return {operation(node), children(node)}; }
  void lead_children(Id node);
  void repair(Id node);
  Id representative(Id node);
  void refresh_classes();
  void mark(Id of);

  // Not even what is const may be called by two threads at once.
  Analysis* analysis_;
  std::vector<std::string> names_;
  std::map<std::string, Symbol, std::less<>> symbols_;
  std::vector<Node> nodes_;
  std::vector<Id> children_;
  mutable std::vector<Id> leaders_;  ///< union-find
  std::vector<Class> classes_;       ///< by their leaders; of others, nothing
  std::unordered_set<Id, Hash, Equal> memo_;
  std::vector<Id> pending_;          ///< nodes of which a child has another leader
  std::vector<Id> stale_;            ///< nodes of which a child has another fact
  std::vector<Id> dirty_;            ///< classes of which nodes or parents have changed since the last rebuild
  mutable std::vector<Id> leading_;  ///< leaders of the children last looked up
  size_t unions_ = 0;
  std::vector<Id> live_;
  std::vector<std::vector<Id>> with_;
};

}  // namespace covenant::compiler::match
