/// A machine that commands drive, on the evaluator until it has much to do, and compiled from then on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "acg/behaviour/evaluator.h"
#include "runtime/commands/native_engine.h"

namespace covenant::runtime {

/// Begins as an evaluator. After `kMostWork` of it, or `kMostRecorded` of commands, the machine is compiled, does again
/// what it has done, which takes a fraction of the time, and goes on so. If it cannot be compiled it stays an
/// evaluator.
class AdaptiveEngine : public acg::behaviour::Engine {
 public:
  /// Statements, calls, terms of sums and elements of arrays: some seconds of an evaluator, as compiling takes.
  static constexpr uint64_t kMostWork = uint64_t{1} << 24;
  /// Bytes of what is recorded to be done again. So many commands, a million or more, take an evaluator some seconds
  /// too, even if none of them does much: where one bound is met, compiling is worth as much as where the other is, and
  /// nothing has to be forgotten.
  static constexpr uint64_t kMostRecorded = uint64_t{64} << 20;

  /// Work and bytes from which on it is compiled.
  struct Bounds {
    uint64_t work = kMostWork;
    uint64_t recorded = kMostRecorded;
  };

  AdaptiveEngine(acg::behaviour::Behaviour behaviour, NativeOptions options, Bounds bounds);
  AdaptiveEngine(acg::behaviour::Behaviour behaviour, NativeOptions options)
      : AdaptiveEngine(std::move(behaviour), std::move(options), Bounds()) {}

  Result<bool> run(uint64_t most_cycles) override;
  Status begin(std::string_view port, const acg::behaviour::Command& command) override;
  void ask(std::function<bool()> goes_on) override;
  Result<bool> end_command(uint64_t most_cycles) override;
  bool is_busy() const override { return engine().is_busy(); }
  std::vector<uint8_t> take_reply() override;
  Result<bool> tick() override;
  Result<bool> is_interrupted() const override { return engine().is_interrupted(); }
  Diagnostic deadlock() const override { return engine().deadlock(); }

  uint64_t cycles() const override { return engine().cycles(); }
  const acg::behaviour::Behaviour& behaviour() const override { return engine().behaviour(); }
  const acg::behaviour::Elements& elements(size_t state) const override { return engine().elements(state); }
  void use_memory(size_t state, uint8_t* bytes) override;
  bool is_compiled() const { return native_ != nullptr; }
  /// Bytes of what is recorded: none once the machine is compiled or cannot be.
  uint64_t recorded() const { return done_.size() * sizeof(Done) + data_.size(); }

 private:
  /// A command that has begun, and the cycles up to the next one. Its data are in `data_`, after those of the ones
  /// before.
  struct Done {
    uint64_t address;
    uint64_t cycles;
    uint32_t port;
    bool writes;
  };

  acg::behaviour::Engine& engine() const;
  void remember_cycles(uint64_t before);
  void forget();
  void compile_if_much();
  std::unique_ptr<NativeEngine> compiled() const;
  void repeat(NativeEngine& native) const;

  NativeOptions options_;
  Bounds bounds_;
  bool may_compile_ = true;
  std::unique_ptr<acg::behaviour::Evaluator> evaluator_;
  std::unique_ptr<NativeEngine> native_;
  uint64_t first_cycles_ = 0;  ///< before the first command
  std::vector<Done> done_;
  std::vector<uint8_t> data_;
};

/// The behaviour as a compiled machine if that is in the cache; else as one that is compiled when it has much to do.
std::unique_ptr<acg::behaviour::Engine> open_adaptive(acg::behaviour::Behaviour behaviour,
                                                      const NativeOptions& options = {});

}  // namespace covenant::runtime
