/// Mutates messages of protobuf: fields at any depth, so that most of what comes out is still a message.
#pragma once

#include <cstddef>
#include <cstdint>

namespace google::protobuf {
class Message;
}

namespace covenant::fuzzing {

/// Body of LLVMFuzzerCustomMutator. `message` is an empty one of the type that is mutated.
size_t mutate_message(google::protobuf::Message& message, uint8_t* data, size_t size, size_t most, unsigned seed);

}  // namespace covenant::fuzzing
