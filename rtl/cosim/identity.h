/// Identity of what is built and kept: equal texts that are compiled in the same way have the same name.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace covenant::rtl {

/// Names a set of files with what they are compiled by: 32 digits.
std::string content_hash(const std::map<std::string, std::string>& files, std::string_view options);

/// Features of this processor: code is compiled for it, and several machines may share a cache.
std::string processor();

}  // namespace covenant::rtl
