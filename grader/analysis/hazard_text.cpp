#include "hazards.hpp"
#include "narration.hpp"

namespace lab::analysis {
namespace {

bool is_host(const participant& side) {
  return side.operation == 0;
}

// "scale (student.cu:40, stream 2)"
std::string with_place(const recording& of, const participant& side, bool tell_thread) {
  std::string name = side.name;
  if (is_host(side) && side.kind == order::step_kind::host_access && tell_thread) {
    name = "host thread " + std::to_string(side.thread);
  }
  std::string place = side.where;
  if (side.stream) place += (place.empty() ? "" : ", ") + stream_text(of, *side.stream);
  return name + at(place);
}

// "the device memory allocated at student.cu:12"
std::string memory_text(const recording& of, trace::id id) {
  const trace::allocation& memory = of.run().allocations[id - 1];
  if (memory.kind == trace::memory_kind::pageable) return "the program's ordinary memory";
  const std::string where = memory.allocated_by == 0 ? "" : of.call_with_id(memory.allocated_by).where();
  std::string text = memory.kind == trace::memory_kind::device   ? "the device memory"
                     : memory.kind == trace::memory_kind::pinned ? "the pinned memory"
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
  const bool two_hosts = is_host(first) && is_host(second);
  const std::string one = with_place(of, first, two_hosts), other = with_place(of, second, two_hosts);
  const std::string memory = memory_text(of, found.allocation);
  const std::string bytes = bytes_text(of, found);
  const std::string still =
      std::string(" while ") + one + " may still be " + (first.write ? "writing " : "reading ");
  const std::string uses = second.write ? " writes " : " reads ";
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

class edge_text {
 public:
  edge_text(const recording& of, const hazard& found)
      : of_(of), found_(found), first_(found.first), second_(found.second) {}

  std::string text() const {
    const std::string call = named(found_.edge.call), record = at(place_of(found_.edge.record));
    const std::string& submitted = first_.name;  // the sentence before says where
    switch (found_.edge.fault) {
      case edge_fault::recorded_too_early:
        return call + " waits for an event that was recorded" + record + " before " + submitted +
               " was submitted: it does not wait for that";
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
      case edge_fault::wait_in_other_stream:
        return call + " makes " + stream_text(of_, stream_of(found_.edge.call)) + " wait for " + first_.name +
               ", not " + stream_text(of_, *second_.stream) + ", in which " + second_.name + " runs";
      case edge_fault::waited_too_late:
        // A later wait that is not the student's is no help in finding the one that is missing.
        if (is_host(second_) && place_of(found_.edge.call).empty()) return no_host_wait();
        return call + " comes after that" +
               (is_host(second_) ? "" : ": it holds back only what is submitted later, not " + second_.name);
      case edge_fault::not_waited_for:
        return "an event is recorded" + record + " behind " + submitted + ", but " +
               stream_text(of_, *second_.stream) + " does not wait for it before " + second_.name;
      case edge_fault::none_recorded:
        return "no event is recorded in " + stream_text(of_, *first_.stream) + " behind " + submitted +
               " for " + stream_text(of_, *second_.stream) + " to wait for";
      case edge_fault::non_blocking_stream:
        return non_blocking();
      case edge_fault::other_work_waited_for:
        return call + " waits for work in " +
               stream_text(of_, *of_.stream_waited_for(of_.call_with_id(found_.edge.call))) + "; " +
               first_.name + " is in " + stream_text(of_, *first_.stream);
      case edge_fault::not_ready:
        return call + " answered \"not ready\", and the program went on";
      case edge_fault::only_streams_wait:
        return call + " holds back a stream, not the host";
      case edge_fault::other_thread_waited:
        return call + " told another host thread that " + first_.name +
               " is done; nothing orders that thread before this one";
      case edge_fault::no_host_wait:
        return no_host_wait();
      case edge_fault::returns_early:
        return call + " returns before " + first_.name + " is done" + freeing();
      case edge_fault::threads_unordered:
        return "two host threads are concerned (" + std::to_string(first_.thread) + " and " +
               std::to_string(second_.thread) + "), and nothing orders them: either may come first";
      case edge_fault::implicit_wait:
        return implicit();
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

  trace::id stream_of(trace::id call) const {
    return of_.call_with_id(call).raw().stream.value_or(trace::legacy_stream);
  }

  std::string no_host_wait() const {
    return "nothing makes the host wait for " + stream_text(of_, *first_.stream) + " before that" + freeing();
  }

  std::string freeing() const {
    if (second_.kind != order::step_kind::release) return "";
    if (of_.run().allocations[found_.allocation - 1].in_stream_order) {
      return "; " + second_.name + " does not, where the memory is a pool's";
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
  return text.text();
}

}  // namespace lab::analysis
