#include "compiler/storage/padding.h"

#include "acg/base/rounding.h"

namespace covenant::compiler {

Storage padded(const Storage& image, const Room& room, uint64_t channels) {
  const std::vector<uint64_t> shape = shape_of(image);
  Storage storage = channels_last(image.memory, shape, {.channels = channels});
  const uint64_t row = (room.before[1] + shape[kColumns] + room.after[1]) * channels;
  const uint64_t rows = room.before[0] + shape[kRows] + room.after[0];
  storage.dimensions[kColumns].before = room.before[1];
  storage.dimensions[kColumns].after = room.after[1];
  storage.dimensions[kRows].before = room.before[0];
  storage.dimensions[kRows].after = room.after[0];
  storage.dimensions[kRows].strides = {{shape[kRows], row}};
  storage.dimensions[0].strides = {{shape[0], rows * row}};
  storage.offset = room.before[0] * row + room.before[1] * channels;
  storage.is_filled = room.is_any();
  return storage;
}

Storage with_dense_channels(const Storage& image, uint64_t pixels) {
  const StorageDimension& rows = image.dimensions[kRows];
  const StorageDimension& columns = image.dimensions[kColumns];
  const Room room{{rows.before, round_up(columns.before, pixels)}, {rows.after, round_up(columns.after, pixels)}};
  return padded(image, room, image.dimensions[kChannels].size);
}

}  // namespace covenant::compiler
