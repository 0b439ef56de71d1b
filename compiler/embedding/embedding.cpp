#include "compiler/embedding/embedding.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "acg/base/check.h"

namespace covenant::compiler::embedding {
namespace {

int64_t rounded_up(int64_t dividend, int64_t divisor) { return dividend / divisor + (dividend % divisor != 0 ? 1 : 0); }

int64_t saturated_product(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// The dimension of an access that the axis indexes; nothing if there is none, or several.
std::optional<size_t> only_dimension(const Access& access, size_t axis) {
  std::optional<size_t> found;
  for (size_t d = 0; d < access.indices.size(); ++d) {
    if (!access.indices[d].mentions(axis)) continue;
    if (found) return std::nullopt;
    found = d;
  }
  return found;
}

/// Axes of more than one instance that an index depends on, apart from `axis`.
std::vector<size_t> others_in(const AffineIndex& index, const Workload& workload, size_t axis) {
  std::vector<size_t> others;
  for (size_t a = 0; a < workload.axes.size(); ++a) {
    if (a != axis && index.mentions(a) && workload.axes[a].extent > 1) others.push_back(a);
  }
  return others;
}

bool is_banded(const Embedding& embedding, size_t axis) { return std::ranges::count(embedding.band, axis) > 0; }

/// True if the factor counts positions of a window, not instances.
bool is_window(const Embedding& embedding, const Instruction& instruction, size_t place, const Factor& factor) {
  return instruction.axes[place].is_reduction && is_banded(embedding, factor.axis);
}

/// Which operand of the instruction, 0 or 1, the workload has as a constant; the second one if both are.
std::optional<size_t> constant_operand(const Workload& workload, bool is_exchanged) {
  if (workload.inputs.size() < 2) return std::nullopt;
  for (const size_t operand : {size_t{1}, size_t{0}}) {
    const Access& access = workload.inputs[is_exchanged ? 1 - operand : operand];
    if (access.is_constant && !access.indices.empty()) return operand;
  }
  return std::nullopt;
}

/// A banded axis with these operands, the matrix being the instruction's operand `place`.
std::optional<Band> band_along(const Workload& workload, const Access& matrix, size_t place, const Access& other,
                               size_t axis) {
  const std::optional<size_t> dimension = only_dimension(other, axis), result = only_dimension(workload.output, axis);
  if (workload.axes[axis].extent < 2 || !dimension || !result) return std::nullopt;
  if (!others_in(workload.output.indices[*result], workload, axis).empty()) return std::nullopt;
  const AffineIndex& index = other.indices[*dimension];
  if (index.coefficients[axis] < 1) return std::nullopt;
  const std::vector<size_t> others = others_in(index, workload, axis);
  if (others.empty()) return Band{axis, place, std::nullopt, 1, 1, index.coefficients[axis]};
  const size_t tap = others.front();
  const bool is_tap = others.size() == 1 && workload.axes[tap].is_reduction && matrix.mentions(tap) &&
                      index.coefficients[tap] > 0 && only_dimension(other, tap).has_value();
  if (!is_tap) return std::nullopt;
  const int64_t lattice = std::gcd(index.coefficients[axis], index.coefficients[tap]);
  return Band{axis, place, tap, index.coefficients[axis] / lattice, index.coefficients[tap] / lattice, lattice};
}

/// The band of each banded axis, in their order.
std::vector<Band> bands_in(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  if (embedding.band.empty()) return {};
  std::vector<Band> bands = bands_of(workload, instruction, embedding.is_exchanged);
  std::erase_if(bands, [&](const Band& band) { return !is_banded(embedding, band.axis); });
  check(bands.size() == embedding.band.size(), "an axis is banded that cannot be");
  return bands;
}

bool is_flat(const Embedding& embedding, size_t axis) { return std::ranges::count(embedding.flat, axis) > 0; }

/// Spreads the count of axes that are counted as one over them. False past their end.
bool spread(const Embedding& embedding, const Workload& workload, std::vector<int64_t>& point) {
  int64_t rest = point.back();
  for (size_t member = embedding.flat.size(); member-- > 0;) {
    const size_t axis = embedding.flat[member];
    point[axis] = rest % workload.axes[axis].extent;
    rest /= workload.axes[axis].extent;
  }
  point.pop_back();
  return rest == 0;
}

/// Decodes one axis of the instruction. False if the place is idle.
bool decode(const Embedding& embedding, const Instruction& instruction, size_t place, int64_t at, Origin& reached) {
  for (size_t f = embedding.positions[place].size(); f-- > 0;) {
    const Factor& factor = embedding.positions[place][f];
    const int64_t digit = at % factor.count;
    at /= factor.count;
    if (is_window(embedding, instruction, place, factor)) {
      const auto band = std::ranges::find(embedding.band, factor.axis) - embedding.band.begin();
      reached.windows[static_cast<size_t>(band)] += digit;
    } else {
      reached.point[factor.axis] += digit * factor.stride;
    }
  }
  return at == 0;
}

/// The factor of a workload's axis that counts its instances, or one of a single instance.
Factor factor_of(const Embedding& embedding, const Instruction& instruction, size_t axis, bool of_window) {
  for (size_t place = 0; place < embedding.positions.size(); ++place) {
    for (const Factor& factor : embedding.positions[place]) {
      if (factor.axis == axis && is_window(embedding, instruction, place, factor) == of_window) return factor;
    }
  }
  return {axis, 1, 1};
}

}  // namespace

int64_t Band::window(int64_t outputs, const Workload& workload) const {
  if (!tap) return outputs;
  return across * (outputs - 1) + along * (workload.axes[*tap].extent - 1) + 1;
}

bool Band::has_columns(const Instruction& instruction, size_t place) const {
  return instruction.axes[place].size > 1 && instruction.inputs[matrix].mentions(place) &&
         !instruction.inputs[1 - matrix].mentions(place) && instruction.output.mentions(place);
}

bool Band::has_sums(const Instruction& instruction, size_t place) const {
  return instruction.axes[place].size > 1 && instruction.inputs[matrix].mentions(place) &&
         instruction.inputs[1 - matrix].mentions(place) && !instruction.output.mentions(place);
}

const Access& access_of(const Workload& workload, const Embedding& embedding, size_t input) {
  return workload.inputs[embedding.is_exchanged && input < 2 ? 1 - input : input];
}

std::vector<Band> bands_of(const Workload& workload, const Instruction& instruction, bool is_exchanged) {
  const std::optional<size_t> matrix = constant_operand(workload, is_exchanged);
  if (!matrix || instruction.inputs.size() < 2) return {};
  const auto input = [&](size_t operand) -> const Access& {
    return workload.inputs[is_exchanged ? 1 - operand : operand];
  };
  std::vector<Band> bands;
  for (size_t axis = 0; axis < workload.axes.size(); ++axis) {
    const std::optional<Band> band = band_along(workload, input(*matrix), *matrix, input(1 - *matrix), axis);
    if (band) bands.push_back(*band);
  }
  bool has_columns = false, has_sums = false;
  for (size_t place = 0; !bands.empty() && place < instruction.axes.size(); ++place) {
    has_columns = has_columns || bands[0].has_columns(instruction, place);
    has_sums = has_sums || bands[0].has_sums(instruction, place);
  }
  return has_columns && has_sums ? bands : std::vector<Band>{};
}

int64_t extent_of(const Embedding& embedding, const Workload& workload, size_t axis) {
  if (axis < workload.axes.size()) return workload.axes[axis].extent;
  int64_t product = 1;
  for (const size_t member : embedding.flat) product *= workload.axes[member].extent;
  return product;
}

std::vector<Trip> trips_of(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  const std::vector<Band> bands = bands_in(embedding, workload, instruction);
  const auto is_tap = [&](size_t axis) {
    return std::ranges::any_of(bands, [&](const Band& band) { return band.tap == axis; });
  };
  std::vector<Trip> trips;
  const auto add = [&](const Trip& trip) {
    if (trip.count > 1) trips.push_back(trip);
  };
  for (size_t axis = 0; axis <= workload.axes.size(); ++axis) {
    if (is_tap(axis) || is_flat(embedding, axis)) continue;  // the window, or the one count, goes through them
    const Factor factor = factor_of(embedding, instruction, axis, false);
    const int64_t length = factor.count * factor.stride;
    add({axis, rounded_up(extent_of(embedding, workload, axis), length), length, false});
    add({axis, factor.stride, 1, false});
  }
  for (const Band& band : bands) {
    const int64_t outputs = factor_of(embedding, instruction, band.axis, false).count;
    const int64_t count = factor_of(embedding, instruction, band.axis, true).count;
    add({band.axis, rounded_up(band.window(outputs, workload), count), count, true});
  }
  return trips;
}

int64_t steps(const Embedding& embedding, const Workload& workload, const Instruction& instruction) {
  int64_t product = 1;
  for (const Trip& trip : trips_of(embedding, workload, instruction)) product = saturated_product(product, trip.count);
  return product;
}

Origin origin_of(const Embedding& embedding, const Workload& workload, const std::vector<Trip>& trips,
                 std::span<const int64_t> iteration) {
  Origin origin{std::vector<int64_t>(workload.axes.size() + 1, 0), std::vector<int64_t>(embedding.band.size(), 0)};
  for (size_t t = 0; t < trips.size(); ++t) {
    const int64_t moved = iteration[t] * trips[t].distance;
    if (trips[t].is_window) {
      const auto band = std::ranges::find(embedding.band, trips[t].axis) - embedding.band.begin();
      origin.windows[static_cast<size_t>(band)] += moved;
    } else {
      origin.point[trips[t].axis] += moved;
    }
  }
  return origin;
}

std::optional<std::vector<int64_t>> instance_at(const Embedding& embedding, const Workload& workload,
                                                const Instruction& instruction, const Origin& origin,
                                                std::span<const int64_t> point) {
  Origin reached = origin;
  for (size_t place = 0; place < instruction.axes.size(); ++place) {
    if (!decode(embedding, instruction, place, point[place], reached)) return std::nullopt;
  }
  if (!spread(embedding, workload, reached.point)) return std::nullopt;
  const std::vector<Band> bands = bands_in(embedding, workload, instruction);
  for (size_t b = 0; b < bands.size(); ++b) {
    const size_t axis = bands[b].axis;
    // The tap that leads from the output to this position, if there is one.
    const int64_t distance = reached.windows[b] - bands[b].across * (reached.point[axis] - origin.point[axis]);
    if (distance < 0 || distance % bands[b].along != 0) return std::nullopt;
    if (bands[b].tap) {
      reached.point[bands[b].tap.value()] = distance / bands[b].along;
    } else if (distance != 0) {
      return std::nullopt;
    }
  }
  for (size_t axis = 0; axis < workload.axes.size(); ++axis) {
    if (reached.point[axis] >= workload.axes[axis].extent) return std::nullopt;
  }
  return reached.point;
}

int64_t packed_elements(const Embedding& embedding, const Workload& workload, const Instruction& instruction,
                        size_t input) {
  const Access& access = workload.inputs[input];
  check(access.is_constant, "only constants are packed");
  const size_t operand = embedding.is_exchanged && input < 2 ? 1 - input : input;
  int64_t elements = 1;
  for (const size_t place : instruction.inputs[operand].axes) elements *= instruction.axes[place].size;
  for (const Trip& trip : trips_of(embedding, workload, instruction)) {
    const bool is_one = trip.axis == workload.axes.size();
    if (trip.is_window || access.mentions(is_one ? embedding.flat.front() : trip.axis))
      elements = saturated_product(elements, trip.count);
  }
  return elements;
}

std::set<Relaxation> relaxations_of(const Embedding& embedding, const Workload& workload,
                                    const Instruction& instruction) {
  std::set<Relaxation> used;
  if (embedding.is_exchanged) used.insert(Relaxation::kExchange);
  if (!embedding.band.empty()) used.insert(Relaxation::kBand);
  const std::vector<Band> bands = bands_in(embedding, workload, instruction);
  if (std::ranges::any_of(bands, [](const Band& band) { return band.lattice != 1; })) used.insert(Relaxation::kStrided);
  const auto read = [&](size_t axis, size_t place, const Access& access, const InstructionOperand& operand) {
    const std::optional<size_t> dimension = only_dimension(access, axis);
    if (!dimension) {
      if (operand.mentions(place) && !access.tensor.empty()) used.insert(Relaxation::kUnroll);
      return;
    }
    const AffineIndex& index = access.indices[*dimension];
    if (!others_in(index, workload, axis).empty()) used.insert(Relaxation::kUnroll);
    if (std::abs(index.coefficients[axis]) != 1) used.insert(Relaxation::kStrided);
  };
  if (!embedding.flat.empty()) used.insert(Relaxation::kFuse);
  for (size_t place = 0; place < instruction.axes.size(); ++place) {
    int64_t product = 1;
    for (const Factor& factor : embedding.positions[place]) {
      product *= factor.count;
      const auto band = std::ranges::find(bands, factor.axis, &Band::axis);
      const bool of_window = is_window(embedding, instruction, place, factor);
      const int64_t outputs = factor_of(embedding, instruction, factor.axis, false).count;
      const int64_t length = of_window ? band->window(outputs, workload) : extent_of(embedding, workload, factor.axis);
      if (length % (factor.count * factor.stride) != 0) used.insert(Relaxation::kPad);
      if (factor.stride != 1) used.insert(Relaxation::kStrided);
      if (of_window) continue;
      const bool is_one = factor.axis == workload.axes.size();
      for (const size_t axis : is_one ? embedding.flat : std::vector<size_t>{factor.axis}) {
        for (size_t i = 0; band == bands.end() && i < instruction.inputs.size(); ++i) {
          read(axis, place, access_of(workload, embedding, i), instruction.inputs[i]);
        }
        read(axis, place, workload.output, instruction.output);
      }
    }
    if (product != instruction.axes[place].size) used.insert(Relaxation::kPad);
    if (embedding.positions[place].size() > 1) used.insert(Relaxation::kFuse);
  }
  return used;
}

}  // namespace covenant::compiler::embedding
