#include "compiler/network/storage.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

/// Its dimensions, neighbours joined where the one goes on where the other ends; those of one index are left out.
std::vector<StorageDimension> without_gaps(const Storage& storage) {
  std::vector<StorageDimension> rows;
  for (const StorageDimension& dimension : storage.dimensions) {
    if (dimension.size == 1) continue;
    const bool follows = !rows.empty() && is_plain(rows.back()) && is_plain(dimension) &&
                         rows.back().strides[0].stride == dimension.size * dimension.strides[0].stride;
    if (!follows) {
      rows.push_back(dimension);
    } else {
      rows.back() = dimension_of(rows.back().size * dimension.size, dimension.strides[0].stride);
    }
  }
  return rows;
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

Storage permuted(const Storage& storage, const std::vector<size_t>& order) {
  check(order.size() == storage.dimensions.size(), "an order names every dimension");
  Storage result = storage;
  for (size_t i = 0; i < order.size(); ++i) result.dimensions[i] = storage.dimensions.at(order[i]);
  return result;
}

Result<Storage> reshaped(const Storage& storage, const std::vector<uint64_t>& shape) {
  uint64_t count = 1;
  uint64_t wanted = 1;
  for (const StorageDimension& dimension : storage.dimensions) count *= dimension.size;
  for (const uint64_t size : shape) wanted *= size;
  const auto refused = [&](const std::string& why) {
    return refusal("a tensor cannot be seen in another shape: " + why,
                   fmt::format("[{}] as [{}]", fmt::join(shape_of(storage), ","), fmt::join(shape, ",")),
                   "store it without padding between these elements");
  };
  if (count != wanted) return refused("the numbers of elements differ");
  Storage result = storage;
  result.dimensions.assign(shape.size(), dimension_of(1, 0));
  std::vector<StorageDimension> rows = without_gaps(storage);
  for (size_t d = shape.size(); d-- > 0;) {
    if (shape[d] == 1) continue;
    StorageDimension& row = rows.back();
    if (!is_plain(row) && row.size != shape[d]) return refused("a dimension lies in tiles");
    if (row.size % shape[d] != 0) return refused("elements that would be neighbours are not");
    result.dimensions[d] = is_plain(row) ? dimension_of(shape[d], row.strides[0].stride) : row;
    row.size /= shape[d];
    row.strides[0].stride *= shape[d];
    if (row.size == 1) rows.pop_back();
  }
  return result;
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
