#include "compiler/storage/storage.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <numeric>

#include "acg/base/check.h"
#include "acg/base/rounding.h"

namespace covenant::compiler {
namespace {

Diagnostic refusal(const std::string& message, const std::string& offending, const std::string& fix) {
  return Diagnostic{"NET0020", {}, "", message, offending, {}, fix};
}

StorageDimension dimension_of(uint64_t size, uint64_t stride) { return {size, 0, 0, {{size, stride}}}; }

/// One step alone counts all indices of the dimension.
bool is_plain(const StorageDimension& dimension) { return dimension.strides.size() == 1; }

/// Steps of all dimensions, outermost first; those of one index are left out. Nothing if padding is among them.
std::optional<std::vector<acg::Stride>> all_steps(const Storage& storage) {
  std::vector<acg::Stride> steps;
  for (const StorageDimension& dimension : storage.dimensions) {
    if (dimension.size == 1) continue;
    if (is_plain(dimension)) {
      steps.push_back({dimension.size, dimension.strides[0].stride});
      continue;
    }
    uint64_t count = 1;
    for (const acg::Stride& step : dimension.strides) count *= step.count;
    if (count != dimension.size) return std::nullopt;
    steps.insert(steps.end(), dimension.strides.begin(), dimension.strides.end());
  }
  return steps;
}

/// True if one step can replace two, because the outer one continues where the inner one ends.
bool goes_on(const acg::Stride& outer, const acg::Stride& inner) { return outer.stride == inner.count * inner.stride; }

/// Takes `size` indices from the end of `steps`, outermost first. Nothing if no steps make exactly that many.
std::optional<std::vector<acg::Stride>> take(std::vector<acg::Stride>& steps, uint64_t size) {
  std::vector<acg::Stride> taken;
  for (uint64_t open = size; open > 1;) {
    if (steps.empty()) return std::nullopt;
    acg::Stride& last = steps.back();
    const uint64_t count = std::min(open, last.count);
    if (open % count != 0 || last.count % count != 0) return std::nullopt;
    acg::Stride part{count, last.stride};
    last = {last.count / count, last.stride * count};
    if (last.count == 1) steps.pop_back();
    open /= count;
    if (!taken.empty() && goes_on(part, taken.front())) {
      taken.front().count *= count;
    } else {
      taken.insert(taken.begin(), part);
    }
  }
  return taken;
}

std::string print(const StorageDimension& dimension) {
  if (is_plain(dimension)) return fmt::format("{}", dimension.strides[0].stride);
  std::vector<uint64_t> numbers;
  for (const acg::Stride& step : dimension.strides) {
    numbers.push_back(step.count);
    numbers.push_back(step.stride);
  }
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

}  // namespace

Storage channels_last(const std::string& memory, const std::vector<uint64_t>& shape, const ChannelsLast& sizes) {
  check(shape.size() == 4 || shape.size() == 2, "a tensor with channels has rank 4 or 2");
  Storage storage;
  storage.memory = memory;
  storage.dimensions.resize(shape.size());
  const uint64_t channels = sizes.channels == 0 ? shape[1] : sizes.channels;
  storage.dimensions[1] = dimension_of(shape[1], 1);
  storage.dimensions[1].after = channels - shape[1];
  if (shape.size() == 2) {
    storage.dimensions[0] = dimension_of(shape[0], channels);
    return storage;
  }
  const uint64_t group = sizes.row_group;
  const uint64_t row = sizes.row_pixels == 0 ? sizes.left_pixels + shape[3] : sizes.row_pixels;
  const uint64_t groups = ceil_divide(shape[2], group);
  const uint64_t pixel = group * channels;
  storage.dimensions[3] = dimension_of(shape[3], pixel);
  storage.dimensions[3].before = sizes.left_pixels;
  storage.dimensions[3].after = row - sizes.left_pixels - shape[3];
  storage.dimensions[2] = dimension_of(shape[2], row * pixel);
  if (group > 1) storage.dimensions[2].strides = {{groups, row * pixel}, {group, channels}};
  storage.dimensions[2].after = groups * group - shape[2];
  storage.dimensions[0] = dimension_of(shape[0], groups * row * pixel);
  storage.offset = sizes.left_pixels * pixel;
  return storage;
}

std::vector<uint64_t> shape_of(const Storage& storage) {
  std::vector<uint64_t> shape;
  for (const StorageDimension& dimension : storage.dimensions) shape.push_back(dimension.size);
  return shape;
}

uint64_t elements_of(const Storage& storage) {
  uint64_t last = storage.offset;
  for (const StorageDimension& dimension : storage.dimensions) {
    last += acg::steps_to(dimension.strides, dimension.size + dimension.after - 1);
  }
  return last + 1;
}

Storage flattened(const Storage& storage) {
  check(storage.dimensions.size() == 4, "only images are flattened");
  const uint64_t row = storage.dimensions[0].strides.at(0).stride;
  Storage result = storage;
  result.dimensions = {dimension_of(storage.dimensions[0].size, row), dimension_of(row, 1)};
  return result;
}

std::vector<size_t> memory_order(size_t rank) {
  if (rank == 4) return {0, 2, 3, 1};
  std::vector<size_t> order(rank);
  for (size_t d = 0; d < rank; ++d) order[d] = d;
  return order;
}

uint64_t channels_in_memory(const Storage& storage) {
  return storage.dimensions.at(1).size + storage.dimensions.at(1).after;
}

uint64_t room_of_rows(const Storage& storage) {
  const auto row = std::ranges::find_if(storage.dimensions, [](const StorageDimension& one) {
    return one.size + one.after > 1 && one.strides.size() == 1 && one.strides[0].stride == 1;
  });
  return row == storage.dimensions.end() ? 0 : row->after;
}

Storage permuted(const Storage& storage, const std::vector<size_t>& order) {
  check(order.size() == storage.dimensions.size(), "an order names every dimension");
  Storage result = storage;
  for (size_t i = 0; i < order.size(); ++i) result.dimensions[i] = storage.dimensions.at(order[i]);
  return result;
}

Result<Storage> reshaped(const Storage& storage, const std::vector<uint64_t>& shape) {
  const auto refused = [&](const std::string& why) {
    return refusal("a tensor cannot be seen in another shape: " + why,
                   fmt::format("[{}] as [{}]", fmt::join(shape_of(storage), ","), fmt::join(shape, ",")),
                   "store it without padding between these elements");
  };
  const auto count = [](const std::vector<uint64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), uint64_t{1}, std::multiplies<>());
  };
  if (count(shape_of(storage)) != count(shape)) return refused("the numbers of elements differ");
  Storage result = storage;
  result.dimensions.assign(shape.size(), dimension_of(1, 0));
  std::optional<std::vector<acg::Stride>> steps = all_steps(storage);
  if (!steps) return refused("a dimension lies in tiles that are not full");
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    std::optional<std::vector<acg::Stride>> taken = take(*steps, shape[d]);
    if (!taken) return refused("elements that would be neighbours are not");
    result.dimensions[d] = {shape[d], 0, 0, std::move(*taken)};
    // A dimension that stays has its room past both ends still.
    const auto same = std::ranges::find_if(storage.dimensions, [&](const StorageDimension& one) {
      return one.size == shape[d] && one.strides == result.dimensions[d].strides;
    });
    if (same != storage.dimensions.end()) result.dimensions[d] = *same;
  }
  return result;
}

bool have_same_elements(const Storage& one, const Storage& other) {
  if (one.allocation != other.allocation || one.offset != other.offset) return false;
  if (one.dimensions == other.dimensions) return true;
  const auto in_a_row = [](const Storage& storage) -> std::optional<std::vector<acg::Stride>> {
    std::optional<std::vector<acg::Stride>> steps = all_steps(storage);
    if (!steps) return std::nullopt;
    uint64_t count = 1;
    for (const acg::Stride& step : *steps) count *= step.count;
    return take(*steps, count);
  };
  const std::optional<std::vector<acg::Stride>> steps = in_a_row(one);
  return steps && steps == in_a_row(other);
}

Result<Storage> sliced(const Storage& storage, const std::vector<uint64_t>& starts, const std::vector<uint64_t>& steps,
                       const std::vector<uint64_t>& shape) {
  Storage result = storage;
  result.is_filled = false;
  for (size_t d = 0; d < shape.size(); ++d) {
    StorageDimension& dimension = result.dimensions.at(d);
    if (starts[d] == 0 && shape[d] == dimension.size) continue;
    if (!is_plain(dimension)) {
      return refusal("a dimension that takes several steps is cut", print(dimension), "store it in one row");
    }
    const uint64_t stride = dimension.strides[0].stride;
    result.offset += starts[d] * stride;
    dimension = dimension_of(shape[d], steps[d] * stride);
  }
  return result;
}

Storage repeated(const Storage& storage, const std::vector<uint64_t>& factors) {
  Storage result = storage;
  result.is_filled = false;
  for (size_t d = 0; d < factors.size(); ++d) {
    if (factors[d] == 1) continue;
    StorageDimension& dimension = result.dimensions.at(d);
    const uint64_t size = dimension.size * factors[d];
    std::vector<acg::Stride> strides = dimension.strides;
    if (is_plain(dimension)) strides[0].count = dimension.size;
    if (dimension.size == 1) strides.clear();
    strides.push_back({factors[d], 0});
    dimension = {size, 0, 0, std::move(strides)};
  }
  return result;
}

std::vector<Box> boxes_of(const Storage& storage) {
  Box empty{{}, storage};
  empty.storage.dimensions.clear();
  std::vector<Box> boxes{std::move(empty)};
  for (const StorageDimension& dimension : storage.dimensions) {
    std::vector<Box> longer;
    for (const Box& box : boxes) {
      uint64_t start = 0;
      uint64_t offset = box.storage.offset;
      std::vector<acg::Stride> steps = dimension.strides;
      while (start < dimension.size) {
        uint64_t tile = 1;
        for (size_t i = 1; i < steps.size(); ++i) tile *= steps[i].count;
        const uint64_t whole = (dimension.size - start) / tile;
        if (whole > 0) {
          std::vector<acg::Stride> taken = steps;
          taken.front().count = whole;
          if (whole == 1 && taken.size() > 1) taken.erase(taken.begin());
          Box& made = longer.emplace_back(box);
          made.starts.push_back(start);
          made.storage.offset = offset;
          made.storage.dimensions.push_back({whole * tile, 0, 0, std::move(taken)});
          start += whole * tile;
          offset += whole * steps.front().stride;
        }
        steps.erase(steps.begin());
      }
    }
    boxes = std::move(longer);
  }
  return boxes;
}

Result<CommonSteps> common_steps(const Storage& from, const Storage& to, size_t most) {
  const Diagnostic refused =
      refusal("no steps go through both tensors", print(from) + " and " + print(to), "store one of them in one row");
  struct Pair {
    acg::Stride from;
    acg::Stride to;
  };
  std::vector<Pair> pairs;  // outermost first
  for (size_t d = 0; d < to.dimensions.size(); ++d) {
    Storage one = from;
    one.dimensions = {from.dimensions.at(d)};
    Storage other = to;
    other.dimensions = {to.dimensions[d]};
    std::optional<std::vector<acg::Stride>> a = all_steps(one);
    std::optional<std::vector<acg::Stride>> b = all_steps(other);
    if (!a || !b) return refused;
    std::vector<Pair> own;
    while (!a->empty() && !b->empty()) {
      const uint64_t count = std::gcd(a->back().count, b->back().count);
      if (count == 1) return refused;
      own.insert(own.begin(), {take(*a, count).value().front(), take(*b, count).value().front()});
    }
    pairs.insert(pairs.end(), own.begin(), own.end());
  }
  const auto is_further = [](const Pair& a, const Pair& b) { return a.to.stride > b.to.stride; };
  std::ranges::stable_sort(pairs, is_further);
  std::vector<Pair> joined;
  for (const Pair& pair : pairs) {
    const bool follows =
        !joined.empty() && goes_on(joined.back().from, pair.from) && goes_on(joined.back().to, pair.to);
    if (!follows) {
      joined.push_back(pair);
      continue;
    }
    const uint64_t count = joined.back().from.count * pair.from.count;
    joined.back() = {{count, pair.from.stride}, {count, pair.to.stride}};
  }
  // The elements of a vector are contiguous in both; otherwise each element is a vector.
  const bool has_vectors = !joined.empty() && joined.back().from.stride == 1 && joined.back().to.stride == 1;
  if (!has_vectors) joined.push_back({{1, 1}, {1, 1}});
  if (joined.size() > most) return refused;
  joined.insert(joined.begin(), most - joined.size(), {{1, 1}, {1, 1}});
  CommonSteps result{from, to};
  result.from.dimensions.clear();
  result.to.dimensions.clear();
  for (const Pair& pair : joined) {
    result.from.dimensions.push_back(dimension_of(pair.from.count, pair.from.stride));
    result.to.dimensions.push_back(dimension_of(pair.to.count, pair.to.stride));
  }
  return result;
}

Storage dense(const std::string& memory, const std::vector<uint64_t>& shape, const std::vector<size_t>& order,
              uint64_t last) {
  Storage storage;
  storage.memory = memory;
  storage.dimensions.resize(shape.size());
  uint64_t stride = 1;
  for (size_t place = order.size(); place-- > 0;) {
    const size_t d = order[place];
    storage.dimensions[d] = dimension_of(shape[d], stride);
    const bool is_last = place + 1 == order.size();
    if (is_last) storage.dimensions[d].after = last - shape[d];
    stride *= is_last ? last : shape[d];
  }
  return storage;
}

std::vector<size_t> order_of(const Storage& storage) {
  const std::vector<StorageDimension>& dimensions = storage.dimensions;
  const auto is_close = [](const StorageDimension& one) {
    return one.size + one.after > 1 && one.strides.back().stride == 1;
  };
  const bool has_close = std::ranges::any_of(dimensions, is_close);
  if (dimensions.size() == 4 && (!has_close || is_close(dimensions[1]))) return memory_order(4);
  std::vector<size_t> order(dimensions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (!has_close) return order;
  const auto reach = [&](size_t d) {
    return !is_close(dimensions[d]) && dimensions[d].size == 1 ? UINT64_MAX : dimensions[d].strides.back().stride;
  };
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return reach(a) > reach(b); });
  return order;
}

std::string print(const Storage& storage) {
  std::vector<std::string> strides;
  std::vector<uint64_t> before;
  std::vector<uint64_t> after;
  for (const StorageDimension& dimension : storage.dimensions) {
    strides.push_back(print(dimension));
    before.push_back(dimension.before);
    after.push_back(dimension.after);
  }
  const auto any = [](const std::vector<uint64_t>& list) {
    return std::any_of(list.begin(), list.end(), [](uint64_t one) { return one != 0; });
  };
  std::string text = fmt::format("{} allocation={}", storage.memory, storage.allocation);
  if (storage.offset != 0) text += fmt::format(" offset={}", storage.offset);
  text += fmt::format(" strides=[{}]", fmt::join(strides, ","));
  if (any(before)) text += fmt::format(" before=[{}]", fmt::join(before, ","));
  if (any(after)) text += fmt::format(" after=[{}]", fmt::join(after, ","));
  if (storage.is_filled) text += " filled";
  if (storage.lifetime) text += fmt::format(" live=[{},{}]", storage.lifetime->first, storage.lifetime->last);
  return text;
}

}  // namespace covenant::compiler
