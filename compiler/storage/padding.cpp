#include "compiler/storage/padding.h"

#include "acg/base/rounding.h"

namespace covenant::compiler {

bool has_adjacent_pixels(const Storage& image) {
  const std::vector<StorageDimension>& d = image.dimensions;
  if (d.size() != 4 || !std::ranges::all_of(d, has_one_step)) return false;
  const uint64_t channels = d[kChannelAxis].size;
  return d[kChannelAxis].strides[0].stride == 1 && d[kColumnAxis].strides[0].stride == channels;
}

Storage padded(const Storage& image, const Room& room, uint64_t channels) {
  const std::vector<uint64_t> shape = shape_of(image);
  Storage storage = channels_last(image.memory, shape, {.channels = channels});
  const uint64_t row = (room.before[1] + shape[kColumnAxis] + room.after[1]) * channels;
  const uint64_t rows = room.before[0] + shape[kRowAxis] + room.after[0];
  storage.dimensions[kColumnAxis].before = room.before[1];
  storage.dimensions[kColumnAxis].after = room.after[1];
  storage.dimensions[kRowAxis].before = room.before[0];
  storage.dimensions[kRowAxis].after = room.after[0];
  storage.dimensions[kRowAxis].strides = {{shape[kRowAxis], row}};
  storage.dimensions[0].strides = {{shape[0], rows * row}};
  storage.offset = room.before[0] * row + room.before[1] * channels;
  storage.is_filled = room.is_any();
  return storage;
}

Storage with_dense_channels(const Storage& image, uint64_t pixels) {
  const StorageDimension& rows = image.dimensions[kRowAxis];
  const StorageDimension& columns = image.dimensions[kColumnAxis];
  const Room room{{rows.before, round_up(columns.before, pixels)}, {rows.after, round_up(columns.after, pixels)}};
  return padded(image, room, image.dimensions[kChannelAxis].size);
}

}  // namespace covenant::compiler
