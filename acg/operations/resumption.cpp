#include "acg/operations/resumption.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "acg/operations/operation.h"

namespace covenant::acg {
namespace {

struct Entry {
  Operation operation;
  Resumes resumes;
};

/// Operations that resume; all others never do.
constexpr std::array<Entry, 3> kResuming{{{Operation::kGemm, Resumes::kFreely},
                                          {Operation::kReduceMax, Resumes::kAtACost},
                                          {Operation::kReduceSum, Resumes::kAtACost}}};

/// True if `capability` is `name` in capitals: capabilities are named after operations.
bool is_capital_of(std::string_view capability, std::string_view name) {
  return std::ranges::equal(capability, name, [](char capital, char letter) {
    return std::tolower(static_cast<unsigned char>(capital)) == static_cast<unsigned char>(letter);
  });
}

}  // namespace

std::optional<Resumes> resumes(UnitKind unit, std::string_view capability) {
  for (const OperationInfo& entry : operations()) {
    if (entry.unit != unit || !is_capital_of(capability, entry.name)) continue;
    const auto* found = std::ranges::find(kResuming, entry.operation, &Entry::operation);
    return found == kResuming.end() ? Resumes::kNever : found->resumes;
  }
  return std::nullopt;
}

}  // namespace covenant::acg
