#include "channel.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace lab::exercise::channel {
namespace {

constexpr int high_descriptor = 700;  // where code that closes or guesses descriptors seldom gets

int descriptor = -1;
pid_t owner = 0;
token secret{};
std::uint32_t sequence = 0;
bool lost = false;
std::atomic_flag sending = ATOMIC_FLAG_INIT;  // not a mutex: the emulator takes those for the student's

// Before the constructors of the student's globals: they find neither the variable nor a descriptor to
// inherit.
__attribute__((constructor(101))) void open_channel() {
  const char* given = std::getenv(channel_variable);
  if (given == nullptr) return;
  const int inherited = std::atoi(given);
  unsetenv(channel_variable);
  const int moved = fcntl(inherited, F_DUPFD_CLOEXEC, high_descriptor);
  if (moved >= 0) {
    close(inherited);
  } else {
    fcntl(inherited, F_SETFD, FD_CLOEXEC);
  }
  descriptor = moved >= 0 ? moved : inherited;
  owner = getpid();
}

std::vector<received_value>& received_inputs() {
  static auto* values =
      new std::vector<received_value>;  // never destroyed: scenarios may run threads to the end
  return *values;
}

ssize_t receive(char* buffer, std::size_t size) {
  ssize_t got;
  do got = recv(descriptor, buffer, size, 0);
  while (got < 0 && errno == EINTR);
  return got;
}

void print(message_kind kind, const char* name, const void* data, std::size_t size) {
  double number = 0;
  std::int64_t integer = 0;
  switch (kind) {
    case message_kind::number:
      std::memcpy(&number, data, sizeof(number));
      std::printf("%s = %.9g\n", name, number);
      break;
    case message_kind::integer:
      std::memcpy(&integer, data, sizeof(integer));
      std::printf("%s = %lld\n", name, static_cast<long long>(integer));
      break;
    case message_kind::array:
      std::printf("%s: %zu bytes\n", name, size);
      break;
    default:
      std::printf("%s = %.*s\n", kind == message_kind::text ? name : "ended", static_cast<int>(size),
                  static_cast<const char*>(data));
  }
}

bool transmit(const std::string& bytes) {
  ssize_t sent;
  do sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  return sent == static_cast<ssize_t>(bytes.size());
}

}  // namespace

bool is_open() {
  return descriptor >= 0;
}

bool is_lost() {
  return lost;
}

request receive_request() {
  std::vector<char> buffer(largest_message);
  ssize_t got = receive(buffer.data(), buffer.size());
  if (got < static_cast<ssize_t>(sizeof(header))) return {};
  received_inputs().clear();
  sequence = 0;
  std::memcpy(secret.data(), buffer.data(), secret.size());  // the first message says what the token is
  assembler values(secret);
  while (got > 0) {
    if (values.take(buffer.data(), static_cast<std::size_t>(got)) == assembler::verdict::complete) {
      const message_kind kind = values.value().kind;
      if (kind == message_kind::start || kind == message_kind::start_and_stay) {
        return {values.value().name, kind == message_kind::start_and_stay};
      }
      received_inputs().push_back(values.value());
    }
    got = receive(buffer.data(), buffer.size());
  }
  return {};
}

void set_inputs(std::vector<received_value> values) {
  received_inputs() = std::move(values);
}

const received_value* find_input(const char* name) {
  for (const received_value& value : received_inputs()) {
    if (value.name == name) return &value;
  }
  return nullptr;
}

void send(message_kind kind, element_type type, const char* name, const void* data, std::size_t size) {
  if (!is_open()) return print(kind, name, data, size);
  if (getpid() != owner) return;
  while (sending.test_and_set(std::memory_order_acquire)) {
  }
  const char* rest = static_cast<const char*>(data);
  std::size_t left = size;
  do {
    const packed_message message =
        pack({secret, sequence++, kind, static_cast<std::uint8_t>(type), 0, size}, name, rest, left);
    if (!transmit(message.bytes)) {
      lost = true;
      break;
    }
    rest += message.taken;
    left -= message.taken;
    kind = message_kind::more;
    name = "";
  } while (left > 0);
  sending.clear(std::memory_order_release);
}

}  // namespace lab::exercise::channel
