#include "tests/fuzz/libfuzzer/message_mutator.h"

#include <bit>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/libfuzzer/mutator.h"

namespace covenant::fuzzing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

/// All messages of a tree, and all strings that stand in it: names that things refer to.
struct Tree {
  std::vector<Message*> messages;
  std::vector<std::string> strings;
};

void collect(Message& message, Tree& tree) {
  tree.messages.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        collect(field->is_repeated() ? *reflection.MutableRepeatedMessage(&message, field, i)
                                     : *reflection.MutableMessage(&message, field),
                tree);
      } else if (field->type() == FieldDescriptor::TYPE_STRING) {
        tree.strings.push_back(field->is_repeated() ? reflection.GetRepeatedString(message, field, i)
                                                    : reflection.GetString(message, field));
      }
    }
  }
}

/// One field of a message, or one element of it if it is repeated.
class Place {
 public:
  Place(Message& message, const FieldDescriptor& field, int index)
      : message_(message), reflection_(*message.GetReflection()), field_(field), index_(index) {}

  /// Gives it another value; a message becomes one of the same type from elsewhere in the tree.
  void mutate(const Tree& tree, Random& random) {
    switch (field_.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return change(&Reflection::GetInt32, &Reflection::GetRepeatedInt32, &Reflection::SetInt32,
                      &Reflection::SetRepeatedInt32, random);
      case FieldDescriptor::CPPTYPE_INT64:
        return change(&Reflection::GetInt64, &Reflection::GetRepeatedInt64, &Reflection::SetInt64,
                      &Reflection::SetRepeatedInt64, random);
      case FieldDescriptor::CPPTYPE_UINT64:
        return change(&Reflection::GetUInt64, &Reflection::GetRepeatedUInt64, &Reflection::SetUInt64,
                      &Reflection::SetRepeatedUInt64, random);
      case FieldDescriptor::CPPTYPE_ENUM:
        return change(&Reflection::GetEnumValue, &Reflection::GetRepeatedEnumValue, &Reflection::SetEnumValue,
                      &Reflection::SetRepeatedEnumValue, random);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return set(&Reflection::SetFloat, &Reflection::SetRepeatedFloat,
                   std::bit_cast<float>(static_cast<uint32_t>(mutated_number(0, random) >> 16)));
      case FieldDescriptor::CPPTYPE_STRING:
        return change_string(tree, random);
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return change_message(tree, random);
      default:
        return;
    }
  }

 private:
  template <typename T>
  void set(void (Reflection::*one)(Message*, const FieldDescriptor*, T) const,
           void (Reflection::*repeated)(Message*, const FieldDescriptor*, int, T) const, T value) {
    if (field_.is_repeated()) return (reflection_.*repeated)(&message_, &field_, index_, std::move(value));
    (reflection_.*one)(&message_, &field_, std::move(value));
  }

  template <typename T>
  void change(T (Reflection::*get_one)(const Message&, const FieldDescriptor*) const,
              T (Reflection::*get_repeated)(const Message&, const FieldDescriptor*, int) const,
              void (Reflection::*set_one)(Message*, const FieldDescriptor*, T) const,
              void (Reflection::*set_repeated)(Message*, const FieldDescriptor*, int, T) const, Random& random) {
    const T value = field_.is_repeated() ? (reflection_.*get_repeated)(message_, &field_, index_)
                                         : (reflection_.*get_one)(message_, &field_);
    // Half of the numbers are small: types, axes, sizes.
    const uint64_t other =
        below(random, 2) == 0 ? below(random, 24) - 4 : mutated_number(static_cast<uint64_t>(value), random);
    set(set_one, set_repeated, static_cast<T>(other));
  }

  void change_string(const Tree& tree, Random& random) {
    const bool is_name = field_.type() == FieldDescriptor::TYPE_STRING;
    const std::string value = field_.is_repeated() ? reflection_.GetRepeatedString(message_, &field_, index_)
                                                   : reflection_.GetString(message_, &field_);
    const bool is_others = is_name && !tree.strings.empty() && below(random, 4) != 0;
    set(&Reflection::SetString, &Reflection::SetRepeatedString,
        is_others ? tree.strings[below(random, tree.strings.size())] : mutated_bytes(value));
  }

  void change_message(const Tree& tree, Random& random) {
    std::vector<const Message*> alike;
    for (const Message* other : tree.messages) {
      if (other->GetDescriptor() == field_.message_type()) alike.push_back(other);
    }
    if (alike.empty()) return;
    const Message& chosen = *alike[below(random, alike.size())];
    const std::unique_ptr<Message> copy(chosen.New());  // what is copied may hold what is changed, or be freed by it
    copy->CopyFrom(chosen);
    Message& changed = field_.is_repeated() ? *reflection_.MutableRepeatedMessage(&message_, &field_, index_)
                                            : *reflection_.MutableMessage(&message_, &field_);
    changed.CopyFrom(*copy);
  }

  Message& message_;
  const Reflection& reflection_;
  const FieldDescriptor& field_;
  int index_;
};

void add(Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.AddInt32(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.AddInt64(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.AddUInt64(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.AddFloat(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.AddDouble(&message, &field, 0);
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.AddString(&message, &field, "");
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection.AddMessage(&message, &field);
      return;
    default:
      return;
  }
}

void mutate_repeated(Message& message, const FieldDescriptor& field, const Tree& tree, Random& random) {
  const Reflection& reflection = *message.GetReflection();
  const int count = reflection.FieldSize(message, &field);
  const auto any = [&] { return static_cast<int>(below(random, static_cast<size_t>(count))); };
  const size_t action = count == 0 ? 0 : below(random, 6);
  switch (action) {
    case 0: {
      add(message, field);
      const int size = reflection.FieldSize(message, &field);
      if (size > count) Place(message, field, count).mutate(tree, random);
      if (size > count && count > 0) reflection.SwapElements(&message, &field, any(), count);
      return;
    }
    case 1:
      reflection.SwapElements(&message, &field, any(), count - 1);
      return reflection.RemoveLast(&message, &field);
    case 2:
      return reflection.SwapElements(&message, &field, any(), any());
    default:
      return Place(message, field, any()).mutate(tree, random);
  }
}

void mutate(Message& root, Random& random) {
  Tree tree;
  collect(root, tree);
  Message& message = *tree.messages[below(random, tree.messages.size())];
  std::vector<const FieldDescriptor*> present;
  message.GetReflection()->ListFields(message, &present);
  const auto known = static_cast<size_t>(message.GetDescriptor()->field_count());
  const bool takes_present = !present.empty() && below(random, 4) != 0;
  const FieldDescriptor& field = takes_present
                                     ? *present[below(random, present.size())]
                                     : *message.GetDescriptor()->field(static_cast<int>(below(random, known)));
  if (field.is_repeated()) return mutate_repeated(message, field, tree, random);
  if (takes_present && below(random, 4) == 0) return message.GetReflection()->ClearField(&message, &field);
  Place(message, field, 0).mutate(tree, random);
}

}  // namespace

size_t mutate_message(Message& message, uint8_t* data, size_t size, size_t most, unsigned seed) {
  Random random(seed);
  const bool is_whole = message.ParseFromArray(data, static_cast<int>(size));
  if (!is_whole || below(random, 16) == 0) return LLVMFuzzerMutate(data, size, most);
  for (size_t times = 1 + below(random, 3); times > 0; --times) mutate(message, random);
  return give(message.SerializeAsString(), data, size, most);
}

}  // namespace covenant::fuzzing
