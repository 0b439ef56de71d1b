/// Lists of operations that units bring along, each an enumeration in a file of its own.
#pragma once

#include <cstddef>
#include <type_traits>

#include "acg/operations/vliw_operation.h"

namespace covenant::acg {

/// An enumeration of operations, numbered from 0, and how many it has.
template <typename Enumeration, size_t kEntries>
struct OperationList {
  using Entry = Enumeration;
  static constexpr size_t kCount = kEntries;
};

/// Several lists, one behind the other.
template <typename... Lists>
struct JoinedLists {
  static constexpr size_t kCount = (Lists::kCount + ...);
  template <typename Entry>
  static constexpr bool kHas = (std::is_same_v<Entry, typename Lists::Entry> || ...);

  /// Number of entries in the list of `Entry`.
  template <typename Entry>
  static constexpr size_t count() {
    return ((std::is_same_v<Entry, typename Lists::Entry> ? Lists::kCount : 0) + ...);
  }
  /// Number of entries before the list of `Entry`.
  template <typename Entry>
  static constexpr size_t first() {
    size_t before = 0;
    bool is_reached = false;
    ((is_reached = is_reached || std::is_same_v<Entry, typename Lists::Entry>,
      before += is_reached ? 0 : Lists::kCount),
     ...);
    return before;
  }
};

/// All lists, in the order of their numbers.
using OperationLists = JoinedLists<OperationList<VliwOperation, kVliwOperationCount>>;

}  // namespace covenant::acg
