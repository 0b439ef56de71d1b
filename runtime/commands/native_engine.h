/// A machine that commands drive, compiled from its text: the same values, cycles and diagnostics as the evaluator's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "acg/behaviour/engine.h"
#include "acg/behaviour/native/code_emitter.h"
#include "runtime/commands/native_build.h"

namespace covenant::runtime {

class NativeEngine : public acg::behaviour::Engine {
 public:
  NativeEngine(acg::behaviour::Behaviour behaviour, NativeLibrary library);
  ~NativeEngine() override;

  Result<bool> run(uint64_t most_cycles) override;
  Status begin(std::string_view port, const acg::behaviour::Command& command) override;
  Result<bool> end_command(uint64_t most_cycles) override;
  bool is_busy() const override { return activities_.front().depth > 0; }
  std::vector<uint8_t> take_reply() override;
  Result<bool> tick() override;
  Result<bool> is_interrupted() const override;
  Diagnostic deadlock() const override;

  uint64_t cycles() const override { return machine_.cycles; }
  const acg::behaviour::Behaviour& behaviour() const override { return behaviour_; }
  const acg::behaviour::Elements& elements(size_t state) const override { return elements_[state]; }
  void use_memory(size_t state, uint8_t* bytes) override;
  double build_seconds() const { return library_.build_seconds; }  ///< 0 if it was in the cache

 private:
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;

  Memory zeros(uint64_t bytes) const;
  void add_queues();
  void add_activities();
  void begin_on(size_t port, const acg::behaviour::Command& command);
  static bool is_wanted_of(void* host);
  static bool evaluate(void* host, uint32_t activity, uint32_t list, uint32_t at);
  void evaluate(const acg::behaviour::Code& code, uint32_t activity);
  void update_waiting() const;
  Diagnostic stopped() const;
  /// The diagnostic of an outcome of the library that is less than 0.
  Diagnostic failed(int outcome) const;

  acg::behaviour::Behaviour behaviour_;
  NativeLibrary library_;
  std::vector<acg::behaviour::native::CodeList> lists_;
  std::vector<acg::behaviour::Elements> elements_;
  std::vector<Memory> memories_;
  std::vector<acg::behaviour::native::State> states_;
  std::vector<acg::behaviour::native::Queue> queues_;
  std::vector<acg::behaviour::native::Queue*> changed_;
  std::vector<acg::behaviour::native::Activity> activities_;
  mutable acg::behaviour::native::Machine machine_{};
  std::vector<uint8_t> reply_;
  mutable std::vector<int64_t> waiting_;  ///< items of each queue before the cycle
  std::vector<int64_t> frame_, values_of_statement_;
  acg::behaviour::Values values_;
  std::optional<Diagnostic> stopped_;
};

/// The behaviour as a compiled machine. Errors: those of build_native; BEH0039 (no memory).
Result<std::unique_ptr<NativeEngine>> open_native(acg::behaviour::Behaviour behaviour,
                                                  const NativeOptions& options = {});

}  // namespace covenant::runtime
