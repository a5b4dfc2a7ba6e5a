#include <algorithm>
#include <cstdlib>

#include "hazards.hpp"
#include "narration.hpp"

namespace lab::analysis {
namespace {

bool is_host(const participant& side) {
  return side.operation == 0;
}

// "the device memory allocated at student.cu:12"
std::string memory_text(const recording& of, trace::id id) {
  const trace::allocation& memory = of.run().allocations[id - 1];
  if (memory.kind == trace::memory_kind::pageable) return "the program's ordinary memory";
  if (!memory.name.empty()) return "the device variable " + memory.name;
  const std::string where = memory.allocated_by == 0 ? "" : of.call_with_id(memory.allocated_by).where();
  std::string text = memory.kind == trace::memory_kind::device    ? "the device memory"
                     : memory.kind == trace::memory_kind::pinned  ? "the pinned memory"
                     : memory.kind == trace::memory_kind::managed ? "the managed memory"
                                                                  : "the memory";
  const bool registered = memory.kind == trace::memory_kind::registered;
  if (where.empty()) return registered ? "the registered memory" : text;
  return text + (registered ? " registered at " : " allocated at ") + where;
}

// The program's ordinary memory is one, as wide as the heap: places in it say nothing.
std::string bytes_text(const recording& of, const hazard& found) {
  if (of.run().allocations[found.allocation - 1].kind == trace::memory_kind::pageable) {
    return std::to_string(found.end - found.begin) + " bytes of ";
  }
  return "bytes " + std::to_string(found.begin) + " to " + std::to_string(found.end) + " of ";
}

trace::operation_kind kind_of(const recording& of, const participant& side) {
  // What is no work of the device is none that makes or frees memory either.
  return side.kind == order::step_kind::work ? of.work_with_id(side.operation).raw().kind
                                             : trace::operation_kind::host_function;
}

bool frees(const recording& of, const participant& side) {
  return side.kind == order::step_kind::release || kind_of(of, side) == trace::operation_kind::free;
}

bool allocates(const recording& of, const participant& side) {
  return kind_of(of, side) == trace::operation_kind::allocate;
}

std::string pair_text(const recording& of, const hazard& found) {
  const participant &first = found.first, &second = found.second;
  const std::string one = participant_text(of, found, first), other = participant_text(of, found, second);
  const std::string memory = memory_text(of, found.allocation);
  const std::string bytes = bytes_text(of, found);
  const std::string still =
      std::string(" while ") + one + " may still be " + (first.write ? "writing " : "reading ");
  const std::string uses = second.assumed ? second.write ? " may write " : " may read "
                           : second.write ? " writes "
                                          : " reads ";
  if (allocates(of, first)) {
    return other + (frees(of, second) ? " frees " : uses + bytes) + memory + ", which " + one +
           " may not have allocated by then";
  }
  if (allocates(of, second)) {  // work behind a host function may turn up late
    return one + (first.write ? " writes " : " reads ") + bytes + memory + ", which " + other +
           " may not have allocated by then";
  }
  if (frees(of, second)) {
    const bool registered = of.run().allocations[found.allocation - 1].kind == trace::memory_kind::registered;
    return other + (registered ? " unregisters " : " frees ") + memory + still + "it";
  }
  if (frees(of, first)) {
    return other + uses + bytes + memory + ", which " + one + " may have freed by then";
  }
  return other + uses + bytes + memory + still + "them: " +
         (found.level == hazard_level::race ? "nothing orders the two" : "only luck orders the two");
}

// What a real GPU does not tell: where a kernel's pointers lead it.
std::string assumed_text(const recording& of, const hazard& found) {
  const participant &one = found.first, &other = found.second;
  if (!one.assumed && !other.assumed) return "";
  const auto kernels_of = [&](const participant& side) {
    return side.name + (kind_of(of, side) == trace::operation_kind::graph ? "'s kernels" : "");
  };
  const bool both = one.assumed && other.assumed && one.name != other.name;
  const std::string kernels =
      both ? kernels_of(one) + " and " + kernels_of(other) : kernels_of(one.assumed ? one : other);
  if (const auto& variable = of.run().allocations[found.allocation - 1].name; !variable.empty()) {
    return "of " + kernels + " it is not known which of the program's variables it uses: it may use " +
           variable + ", and need not";
  }
  return "of " + kernels +
         " only the parameters are known: a pointer may lead to all that comes behind it in its "
         "memory, and need not";
}

class edge_text {
 public:
  edge_text(const recording& of, const hazard& found)
      : of_(of), found_(found), first_(found.first), second_(found.second) {}

  std::string text() const {
    const std::string call = named(found_.edge.call), record = at(place_of(found_.edge.record));
    // The sentence before says where; of two that are called the same only that tells which.
    const bool alike = first_.name == second_.name;
    const std::string submitted = first_.name + (alike ? at(first_.where) : "");
    const std::string second = second_.name + (alike ? at(second_.where) : "");
    switch (found_.edge.fault) {
      case edge_fault::recorded_too_early:
        return call + " waits for an event that was recorded" + record + " before " + submitted +
               " was submitted: that is not waiting for " + submitted;
      case edge_fault::bound_to_older_round:
        return call + " was called before the event was recorded" + record + " behind " + submitted +
               ": it waits for the record before that one";
      case edge_fault::waited_too_early:
        return call + " was called before the event was recorded" + record + ", so it waits for nothing";
      case edge_fault::never_recorded:
        return call + " is given an event that was never recorded, so it waits for nothing";
      case edge_fault::recorded_again:
        return "before " + call + " the event was recorded again" + record + ", in " +
               stream_text(of_, stream_of(found_.edge.record)) +
               ": only that newest record is waited for, not the one behind " + submitted;
      case edge_fault::recorded_in_other_stream:
        return "the event that " + call + " waits for is recorded" + record + " in " +
               stream_text(of_, stream_of(found_.edge.record)) + ", not in " +
               stream_text(of_, *first_.stream) + ", where " + submitted + " is: that is not waiting for " +
               submitted;
      case edge_fault::wait_in_other_stream:
        return call + " makes " + stream_text(of_, stream_of(found_.edge.call)) + " wait for " + submitted +
               (stream_of(found_.edge.call) == first_.stream ? ", which is in that stream itself" : "") +
               ", not " + stream_text(of_, *second_.stream) + ", in which " + second + " runs";
      case edge_fault::waited_too_late:
        // A later wait that is not the student's is no help in finding the one that is missing.
        if (is_host(second_) && place_of(found_.edge.call).empty()) return no_host_wait();
        return call + (in_a_later_round() ? " waits for it only in a later round" : " comes after that") +
               (is_host(second_) ? freeing() : ": it holds back only what is submitted later, not " + second);
      case edge_fault::not_waited_for:
        return "an event is recorded" + record + " behind " + submitted + ", but " +
               stream_text(of_, *second_.stream) + " does not wait for it before " + second;
      case edge_fault::waited_for_another_event:
        return "an event is recorded" + record + " behind " + submitted + ", but " + call +
               " waits for another one" + recorded_where();
      case edge_fault::none_recorded:
        return "no event is recorded in " + stream_text(of_, *first_.stream) + " behind " + submitted +
               " for " + stream_text(of_, *second_.stream) + " to wait for before " + second;
      case edge_fault::non_blocking_stream:
        return non_blocking();
      case edge_fault::other_work_waited_for:
        return call + " waits for work in " +
               stream_text(of_, *of_.stream_waited_for(of_.call_with_id(found_.edge.call))) + "; " +
               submitted + " is in " + stream_text(of_, *first_.stream);
      case edge_fault::not_ready:
        return call + " answered \"not ready\", and the program went on";
      case edge_fault::wait_failed:
        return call + " failed with " + of_.call_with_id(found_.edge.call).raw().error +
               ", so it tells nothing of " + submitted;
      case edge_fault::only_streams_wait:
        return call + " holds back a stream, not the host";
      case edge_fault::stream_destroyed:
        return call + " does not wait for the work that is still in the stream";
      case edge_fault::other_thread_waited:
        return call + " told another host thread that " + submitted +
               " is done; nothing orders that thread before this one";
      case edge_fault::no_host_wait:
        return no_host_wait();
      case edge_fault::returns_early:
        return call + " returns before " + submitted + " is done" + freeing();
      case edge_fault::flag_says_nothing:
        return flag();
      case edge_fault::runs_meanwhile:
        return "the host does that while " + kernel().name +
               " runs: a flag between the two has to be volatile or atomic on both sides";
      case edge_fault::threads_unordered:
        return "no join, mutex or atomic variable orders host threads " + std::to_string(first_.thread) +
               " and " + std::to_string(second_.thread) + " here: either may come first";
      case edge_fault::implicit_wait:
        return implicit();
      case edge_fault::answer_not_looked_at:
        return call + " answered that " + submitted +
               " was done, this time; the program goes on whatever the answer is";
      case edge_fault::freed_before:
        return first_.name + " belongs behind the last use of the memory; here it was called before " +
               second_.name;
    }
    return "";
  }

 private:
  std::string place_of(trace::id call) const { return call == 0 ? "" : of_.call_with_id(call).where(); }

  std::string named(trace::id call) const {
    return call == 0 ? "" : of_.call_with_id(call).name() + at(place_of(call));
  }

  /// Whether the call that comes too late stands in front of the second, in a loop, and was made there before
  /// it too.
  bool in_a_later_round() const {
    const trace::host_call& late = of_.call_with_id(found_.edge.call).raw();
    const std::string where = place(late.stack);
    const auto line = [](const std::string& at) { return std::atoi(at.c_str() + at.rfind(':') + 1); };
    const auto same_place = [&](const trace::host_call& each) {
      return each.name == late.name && each.begun < second_.when && place(each.stack) == where;
    };
    const auto& calls = of_.run().calls;
    return line(where) < line(second_.where) && std::any_of(calls.begin(), calls.end(), same_place);
  }

  trace::id stream_of(trace::id call) const {
    return of_.call_with_id(call).raw().stream.value_or(trace::legacy_stream);
  }

  // Where the event that a wait is for was recorded.
  std::string recorded_where() const {
    const work wait = of_.work_with_id(of_.call_with_id(found_.edge.call).raw().operation);
    const trace::id record = wait.raw().waits_for;
    if (record == 0) return ", not recorded by then";
    const std::string where = of_.work_with_id(record).where();
    return where.empty() ? "" : ", recorded at " + where;
  }

  std::string no_host_wait() const {
    return "nothing makes the host wait for " + stream_text(of_, *first_.stream) + " before that" + freeing();
  }

  const participant& kernel() const { return is_host(first_) ? second_ : first_; }

  std::string flag() const {
    if (kernel().write) {
      return "a flag tells the host what " + kernel().name +
             " did before a __threadfence_system() that it executes before it sets the flag, and nothing "
             "else";
    }
    return "a flag tells " + kernel().name +
           " what the host did before it set the flag, and only from a __threadfence_system() on that it "
           "executes "
           "after it has read the flag";
  }

  std::string freeing() const {
    if (second_.kind != order::step_kind::release) return "";
    if (of_.run().allocations[found_.allocation - 1].in_stream_order) {
      return "; " + second_.name + " does not, where the memory is a pool's";
    }
    if (found_.level == hazard_level::relies_on_luck) {
      return "; " + second_.name + " itself waits today, but the manual says only that it may";
    }
    return "; " + second_.name + " itself may wait, but nothing promises it";
  }

  std::string non_blocking() const {
    const trace::id stream = *first_.stream == trace::legacy_stream ? *second_.stream : *first_.stream;
    return stream_text(of_, stream) + " was created non-blocking" +
           at(place_of(of_.run().streams[stream - 1].created_by)) +
           ": it and the legacy default stream do not wait for each other";
  }

  std::string implicit() const {
    const std::string call = named(found_.edge.call);
    if (call.empty()) return "what makes one wait for the other is not promised";
    const bool is_copy = found_.edge.call == first_.call || found_.edge.call == second_.call;
    if (!is_copy)
      return "only " + call + " in between happens to wait for the device, which nothing promises";
    return call +
           " copies ordinary (pageable) memory, which happens to make the host wait; the manual does not "
           "promise "
           "that the data has arrived when it returns";
  }

  const recording& of_;
  const hazard& found_;
  const participant& first_;
  const participant& second_;
};

}  // namespace

std::string participant_name(const hazard& found, const participant& side) {
  const bool two_hosts = is_host(found.first) && is_host(found.second);
  const bool is_thread = two_hosts && side.kind == order::step_kind::host_access;
  return is_thread ? "host thread " + std::to_string(side.thread) : side.name;
}

std::string participant_text(const recording& of, const hazard& found, const participant& side) {
  std::string place = side.where;
  if (side.stream) place += (place.empty() ? "" : ", ") + stream_text(of, *side.stream);
  return participant_name(found, side) + at(place);
}

std::string hazard_text(const recording& of, const hazard& found) {
  sentences text;
  const auto add = [&](const std::string& sentence, bool begins_with_name) {
    begins_with_name ? text.add(sentence) : text.add_capitalised(sentence);
  };
  const std::string times =
      found.count == 1 ? ""
                       : " (" + std::to_string(found.count) + " times at these lines; this is the first)";
  const std::string pair = pair_text(of, found) + times, edge = edge_text(of, found).text();
  add(pair, pair.compare(0, 4, "the ") != 0 && pair.compare(0, 5, "host ") != 0);
  add(edge, edge.compare(0, 4, "cuda") == 0);
  const std::string assumed = assumed_text(of, found);
  if (!assumed.empty()) add(assumed, false);
  return text.text();
}

}  // namespace lab::analysis
