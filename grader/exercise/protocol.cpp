#include "protocol.hpp"

#include <algorithm>
#include <cstring>

namespace lab::exercise {

packed_message pack(const header& head, const char* name, const void* data, std::size_t size) {
  const std::size_t name_size = std::min(std::strlen(name), largest_name);
  packed_message result;
  result.taken = std::min(size, largest_message - sizeof(header) - name_size);
  header complete = head;
  complete.name_size = static_cast<std::uint16_t>(name_size);
  result.bytes.reserve(sizeof(header) + name_size + result.taken);
  result.bytes.append(reinterpret_cast<const char*>(&complete), sizeof(header));
  result.bytes.append(name, name_size);
  if (result.taken > 0) result.bytes.append(static_cast<const char*>(data), result.taken);
  return result;
}

assembler::verdict assembler::take(const char* bytes, std::size_t size) {
  header head;
  if (size < sizeof(head)) return verdict::foreign;
  std::memcpy(&head, bytes, sizeof(head));
  if (head.secret != secret_ || head.sequence != expected_sequence_) return verdict::foreign;
  if (sizeof(head) + head.name_size > size) return verdict::foreign;
  const char* payload = bytes + sizeof(head) + head.name_size;
  const std::size_t payload_size = size - sizeof(head) - head.name_size;

  if (head.kind == message_kind::more) {
    if (payload_size == 0 || payload_size > missing_) return verdict::foreign;
  } else {
    if (missing_ > 0 || payload_size > head.size) return verdict::foreign;
    value_ = {head.kind, head.type, std::string(bytes + sizeof(head), head.name_size), {}};
    missing_ = head.size;
  }
  ++expected_sequence_;
  value_.bytes.append(payload, payload_size);
  missing_ -= payload_size;
  return missing_ > 0 ? verdict::incomplete : verdict::complete;
}

}  // namespace lab::exercise
