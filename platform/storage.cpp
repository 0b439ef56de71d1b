#include "platform/storage.h"

#include <new>

namespace covenant::sc {

Storage::Storage(uint64_t bytes) : own_(static_cast<uint8_t*>(std::calloc(bytes, 1))) {
  if (own_ == nullptr && bytes > 0) throw std::bad_alloc();
  bytes_ = {own_.get(), bytes};
}

}  // namespace covenant::sc
