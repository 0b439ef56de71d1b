/// Results of a run that only one family of machines has.
#pragma once

namespace covenant::sim {

/// A family derives its own from it: records of commands in a form that no other has, for one. Who knows the family
/// casts to that.
class FamilyResult {
 public:
  FamilyResult() = default;
  FamilyResult(const FamilyResult&) = delete;
  FamilyResult& operator=(const FamilyResult&) = delete;
  virtual ~FamilyResult() = default;
};

}  // namespace covenant::sim
