/// QEMU's Hexagon: an independent implementation of the instruction set. It reports every register before every packet.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "acg/isa/vliw/elf_file.h"
#include "sim/vliw/registers.h"

namespace covenant::acg::testing {

/// The registers before a packet.
struct QemuState {
  uint32_t address = 0;
  sim::vliw::Registers registers;
};

/// One run of a file, packet by packet. Its files are in a temporary folder that the destructor removes.
class Qemu {
 public:
  explicit Qemu(const ElfFile& program);
  ~Qemu();
  Qemu(const Qemu&) = delete;
  Qemu& operator=(const Qemu&) = delete;

  /// The registers before the next packet; false at the end.
  bool next(QemuState& state);
  /// The program's output, after its end.
  std::vector<uint8_t> written() const;

 private:
  struct Close {
    void operator()(FILE* pipe) const { ::pclose(pipe); }
  };
  struct Buffer {
    char* text = nullptr;
    size_t size = 0;
    ~Buffer() { ::free(text); }
  };

  bool read_line();
  void read_register(QemuState& state) const;

  std::filesystem::path folder_;
  std::unique_ptr<FILE, Close> log_;
  Buffer buffer_;
  std::string_view line_;
  bool in_vectors_ = false;
};

}  // namespace covenant::acg::testing
