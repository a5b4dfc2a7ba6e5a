#pragma once

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model.hpp"
#include "wire.hpp"

/// The recording side of a trace, in the process that is recorded; both devices fill one.
namespace lab::trace {

/// Records of one kind in blocks that never move: ids stay places, and a signal handler can write what is
/// there.
template <class Record>
class log {
 public:
  log(wire::tag tag, std::size_t& bytes_taken) : tag_(tag), bytes_taken_(bytes_taken) {}

  /// Returns the record's id: they count from 1.
  trace::id add(const Record& record) {
    if (count_ % block_records == 0) {
      blocks_.push_back(static_cast<Record*>(std::malloc(block_records * sizeof record)));
      bytes_taken_ += block_records * sizeof record;
    }
    blocks_[count_ / block_records][count_ % block_records] = record;
    return static_cast<trace::id>(++count_);
  }
  Record& at(trace::id which) { return blocks_[(which - 1) / block_records][(which - 1) % block_records]; }

  template <class Out>
  void write(Out out) const {
    const wire::section head{tag_, sizeof(Record), count_};
    out(&head, sizeof head);
    for (std::size_t done = 0; done < count_; done += block_records) {
      out(blocks_[done / block_records], std::min(block_records, count_ - done) * sizeof(Record));
    }
  }

 private:
  static constexpr std::size_t block_records = 4096;
  wire::tag tag_;
  std::size_t& bytes_taken_;
  std::vector<Record*> blocks_;
  std::size_t count_ = 0;
};

/// Everything that is written of one run. Not safe for several threads at once.
class writer {
 public:
  /// @param device the first text of a trace: what it was recorded on
  explicit writer(std::string_view device);
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;

  wire::text text_of(std::string_view text);
  /// @param frames code addresses, the innermost first
  wire::stack stack_of(const std::vector<std::uint64_t>& frames);
  std::size_t bytes() const { return bytes_; }

  /// Writes the whole trace and closes the descriptor. Safe in a signal handler.
  /// @param complete the program ended by itself
  void write(int descriptor, bool complete) const;

 private:
  std::size_t bytes_ = 0;
  log<char> texts_{wire::tag::texts, bytes_};
  log<std::uint64_t> frames_{wire::tag::stacks, bytes_};
  std::map<std::string, wire::text, std::less<>> known_texts_;
  std::map<std::vector<std::uint64_t>, wire::stack> known_stacks_;

 public:
  log<wire::call> calls{wire::tag::calls, bytes_};
  log<wire::operation> operations{wire::tag::operations, bytes_};
  log<wire::stream> streams{wire::tag::streams, bytes_};
  log<wire::event> events{wire::tag::events, bytes_};
  log<wire::allocation> allocations{wire::tag::allocations, bytes_};
  log<wire::clock_read> clock_reads{wire::tag::clock_reads, bytes_};
  log<wire::pause> pauses{wire::tag::pauses, bytes_};
  log<wire::finding> findings{wire::tag::findings, bytes_};
  log<wire::access> accesses{wire::tag::accesses, bytes_};
  log<wire::host_access> host_accesses{wire::tag::host_accesses, bytes_};
  log<wire::host_sync> host_syncs{wire::tag::host_syncs, bytes_};
};

}  // namespace lab::trace
