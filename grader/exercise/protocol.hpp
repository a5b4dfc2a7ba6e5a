#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

/// How the grader and an exercise process talk: messages on a SOCK_SEQPACKET pair, whose boundaries the
/// kernel keeps.
///
/// The grader sends its request: one message per input, then `start`, which names the scenario. The exercise
/// answers with one value at a time and with `returned` as the end mark, and ends. After `start_and_stay` it
/// answers `ready`, when its record is written, and takes another request: starting on a real GPU takes half
/// a second. Where it may not go on (see run.cpp), it ends all the same. Every message carries the token of
/// the run, which the grader made up and only the messages contain: bytes that a program happens to write to
/// the descriptor are not taken for an answer. The sequence number shows what is missing or repeated.
namespace lab::exercise {

inline constexpr const char* channel_variable = "LAB_EXERCISE_FD";

using token = std::array<char, 16>;

enum class message_kind : std::uint8_t {
  start,  ///< request: the scenario's name; the last message of the request
  start_and_stay,
  number,   ///< both ways: a double
  integer,  ///< an int64
  text,
  array,         ///< elements of `type`
  more,          ///< continues the value before it, up to its size
  returned,      ///< the scenario has returned; the number of messages before this one is its sequence number
  ready,         ///< for another request
  threw,         ///< the scenario threw; what()
  bad_scenario,  ///< the scenario is not known, or asked for an input that was not sent, or wrote a name
                 ///< twice
};

struct header {
  token secret;
  std::uint32_t sequence;
  message_kind kind;
  std::uint8_t type;        ///< element_type of an array
  std::uint16_t name_size;  ///< the name follows the header, then come the bytes
  std::uint64_t size;       ///< of the whole value, which may take several messages
};
static_assert(sizeof(header) == 32, "no padding: the header travels as it is");

inline constexpr std::size_t largest_message = std::size_t{64} << 10;
inline constexpr std::size_t largest_name = 255;

/// One message, ready to send, and how many bytes of the value it took.
struct packed_message {
  std::string bytes;
  std::size_t taken;
};
packed_message pack(const header& head, const char* name, const void* data, std::size_t size);

/// A value put together from its messages.
struct received_value {
  message_kind kind = message_kind::more;
  std::uint8_t type = 0;
  std::string name;
  std::string bytes;
};

/// Puts values together and refuses what does not belong.
class assembler {
 public:
  enum class verdict { incomplete, complete, foreign };

  explicit assembler(const token& secret) : secret_(secret) {}
  /// Takes one message; `complete` when value() is a whole one, `foreign` when no exercise::outputs wrote
  /// this.
  verdict take(const char* bytes, std::size_t size);
  const received_value& value() const { return value_; }

 private:
  token secret_;
  std::uint32_t expected_sequence_ = 0;
  std::uint64_t missing_ = 0;
  received_value value_;
};

}  // namespace lab::exercise
