#include "scenario.hpp"

#include <cstring>
#include <string>

#include "channel.hpp"
#include "run.hpp"

namespace lab::exercise {
namespace {

const received_value& find_input(const char* name, message_kind wanted) {
  const received_value* found = channel::find_input(name);
  if (found == nullptr) {
    throw bad_scenario(std::string("the scenario asks for the input \"") + name + "\", which was not given");
  }
  const bool integer_as_number = wanted == message_kind::number && found->kind == message_kind::integer;
  if (found->kind != wanted && !integer_as_number) {
    throw bad_scenario(std::string("the scenario asks for the input \"") + name +
                       "\" as another type than the check sent");
  }
  return *found;
}

template <class T>
T as(const received_value& value) {
  T result;
  std::memcpy(&result, value.bytes.data(), sizeof(result));
  return result;
}

}  // namespace

double inputs::number(const char* name) const {
  const received_value& found = find_input(name, message_kind::number);
  if (found.kind == message_kind::integer) return static_cast<double>(as<std::int64_t>(found));
  return as<double>(found);
}

std::int64_t inputs::integer(const char* name) const {
  return as<std::int64_t>(find_input(name, message_kind::integer));
}

std::string inputs::text(const char* name) const {
  return find_input(name, message_kind::text).bytes;
}

bool inputs::has(const char* name) const {
  return channel::find_input(name) != nullptr;
}

inputs::bytes inputs::find(const char* name, element_type type) const {
  const received_value& found = find_input(name, message_kind::array);
  if (found.type != static_cast<std::uint8_t>(type)) {
    throw bad_scenario(std::string("the scenario asks for the input \"") + name +
                       "\" as another type of element than the check sent");
  }
  return {found.bytes.data(), found.bytes.size()};
}

void outputs::use(const char* name) {
  if (!used_.insert(name).second) {
    throw bad_scenario(std::string("the scenario writes the value \"") + name + "\" twice");
  }
}

void outputs::number(const char* name, double value) {
  use(name);
  channel::send(message_kind::number, {}, name, &value, sizeof(value));
}

void outputs::integer(const char* name, std::int64_t value) {
  use(name);
  channel::send(message_kind::integer, {}, name, &value, sizeof(value));
}

void outputs::text(const char* name, const char* value) {
  use(name);
  channel::send(message_kind::text, {}, name, value, std::strlen(value));
}

void outputs::write(const char* name, element_type type, const void* data, std::size_t size) {
  use(name);
  channel::send(message_kind::array, type, name, data, size);
}

}  // namespace lab::exercise
