#include "compiler/binding/doubled_sums.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "acg/base/check.h"
#include "compiler/codelet/rewrite.h"

namespace covenant::compiler {
namespace {

using codelet::Codelet;
using codelet::Compute;
using codelet::Operation;
using codelet::Reference;

constexpr const char* kDoublings = "DOUBLINGS";
constexpr int kShift = 7;          // bits after the point of a sum that is scaled
constexpr int kMostDoublings = 3;  // each doubling takes registers of its own
constexpr int kSumBits = 31;       // without the sign
constexpr int kElementBits = 17;   // bits of the widest element less its zero point

bool scales_sum(const Compute& compute) {
  return compute.capability == "REQUANT" && !compute.operands.empty() &&
         std::holds_alternative<Reference>(compute.operands[0]);
}

class Doubling {
 public:
  Doubling(const Codelet& bound, int64_t times) : result_(bound), times_(times) {}

  Codelet run() {
    double_in(result_.body);
    check(is_done_, "a codelet whose sums are doubled scales them once");
    return std::move(result_);
  }

 private:
  void double_in(std::vector<Operation>& body) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (auto* loop = std::get_if<codelet::Loop>(&body[i].op)) double_in(loop->body);
      auto* scaling = std::get_if<Compute>(&body[i].op);
      if (scaling == nullptr || !scales_sum(*scaling) || is_done_) continue;
      is_done_ = true;
      Reference sum = std::get<Reference>(scaling->operands.at(0));
      std::vector<Operation> doubled;
      for (int64_t time = 1; time <= times_; ++time) {
        Reference twice = sum;
        twice.surrogate = add_local(sum.surrogate, time);
        doubled.push_back({Compute{twice, scaling->location, "ADD", {sum, sum}, {}}, body[i].where});
        sum = std::move(twice);
      }
      scaling->operands[0] = sum;
      body.insert(body.begin() + static_cast<std::ptrdiff_t>(i), doubled.begin(), doubled.end());
      return;
    }
  }

  std::string add_local(const std::string& sum, int64_t time) {
    codelet::Surrogate twice = *find_surrogate(result_, sum);
    twice.name = "doubled" + std::to_string(time);
    result_.surrogates.push_back(twice);
    return twice.name;
  }

  Codelet result_;
  int64_t times_;
  bool is_done_ = false;
};

}  // namespace

uint32_t doublings(float greatest, uint64_t count) {
  int exponent = 0;
  std::frexp(greatest, &exponent);
  const int shift = greatest == 0 ? 0 : -exponent;
  if (shift <= 0 || shift >= kShift) return 0;
  const int room = kSumBits - kElementBits - static_cast<int>(std::ceil(std::log2(static_cast<double>(count))));
  return static_cast<uint32_t>(std::clamp(std::min(kShift - shift, kMostDoublings), 0, std::max(0, room)));
}

float of_doubled(float scale, uint32_t doublings) { return std::ldexp(scale, -static_cast<int>(doublings)); }

void set_doublings(NetworkLayer& layer, uint32_t doublings) {
  if (doublings > 0) layer.layer.params[kDoublings] = int64_t{doublings};
}

Status verify_doublings(const Codelet& codelet, const NetworkLayer& layer) {
  const auto found = layer.layer.params.find(kDoublings);
  if (found == layer.layer.params.end()) return Done{};
  bool has_sum = false;
  for_each_operation(codelet.body, [&](const Operation& operation, const auto& /*loops*/) {
    const auto* compute = std::get_if<Compute>(&operation.op);
    has_sum = has_sum || (compute != nullptr && scales_sum(*compute));
  });
  const auto* times = std::get_if<int64_t>(&found->second);
  if (has_sum && times != nullptr && *times >= 1 && *times <= kMostDoublings) return Done{};
  return Diagnostic{"NET0004",
                    {},
                    layer.layer.name,
                    has_sum ? "the sums of a layer are doubled once to three times"
                            : "the codelet scales no sum that could be doubled",
                    times == nullptr ? kDoublings : std::to_string(*times),
                    {},
                    "leave out the parameter " + std::string(kDoublings)};
}

Codelet with_doubled_sums(const Codelet& bound, const NetworkLayer& layer) {
  const auto times = layer.layer.params.find(kDoublings);
  if (times == layer.layer.params.end()) return bound;
  return Doubling(bound, std::get<int64_t>(times->second)).run();
}

Layer without_doublings(const NetworkLayer& layer) {
  Layer result = layer.layer;
  result.params.erase(kDoublings);
  return result;
}

}  // namespace covenant::compiler
