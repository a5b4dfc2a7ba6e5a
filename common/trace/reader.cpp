#include "trace/reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>

#include "trace/wire.hpp"

namespace lab::trace {

namespace {

/// The sections of a trace, each checked against the bytes that are there.
class sections {
 public:
  explicit sections(std::string_view bytes) {
    if (bytes.substr(0, sizeof wire::magic) != std::string_view(wire::magic, sizeof wire::magic)) {
      throw malformed("this is not a trace of this version");
    }
    bytes.remove_prefix(sizeof wire::magic);
    while (!bytes.empty()) {
      wire::section head;
      if (bytes.size() < sizeof head) throw malformed("the trace ends in the middle of a section");
      std::memcpy(&head, bytes.data(), sizeof head);
      bytes.remove_prefix(sizeof head);
      if (head.what == wire::tag::end) {
        ended_ = true;
        complete_ = head.count == 1;
        return;
      }
      if (head.record_bytes == 0 || head.count > bytes.size() / head.record_bytes) {
        throw malformed("the trace ends in the middle of a section");
      }
      found_[head.what] = {head, bytes.substr(0, head.count * head.record_bytes)};
      bytes.remove_prefix(head.count * head.record_bytes);
    }
  }

  bool complete() const { return complete_; }
  bool ended() const { return ended_; }

  std::size_t count(wire::tag what) const {
    auto section = found_.find(what);
    return section == found_.end() ? 0 : section->second.first.count;
  }

  template <class Record, class Visit>
  void each(wire::tag what, Visit visit) const {
    auto section = found_.find(what);
    if (section == found_.end()) return;
    const auto& [head, bytes] = section->second;
    if (head.record_bytes != sizeof(Record)) throw malformed("the trace has records of an unknown shape");
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Record)) {
      Record record;
      std::memcpy(&record, bytes.data() + at, sizeof record);
      visit(record);
    }
  }

 private:
  std::map<wire::tag, std::pair<wire::section, std::string_view>> found_;
  bool complete_ = false;
  bool ended_ = false;
};

class reading {
 public:
  reading(std::string_view bytes, symbols& names) : sections_(bytes) {
    if (!sections_.ended()) throw malformed("the trace has no end");
    std::string text;
    sections_.each<char>(wire::tag::texts, [&](char c) {
      if (c == '\0')
        texts_.push_back(std::exchange(text, {}));
      else
        text += c;
    });
    std::vector<std::uint64_t> addresses;
    each_frame([] {}, [&](std::uint64_t address) { addresses.push_back(address); });
    names.prepare(addresses);
    std::vector<call_stack::frames> stacks;
    each_frame([&] { stacks.emplace_back(); },
               [&](std::uint64_t address) {
                 const auto& places = names.at(address);
                 stacks.back().insert(stacks.back().end(), places.begin(), places.end());
               });
    for (auto& frames : stacks) stacks_.emplace_back(std::move(frames));
  }

  run all() const {
    run result;
    result.complete = sections_.complete();
    if (!texts_.empty()) result.device.name = texts_.front();
    result.device.emulated = result.device.name.rfind("emulated ", 0) == 0;
    result.calls.reserve(sections_.count(wire::tag::calls));
    sections_.each<wire::call>(wire::tag::calls, [&](const auto& r) { result.calls.push_back(call(r)); });
    number(result.calls);
    result.operations.reserve(sections_.count(wire::tag::operations));
    sections_.each<wire::operation>(wire::tag::operations,
                                    [&](const auto& r) { result.operations.push_back(operation_of(r)); });
    number(result.operations);
    sections_.each<wire::stream>(wire::tag::streams, [&](const auto& r) {
      result.streams.push_back({0, r.non_blocking != 0, r.created_by, r.destroyed_by, r.thread});
    });
    number(result.streams);
    sections_.each<wire::event>(wire::tag::events, [&](const auto& r) {
      result.events.push_back({0, r.timing != 0, r.blocking_sync != 0, r.created_by, r.destroyed_by});
    });
    number(result.events);
    sections_.each<wire::allocation>(wire::tag::allocations, [&](const auto& r) {
      result.allocations.push_back({0, static_cast<memory_kind>(r.kind), r.bytes, r.allocated_by, r.freed_by,
                                    r.in_stream_order != 0, r.name == 0 ? "" : text(r.name)});
    });
    number(result.allocations);
    sections_.each<wire::clock_read>(wire::tag::clock_reads, [&](const auto& r) {
      result.clock_reads.push_back(
          {r.thread, static_cast<clock_kind>(r.clock), r.at, r.value, stack(r.stack)});
    });
    sections_.each<wire::pause>(wire::tag::pauses, [&](const auto& r) {
      result.pauses.push_back({r.thread, static_cast<pause_kind>(r.kind), r.begin, r.end, stack(r.stack)});
    });
    sections_.each<wire::finding>(wire::tag::findings, [&](const auto& r) {
      result.findings.push_back(
          {static_cast<finding_kind>(r.kind), text(r.message), r.call, r.operation, stack(r.stack)});
    });
    sections_.each<wire::access>(wire::tag::accesses, [&](const auto& r) {
      if (r.operation == 0 || r.operation > result.operations.size())
        throw malformed("an access of no operation");
      result.operations[r.operation - 1].accesses.push_back(
          {r.allocation, r.begin, r.end, r.write != 0, r.atomic != 0, r.assumed != 0});
    });
    result.host_accesses.reserve(sections_.count(wire::tag::host_accesses));
    sections_.each<wire::host_access>(wire::tag::host_accesses, [&](const auto& r) {
      result.host_accesses.push_back({r.thread,
                                      r.when,
                                      {r.allocation, r.begin, r.end, r.write != 0, r.atomic != 0, false},
                                      stack(r.stack)});
    });
    sections_.each<wire::host_sync>(wire::tag::host_syncs, [&](const auto& r) {
      result.host_syncs.push_back({r.thread, r.when, static_cast<host_sync_kind>(r.kind), r.object});
    });
    // What a store tells of a fence before it was noted at the store, and an access when its run had ended.
    const auto by_sequence = [](const auto& a, const auto& b) { return a.when < b.when; };
    std::stable_sort(result.host_syncs.begin(), result.host_syncs.end(), by_sequence);
    std::stable_sort(result.host_accesses.begin(), result.host_accesses.end(), by_sequence);
    return result;
  }

 private:
  /// Each call stack begins with the number of its frames.
  template <class Begin, class Frame>
  void each_frame(Begin&& begin_stack, Frame&& frame) const {
    std::uint64_t left = 0;
    sections_.each<std::uint64_t>(wire::tag::stacks, [&](std::uint64_t word) {
      if (left == 0) {
        left = word;
        begin_stack();
      } else {
        frame(word);
        --left;
      }
    });
  }

  template <class Records>
  static void number(Records& records) {
    for (std::size_t i = 0; i < records.size(); ++i) records[i].id = static_cast<id>(i + 1);
  }

  const std::string& text(wire::text index) const {
    if (index >= texts_.size()) throw malformed("a text is missing");
    return texts_[index];
  }
  const call_stack& stack(wire::stack index) const {
    if (index >= stacks_.size()) throw malformed("a call stack is missing");
    return stacks_[index];
  }

  host_call call(const wire::call& r) const {
    host_call result;
    result.thread = r.thread;
    result.name = text(r.name);
    result.begin = r.begin;
    result.end = r.end;
    result.begun = r.begun;
    result.returned = r.returned;
    result.blocked = r.blocked;
    result.status = r.status;
    if (r.status != 0) result.error = text(r.error);
    result.stack = stack(r.stack);
    if (r.stream != wire::no_stream) result.stream = r.stream;
    result.event = r.event;
    result.stop_event = r.stop_event;
    result.allocation = r.allocation;
    result.operation = r.operation;
    if (!std::isnan(r.milliseconds)) result.milliseconds = r.milliseconds;
    result.start_record = r.start_record;
    result.stop_record = r.stop_record;
    return result;
  }

  operation operation_of(const wire::operation& r) const {
    operation result;
    result.kind = static_cast<operation_kind>(r.kind);
    result.stream = r.stream;
    result.name = text(r.name);
    result.submitted_by = r.submitted_by;
    result.submitted = r.submitted;
    result.begin = r.begin;
    result.end = r.end;
    result.failed = r.failed != 0;
    result.direction = static_cast<copy_direction>(r.direction);
    result.bytes = r.bytes;
    result.event = r.event;
    result.waits_for = r.waits_for;
    result.thread = r.thread;
    result.begun = r.begun;
    result.returned = r.returned;
    return result;
  }

  sections sections_;
  std::vector<std::string> texts_;
  std::vector<call_stack> stacks_;
};

}  // namespace

run read(std::string_view bytes, symbols& names) {
  return reading(bytes, names).all();
}

}  // namespace lab::trace
