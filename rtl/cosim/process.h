/// Runs programs as child processes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace covenant::rtl {

/// Exit code for a command that was ended before its own end.
inline constexpr int kEnded = 128;

/// Runs `command` (found in PATH) in `folder`, output appended to `log`. Its exit code; 127 if it cannot be started,
/// kEnded if a signal has ended it. `goes_on` is asked many times a second; once it returns false, the command and all
/// that it has started are ended.
int run_process(const std::vector<std::string>& command, const std::filesystem::path& folder,
                const std::filesystem::path& log, const std::function<bool()>& goes_on = {});

}  // namespace covenant::rtl
