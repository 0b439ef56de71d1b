/// Runs programs as child processes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace covenant::rtl {

/// Runs `command` (found in PATH) in `folder`, output appended to `log`. Its exit code; 127 if it cannot be started.
int run_process(const std::vector<std::string>& command, const std::filesystem::path& folder,
                const std::filesystem::path& log);

}  // namespace covenant::rtl
