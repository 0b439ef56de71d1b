#include "runtime/lockstep/mixed.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "acg/base/check.h"
#include "runtime/lockstep/lockstep.h"
#include "runtime/session/window.h"
#include "sim/run/simulate.h"

namespace covenant::runtime {
namespace {

std::vector<std::string> layer_names(const acg::Program& program) {
  std::vector<std::string> names;
  for (const acg::Block& block : program.blocks) {
    if (std::find(names.begin(), names.end(), block.layer) == names.end()) names.push_back(block.layer);
  }
  return names;
}

/// A block answers to the names of the layers that were fused into it, too.
bool is_called(const acg::Block& block, const std::string& layer) {
  return block.layer == layer || std::find(block.fused.begin(), block.fused.end(), layer) != block.fused.end();
}

/// Cycles that blocks [first, last] take, by the statistics of the whole program.
uint64_t cycles_of(const sim::Statistics& statistics, size_t first, size_t last) {
  uint64_t cycles = 0;
  for (size_t k = first; k <= last; ++k) cycles += statistics.blocks.at(k).cycles;
  return cycles;
}

class MixedRun {
 public:
  MixedRun(const rtl::Model& model, const acg::Program& program, const std::vector<bool>& on_rtl,
           const std::function<bool(uint64_t, uint64_t)>& progress)
      : model_(model), program_(program), on_rtl_(on_rtl), progress_(progress) {}

  Result<MixedResult> run(const std::vector<uint8_t>& image) {
    check(on_rtl_.size() == program_.blocks.size(), "a choice for every block");
    if (Status status = run_reference(image); !status) return status.error();
    memory_ = image;
    for (size_t first = 0; first < on_rtl_.size() && !result_.is_stopped;) {
      size_t last = first;
      while (last + 1 < on_rtl_.size() && on_rtl_[last + 1] == on_rtl_[first]) ++last;
      if (Status status = run_window(first, last); !status) return status.error();
      first = last + 1;
    }
    if (!result_.is_stopped) compare_end();
    result_.memory = std::move(memory_);
    return std::move(result_);
  }

 private:
  /// Runs the whole program on the SystemC model, which gives the result's cycles and the expected memory.
  Status run_reference(const std::vector<uint8_t>& image) {
    expected_ = image;
    const auto begin = std::chrono::steady_clock::now();
    Result<sim::SimulateResult> whole = sim::simulate(program_, expected_);
    if (!whole) return whole.error();
    result_.systemc_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result_.statistics = std::move(whole->statistics);
    for (size_t k = 0; k < on_rtl_.size(); ++k) {
      result_.blocks.push_back({on_rtl_[k], Agreement::kUnknown});
      if (on_rtl_[k]) rtl_cycles_expected_ += cycles_of(result_.statistics, k, k);
    }
    return Done{};
  }

  Status run_window(size_t first, size_t last) {
    const Result<Window> window = window_of(program_, first, last);
    if (!window) return window.error();
    const acg::InstructionWord word = end_stream(*window, memory_);
    const Status status = on_rtl_[first] ? run_on_rtl(window->program, first, last) : run_on_systemc(window->program);
    if (status) resume_stream(*window, word, memory_);
    return status;
  }

  Status run_on_systemc(const acg::Program& window) {
    const Result<sim::SimulateResult> done = sim::simulate(window, memory_);
    return done ? Status(Done{}) : Status(done.error());
  }

  Status run_on_rtl(const acg::Program& window, size_t first, size_t last) {
    LockstepOptions options;
    if (progress_) {
      options.progress = [&](uint64_t cycle, uint64_t) {
        return progress_(std::min(result_.rtl_cycles + cycle, rtl_cycles_expected_), rtl_cycles_expected_);
      };
    }
    Result<LockstepResult> lock = lockstep(model_, window, memory_, options);
    if (!lock) return lock.error();
    result_.instructions += lock->instructions;
    result_.rtl_cycles += lock->cycles;
    result_.differences += lock->differences;
    result_.rtl_seconds += lock->rtl_seconds;
    result_.is_stopped = lock->is_stopped;
    compare(*lock, first, last);
    memory_ = std::move(lock->rtl_memory);
    return Done{};
  }

  void compare(const LockstepResult& lock, size_t first, size_t last) {
    if (lock.is_stopped) return;
    const bool in_a_block =
        lock.first && (lock.first->kind == DifferenceKind::kRecord || lock.first->kind == DifferenceKind::kMissing);
    // Bytes that differ although every command had the same effects: the block that wrote them is unknown.
    const size_t differs = !lock.first ? last + 1 : in_a_block ? first + lock.first->block : first;
    for (size_t k = first; k <= last; ++k) {
      result_.blocks[k].agreement = k < differs                   ? Agreement::kEqual
                                    : k == differs || !in_a_block ? Agreement::kDifferent
                                                                  : Agreement::kUnknown;
    }
    if (!lock.first || result_.first) return;
    result_.first = lock.first;
    if (in_a_block) result_.first->block += static_cast<uint32_t>(first);
  }

  /// Compares the memory after all windows with that of the whole program.
  void compare_end() {
    for (size_t i = 0; i < memory_.size(); ++i) {
      if (memory_[i] == expected_[i]) continue;
      ++result_.differences;
      if (result_.first) continue;
      Difference difference;
      difference.kind = DifferenceKind::kMemory;
      difference.engine = "off-chip memory";
      difference.instruction = fmt::format("byte {}, run in windows and as a whole", i);
      difference.cycle = result_.statistics.cycles;
      difference.fields.push_back({"byte", fmt::format("{:02x}", expected_[i]), fmt::format("{:02x}", memory_[i])});
      result_.first = std::move(difference);
    }
  }

  const rtl::Model& model_;
  const acg::Program& program_;
  const std::vector<bool>& on_rtl_;
  const std::function<bool(uint64_t, uint64_t)>& progress_;
  std::vector<uint8_t> memory_;
  std::vector<uint8_t> expected_;
  uint64_t rtl_cycles_expected_ = 0;
  MixedResult result_;
};

}  // namespace

Result<std::vector<bool>> choose_blocks(const acg::Program& program, const std::vector<std::string>& layers,
                                        const std::optional<std::pair<uint64_t, uint64_t>>& words) {
  const std::vector<std::string> names = layer_names(program);
  for (const std::string& layer : layers) {
    const auto has_name = [&](const acg::Block& block) { return is_called(block, layer); };
    if (std::any_of(program.blocks.begin(), program.blocks.end(), has_name)) continue;
    return Diagnostic{"RUN0012", {}, program.model, "the program has no such layer", layer, names, "name one of these"};
  }
  std::vector<bool> chosen;
  for (const acg::Block& block : program.blocks) {
    const bool named =
        std::any_of(layers.begin(), layers.end(), [&](const std::string& layer) { return is_called(block, layer); });
    const bool inside = words && words->first <= last_word(block) && block.first_word <= words->second;
    chosen.push_back(named || inside);
  }
  const uint64_t end = program.blocks.empty() ? 0 : last_word(program.blocks.back());
  const bool is_window = !words || (words->first <= words->second && words->second <= end);
  if (is_window && std::find(chosen.begin(), chosen.end(), true) != chosen.end()) return chosen;
  return Diagnostic{"RUN0013",
                    {},
                    program.model,
                    "the program has no such words",
                    words ? fmt::format("{}:{}", words->first, words->second) : "no layer and no words",
                    {fmt::format("FIRST:LAST with 0 <= FIRST <= LAST <= {}", end)},
                    "take the numbers that `covenant disasm` prints beside the blocks"};
}

Result<MixedResult> run_mixed(const rtl::Model& model, const acg::Program& program, const std::vector<uint8_t>& image,
                              const std::vector<bool>& on_rtl,
                              const std::function<bool(uint64_t cycle, uint64_t cycles)>& progress) {
  return MixedRun(model, program, on_rtl, progress).run(image);
}

}  // namespace covenant::runtime
