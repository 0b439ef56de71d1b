/// The backend `interpret`: runs the scheduled codelets, block by block, on the memory image.
#include "compiler/codelet/interpret.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>

#include "acg/base/check.h"
#include "acg/base/packed_elements.h"
#include "acg/base/rounding.h"
#include "compiler/codelet/parse.h"
#include "compiler/emission/layer_results.h"
#include "offchip/make_model.h"
#include "runtime/session/device.h"

namespace covenant::runtime {
namespace {

using compiler::codelet::Codelet;
using compiler::codelet::SurrogateKind;

/// Checks that no option needs timing.
Status check_timeless(const DeviceOptions& options) {
  const char* asked = nullptr;
  if (options.trace) asked = "a trace";
  if (options.records) asked = "retire records";
  if (options.profile) asked = "a profile";
  if (!options.values) asked = "time without values";
  if (!options.wave.empty()) asked = "waveforms";
  if (options.memory != offchip::kFixedMemory) asked = "a model of off-chip memory";
  if (asked == nullptr) return Done{};
  return Diagnostic{
      "RUN0009", {}, "interpret", "this backend has values but no time", asked, {"values"}, "use the backend systemc"};
}

class Interpreter : public Device {
 public:
  Interpreter(const acg::Program& program, std::vector<Codelet> codelets)
      : program_(program), codelets_(std::move(codelets)) {
    for (const acg::Segment& segment : program_.segments) segments_[segment.name] = &segment;
  }

  Result<DeviceResult> run(std::vector<uint8_t>& memory, const DeviceOptions& options) const override {
    if (Status status = check_timeless(options); !status) return status.error();
    for (size_t i = 0; i < codelets_.size(); ++i) {
      compiler::codelet::Bindings tensors;
      for (const auto& surrogate : codelets_[i].surrogates) {
        const acg::Segment* segment = segment_of(i, surrogate.name);
        // An `out` that is a view is written into an existing tensor.
        const bool is_read = surrogate.kind == SurrogateKind::kInp || !surrogate.strides.empty();
        if (segment == nullptr || !is_read) continue;
        const DType dtype = surrogate.dtype.value();
        const std::span<const uint8_t> stored(memory.data() + segment->address, seen_of(surrogate, *segment));
        tensors[surrogate.name] = unpacked(dtype, stored, elements_seen(surrogate, *segment));
      }
      Status status = compiler::codelet::interpret(codelets_[i], &program_.machine, tensors);
      if (!status) return status.error();
      for (const auto& surrogate : codelets_[i].surrogates) {
        const acg::Segment* segment = segment_of(i, surrogate.name);
        if (segment == nullptr || surrogate.kind != SurrogateKind::kOut) continue;
        const std::vector<uint8_t> made = packed(surrogate.dtype.value(), tensors.at(surrogate.name));
        check(made.size() == seen_of(surrogate, *segment), "an output fills its segment");
        std::copy(made.begin(), made.end(), memory.begin() + static_cast<int64_t>(segment->address));
      }
    }
    return DeviceResult{};
  }

 private:
  /// Bytes of a segment: to one that another layer sees as a view, that may have given some more.
  static uint64_t seen_of(const compiler::codelet::Surrogate& surrogate, const acg::Segment& segment) {
    if (!surrogate.strides.empty()) return segment.size;
    return std::min(segment.size, compiler::size_of(surrogate));
  }

  static uint64_t elements_seen(const compiler::codelet::Surrogate& surrogate, const acg::Segment& segment) {
    if (surrogate.strides.empty()) return compiler::elements_of(surrogate);
    return segment.size * 8 / bits(surrogate.dtype.value());
  }

  const acg::Segment* segment_of(size_t block, const std::string& surrogate) const {
    const auto& bindings = program_.blocks[block].bindings;
    const auto found = bindings.find(surrogate);
    return found == bindings.end() ? nullptr : segments_.at(found->second);
  }

  const acg::Program& program_;
  std::vector<Codelet> codelets_;  ///< by block
  std::map<std::string, const acg::Segment*> segments_;
};

/// Bytes of a tensor as its codelet declares it; nothing if that is no type with a shape of numbers that 64 bits count.
std::optional<uint64_t> declared_bytes(const compiler::codelet::Surrogate& surrogate) {
  if (!surrogate.dtype) return std::nullopt;
  uint64_t count = bits(*surrogate.dtype);
  for (const compiler::codelet::Expression& extent : surrogate.shape) {
    const std::optional<int64_t> size = extent.constant();
    if (!size || *size < 0 || __builtin_mul_overflow(count, static_cast<uint64_t>(*size), &count)) return std::nullopt;
  }
  return ceil_divide(count, uint64_t{8});
}

/// Bytes of a segment up to the last element of a view of it; nothing if its strides do not go with its shape, or for a
/// number that 64 bits do not count.
std::optional<uint64_t> spanned_bytes(const compiler::codelet::Surrogate& surrogate) {
  const std::optional<int64_t> offset = surrogate.offset.constant();
  if (!offset || surrogate.strides.size() != surrogate.shape.size()) return std::nullopt;
  int64_t last = *offset;
  for (size_t d = 0; d < surrogate.shape.size(); ++d) {
    const std::optional<int64_t> size = surrogate.shape[d].constant(), stride = surrogate.strides[d].constant();
    int64_t steps = 0;
    const bool is_counted = size && stride && *size > 0 && !__builtin_mul_overflow(*size - 1, *stride, &steps) &&
                            !__builtin_add_overflow(last, steps, &last);
    if (!is_counted) return std::nullopt;
  }
  uint64_t all = 0;
  const bool is_counted =
      last >= 0 && !__builtin_mul_overflow(static_cast<uint64_t>(last) + 1, bits(surrogate.dtype.value()), &all);
  return is_counted ? std::optional(ceil_divide(all, uint64_t{8})) : std::nullopt;
}

/// Bytes that a tensor needs of its segment. Views that are read may overlap, and reach past what they say.
std::optional<uint64_t> needed_bytes(const compiler::codelet::Surrogate& surrogate) {
  const std::optional<uint64_t> declared = declared_bytes(surrogate);
  if (!declared || surrogate.strides.empty()) return declared;
  if (surrogate.kind == SurrogateKind::kOut) return spanned_bytes(surrogate);
  return surrogate.strides.size() == surrogate.shape.size() ? std::optional<uint64_t>(0) : std::nullopt;
}

/// The codelets of a file need not fit the segments that its blocks bind. Returns RUN0016.
Status check_bound(const acg::Program& program, const acg::Block& block, const Codelet& codelet) {
  for (const auto& surrogate : codelet.surrogates) {
    const auto bound = block.bindings.find(surrogate.name);
    if (bound == block.bindings.end() || surrogate.kind == SurrogateKind::kParam) continue;
    const auto segment = std::find_if(program.segments.begin(), program.segments.end(),
                                      [&](const acg::Segment& one) { return one.name == bound->second; });
    check(segment != program.segments.end(), "blocks bind segments of their program");
    const std::optional<uint64_t> size = needed_bytes(surrogate);
    if (size && *size <= segment->size) continue;
    return Diagnostic{"RUN0016",
                      {},
                      block.layer,
                      "its codelet does not fit the memory that the program gives it",
                      surrogate.name + (size ? fmt::format(", {} bytes", *size) : ""),
                      {fmt::format("at most {} bytes", segment->size)},
                      "compile the model again"};
  }
  return Done{};
}

}  // namespace

Result<std::unique_ptr<Device>> make_interpreter(const acg::Program& program) {
  std::vector<Codelet> codelets;
  for (const acg::Block& block : program.blocks) {
    Result<Codelet> codelet = compiler::codelet::parse(block.codelet, block.layer);
    if (!codelet) return codelet.error();
    if (Status fits = check_bound(program, block, *codelet); !fits) return fits.error();
    codelets.push_back(std::move(*codelet));
  }
  return std::unique_ptr<Device>(std::make_unique<Interpreter>(program, std::move(codelets)));
}

}  // namespace covenant::runtime
