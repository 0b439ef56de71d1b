/// Compares the retire records of the RTL with those of the SystemC model as they arrive.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "acg/isa/encode.h"
#include "acg/isa/retire_record.h"
#include "acg/program/program.h"
#include "runtime/lockstep/difference.h"

namespace covenant::runtime {

/// Records are matched by engine and sequence. After the first difference, the comparison continues for a while
/// (`is_decided` tells for how long), so that the earliest difference is reported, with its neighbours.
class Comparison {
 public:
  /// `reference`: every record of the SystemC model, in any order. `program` must outlive the comparison.
  Comparison(const acg::Program& program, const std::vector<acg::RetireRecord>& reference);

  /// A record of the RTL, in the order in which its commands retire.
  void add(const acg::RetireRecord& record);
  /// Enough has been seen after a difference: more records add nothing.
  bool is_decided() const;
  /// No more records come. What the SystemC model retired before `reached` and the RTL has not is a difference.
  void finish(uint64_t reached);

  uint64_t compared() const { return compared_; }
  uint64_t differences() const { return differences_; }
  uint64_t last_retire() const { return last_retire_; }  ///< last retire cycle among the RTL's records so far
  /// The difference that happened first; call after `finish`.
  std::optional<Difference> first() const;

 private:
  struct Lane {                                ///< one engine
    std::vector<acg::RetireRecord> reference;  ///< by sequence
    std::vector<bool> seen;
    std::deque<acg::RetireRecord> recent;  ///< recent records of the RTL
  };
  struct Place {
    size_t lane = 0;
    uint64_t sequence = 0;
    uint64_t cycle = 0;
    std::optional<acg::RetireRecord> systemc;
    std::optional<acg::RetireRecord> rtl;
  };
  void note(const Place& place);
  Difference described(const Place& place) const;
  std::vector<Neighbour> around_reference(const Place& place) const;
  std::vector<Neighbour> around_rtl(const Place& place) const;
  Neighbour neighbour(const acg::RetireRecord& record) const;

  const acg::Program& program_;
  acg::Codec codec_;
  std::vector<std::string> names_;  ///< names of the lanes
  std::vector<Lane> lanes_;         ///< engines, then the fetch unit
  uint64_t compared_ = 0;
  uint64_t differences_ = 0;
  uint64_t last_retire_ = 0;
  uint64_t since_first_ = 0;  ///< records since the first difference
  std::optional<Place> first_;
};

}  // namespace covenant::runtime
