/// Typed reading of a JSON document that a user may have edited. Include in sources only.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "acg/base/failure.h"

namespace covenant {

using Json = nlohmann::json;

/// A value inside a document, with its JSON pointer for messages. Errors are Failures with the reader's code.
class JsonReader {
 public:
  /// Borrows `value`. `code` and `fix` are those of its diagnostics.
  JsonReader(const Json& value, std::string code, std::string file, std::string fix)
      : value_(value), code_(std::move(code)), file_(std::move(file)), fix_(std::move(fix)) {}

  const std::string& pointer() const { return pointer_; }
  SourceLocation where() const { return {file_, 0, 0}; }

  /// Element `key` of an object. Throws Failure if it is missing.
  JsonReader at(const std::string& key) const {
    if (!value_.is_object()) refuse("expected an object", value_.type_name());
    const auto found = value_.find(key);
    if (found == value_.end()) refuse("a key is missing", key);
    return child(*found, key);
  }
  /// Throws Failure unless all keys of this object are among `allowed`.
  void only(const std::vector<std::string>& allowed) const {
    if (!value_.is_object()) refuse("expected an object", value_.type_name());
    for (const auto& [key, value] : value_.items()) {
      bool known = false;
      for (const std::string& name : allowed) known = known || name == key;
      if (!known) refuse("unknown key", key, allowed);
    }
  }
  /// True if this is an object with the key.
  bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }
  std::vector<JsonReader> elements() const {
    if (!value_.is_array()) refuse("expected an array", value_.type_name());
    std::vector<JsonReader> result;
    for (size_t i = 0; i < value_.size(); ++i) result.push_back(child(value_[i], std::to_string(i)));
    return result;
  }
  std::vector<std::pair<std::string, JsonReader>> members() const {
    if (!value_.is_object()) refuse("expected an object", value_.type_name());
    std::vector<std::pair<std::string, JsonReader>> result;
    for (const auto& [key, value] : value_.items()) result.emplace_back(key, child(value, key));
    return result;
  }

  bool is_string() const { return value_.is_string(); }
  std::string string() const {
    if (!value_.is_string()) refuse("expected a string", shown());
    return value_.get<std::string>();
  }
  bool boolean() const {
    if (!value_.is_boolean()) refuse("expected true or false", shown());
    return value_.get<bool>();
  }
  double real() const {
    if (!value_.is_number()) refuse("expected a number", shown());
    return value_.get<double>();
  }
  /// A whole number that T can hold. Messages list `allowed` as the allowed values; if it is empty, the range of T.
  template <typename T>
  T integer(std::vector<std::string> allowed = {}) const {
    if (value_.is_number_unsigned()) {
      const auto value = value_.get<uint64_t>();
      if (value <= static_cast<uint64_t>(std::numeric_limits<T>::max())) return static_cast<T>(value);
    } else if (value_.is_number_integer()) {
      const auto value = value_.get<int64_t>();
      if (value >= static_cast<int64_t>(std::numeric_limits<T>::min()) && value < 0) return static_cast<T>(value);
    }
    if (allowed.empty()) {
      allowed.push_back(std::to_string(std::numeric_limits<T>::min()) + ".." +
                        std::to_string(std::numeric_limits<T>::max()));
    }
    refuse("expected a whole number in range", shown(), std::move(allowed));
  }

  /// Throws Failure with the reader's code, or with another one.
  [[noreturn]] void refuse(std::string message, std::string offending, std::vector<std::string> allowed = {},
                           std::string_view code = {}) const {
    throw Failure{{std::string(code.empty() ? std::string_view(code_) : code), where(),
                   pointer_.empty() ? "/" : pointer_, std::move(message), std::move(offending), std::move(allowed),
                   fix_}};
  }

 private:
  /// Never prints whole documents: printing is recursive, and a hostile document may be deep.
  std::string shown() const { return value_.is_structured() ? value_.type_name() : value_.dump(); }

  JsonReader child(const Json& value, const std::string& key) const {
    JsonReader reader(value, code_, file_, fix_);
    reader.pointer_ = pointer_ + "/" + key;
    return reader;
  }

  const Json& value_;
  std::string code_;
  std::string file_;
  std::string fix_;
  std::string pointer_;
};

}  // namespace covenant
