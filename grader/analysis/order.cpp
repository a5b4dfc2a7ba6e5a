#include "order.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace lab::analysis {
namespace {

using trace::copy_direction;
using trace::memory_kind;
using trace::operation_kind;

// Among the records of one event that no thread has ordered: so far back is the one looked for that is.
constexpr int most_records_back = 64;

bool is_async(const trace::host_call& call) {
  return call.name.find("Async") != std::string::npos;
}

// A host function; and a kernel that tells the host something while it runs, which is like one.
bool runs_on_a_thread(const trace::operation& operation) {
  return operation.begun != 0;
}

bool is_host_memory(const trace::run& run, trace::id allocation) {
  return allocation != 0 && allocation <= run.allocations.size() &&
         run.allocations[allocation - 1].kind != memory_kind::device;
}

// What the host threads do, in the order in which they did it.
enum class event_kind {
  begin_call,
  return_from_call,
  access,
  synchronise,
  begin_function,
  return_from_function
};

struct event {
  trace::sequence when;
  event_kind kind;
  std::uint32_t index;
};

std::vector<event> history(const trace::run& run) {
  std::vector<event> events;
  events.reserve(2 * run.calls.size() + run.host_accesses.size() + run.host_syncs.size());
  const auto add = [&](trace::sequence when, event_kind kind, std::size_t index) {
    if (when != 0) events.push_back({when, kind, static_cast<std::uint32_t>(index)});
  };
  for (std::size_t i = 0; i < run.calls.size(); ++i) {
    add(run.calls[i].begun, event_kind::begin_call, i);
    add(run.calls[i].returned, event_kind::return_from_call, i);
  }
  for (std::size_t i = 0; i < run.host_accesses.size(); ++i) {
    add(run.host_accesses[i].when, event_kind::access, i);
  }
  for (std::size_t i = 0; i < run.host_syncs.size(); ++i) {
    add(run.host_syncs[i].when, event_kind::synchronise, i);
  }
  for (std::size_t i = 0; i < run.operations.size(); ++i) {
    if (!runs_on_a_thread(run.operations[i])) continue;
    add(run.operations[i].begun, event_kind::begin_function, i);
    add(run.operations[i].returned, event_kind::return_from_function, i);
  }
  std::stable_sort(events.begin(), events.end(),
                   [](const event& a, const event& b) { return a.when < b.when; });
  return events;
}

}  // namespace

bool knows_threads(const trace::run& run) {
  if (run.device.emulated) return true;
  std::set<int> threads;
  for (const auto& call : run.calls) threads.insert(call.thread);
  for (const auto& access : run.host_accesses) threads.insert(access.thread);
  for (const auto& operation : run.operations) {
    if (runs_on_a_thread(operation)) threads.erase(operation.thread);  // the runtime's own
  }
  return threads.size() <= 1;
}

bool is_pageable(const trace::run& run, const trace::operation& copy, bool write) {
  for (const auto& range : copy.accesses) {
    if (range.write == write && is_host_memory(run, range.allocation)) {
      return run.allocations[range.allocation - 1].kind == memory_kind::pageable;
    }
  }
  return true;  // nothing is known of it
}

bool may_wait_for_device(const trace::run& run, const trace::host_call& call) {
  const bool known = call.allocation != 0 && call.allocation <= run.allocations.size();
  if (known && run.allocations[call.allocation - 1].in_stream_order) return false;
  for (const std::string_view name :
       {"cudaFree", "cudaFreeHost", "cudaFreeArray", "cudaHostUnregister", "cudaHostAlloc",
        "cudaHostRegister", "cudaMalloc", "cudaMallocHost", "cudaMallocManaged", "cudaMallocPitch",
        "cudaMalloc3D", "cudaMallocArray", "cudaDeviceReset"}) {
    if (call.name == name) return true;
  }
  return false;
}

bool is_answer(const trace::host_call& call) {
  return call.status == 0 && (call.name == "cudaEventQuery" || call.name == "cudaStreamQuery" ||
                              call.name == "cudaEventElapsedTime");
}

order::order(const trace::run& run, edges counted)
    : run_(run), counted_(counted), in_turn_(!knows_threads(run)), works_(run.operations.size()), clocks_(0) {
  meet_threads_and_streams();
  replay();
}

bool order::before(trace::id a, trace::id b) const {
  const work& first = works_[a - 1];
  return a != b && first.lane != none && knows_done(works_[b - 1].knows, first);
}

bool order::before(const moment& a, const moment& b) const {
  if (a.chain == b.chain) return a.position < b.position;
  return a.position <= clocks_.known(b.knows, a.chain);
}

order::moment order::when(const step& of, bool write) const {
  if (of.kind == step_kind::host_access) return accessed_[of.index];
  if (of.kind == step_kind::release) return freed_.at(of.index);
  const auto staged = staged_.find(of.index);
  if (!write && staged != staged_.end()) return staged->second;
  const work& its = works_[of.index];
  return {lanes_[its.lane].chain, its.position, its.knows};
}

void order::meet_threads_and_streams() {
  clocks::chain chains = 0;
  const auto meet = [&](int id) {
    const auto [entry, fresh] = thread_numbers_.try_emplace(id, static_cast<number>(threads_.size()));
    if (fresh) {
      threads_.emplace_back();
      threads_.back().self.chain = chains++;
    }
    return entry->second;
  };
  trace::id most_call = 0;
  for (const auto& call : run_.calls) {
    meet(call.thread);
    most_call = std::max(most_call, call.id);
  }
  for (const auto& access : run_.host_accesses) meet(access.thread);
  for (const auto& sync : run_.host_syncs) meet(sync.thread);

  std::vector<number> call_with_id(most_call + 1, none);
  for (std::size_t i = 0; i < run_.calls.size(); ++i) call_with_id[run_.calls[i].id] = static_cast<number>(i);
  const auto call_of = [&](trace::id id) { return id < call_with_id.size() ? call_with_id[id] : none; };

  trace::id most_stream = 0;
  for (const auto& operation : run_.operations) most_stream = std::max(most_stream, operation.stream);
  streams_.resize(std::max<std::size_t>(most_stream, run_.streams.size()) + 1);
  for (const auto& each : run_.streams) streams_[each.id].blocking = !each.non_blocking;

  first_of_call_.assign(run_.calls.size(), none);
  next_of_call_.assign(run_.operations.size(), none);
  previous_record_.assign(run_.operations.size(), none);
  std::unordered_map<trace::id, number> last_record;
  for (std::size_t i = run_.operations.size(); i-- > 0;) {
    const number call = call_of(run_.operations[i].submitted_by);
    if (call == none) continue;
    next_of_call_[i] = first_of_call_[call];
    first_of_call_[call] = static_cast<number>(i);
  }
  for (std::size_t i = 0; i < run_.operations.size(); ++i) {
    const auto& operation = run_.operations[i];
    if (operation.kind == operation_kind::event_record) {
      const auto [last, first] = last_record.try_emplace(operation.event, none);
      previous_record_[i] = last->second;
      last->second = static_cast<number>(i);
    }
    const number call = call_of(operation.submitted_by);
    if (call == none || run_.calls[call].begun == 0) continue;
    const number by = meet(run_.calls[call].thread);
    auto& its_lanes = streams_[operation.stream].lanes;
    auto found = std::find_if(its_lanes.begin(), its_lanes.end(),
                              [&](number each) { return lanes_[each].thread == by; });
    if (found == its_lanes.end()) {
      its_lanes.push_back(static_cast<number>(lanes_.size()));
      found = its_lanes.end() - 1;
      lanes_.emplace_back();
      lanes_.back().thread = by;
      lanes_.back().chain = chains++;
    }
    works_[i].lane = *found;
    if (!runs_on_a_thread(operation)) continue;
    meet(operation.thread);
    lane& its = lanes_[*found];
    if (its.functions_chain == none) its.functions_chain = chains++;
  }
  freed_by_call_.assign(run_.calls.size(), none);
  for (std::size_t i = 0; i < run_.allocations.size(); ++i) {
    const number call = call_of(run_.allocations[i].freed_by);
    // cudaFreeAsync leaves it to its stream, whose work then stands for it.
    if (call != none && first_of_call_[call] == none) freed_by_call_[call] = static_cast<number>(i);
  }
  accessed_.resize(run_.host_accesses.size());
  clocks_ = clocks(chains);
}

void order::replay() {
  for (const event& next : history(run_)) {
    switch (next.kind) {
      case event_kind::begin_call:
        take_turn(thread_with(run_.calls[next.index].thread));
        begin_call(next.index);
        break;
      case event_kind::return_from_call:
        take_turn(thread_with(run_.calls[next.index].thread));
        return_from(run_.calls[next.index]);
        break;
      case event_kind::access: {
        moment& self = thread_with(run_.host_accesses[next.index].thread).now();
        ++self.position;
        accessed_[next.index] = self;
        steps_.push_back({step_kind::host_access, next.index});
        break;
      }
      case event_kind::synchronise:
        synchronise(run_.host_syncs[next.index]);
        break;
      case event_kind::begin_function:
        begin_function(next.index);
        break;
      case event_kind::return_from_function:
        return_from_function(next.index);
        break;
    }
  }
  for (number i = 0; i < works_.size(); ++i) {
    if (works_[i].submitted != 0) settle(i);
  }
}

// --- what calls do

void order::begin_call(number call) {
  const trace::host_call& made = run_.calls[call];
  thread& by = thread_with(made.thread);
  if (freed_by_call_[call] != none) {
    // It waits before it frees.
    if (counted_ == edges::with_luck && made.name == "cudaFree" && may_wait_for_device(run_, made))
      learn_all(by);
    ++by.now().position;
    freed_[freed_by_call_[call]] = by.now();
    steps_.push_back({step_kind::release, freed_by_call_[call]});
  }
  for (number i = first_of_call_[call]; i != none; i = next_of_call_[i]) {
    const trace::operation& operation = run_.operations[i];
    if (stages_source(operation, made)) {
      // The call without "Async" waits for the stream before it reads the source.
      if (!is_async(made)) learn_stream(by, operation.stream);
      ++by.now().position;
      staged_[i] = by.now();
    }
    submit(i, by);
  }
}

void order::return_from(const trace::host_call& call) {
  if (call.status != 0) return;
  thread& by = thread_with(call.thread);
  moment& self = by.now();
  if (counted_ == edges::unasked && is_answer(call)) return;
  if (call.name == "cudaDeviceSynchronize" || call.name == "cudaThreadSynchronize" ||
      (counted_ == edges::with_luck && may_wait_for_device(run_, call))) {
    learn_all(by);
  } else if ((call.name == "cudaStreamSynchronize" || call.name == "cudaStreamQuery") && call.stream) {
    learn_stream(by, *call.stream);
  } else if (call.name == "cudaEventSynchronize" || call.name == "cudaEventQuery" ||
             call.name == "cudaEventElapsedTime") {
    for (const trace::id record : {call.operation, call.start_record, call.stop_record}) {
      const number bound = record_bound_to(record, self.knows);
      if (bound != none) learn(self, {bound});
    }
  } else {
    learn_from_copies(by, call);
  }
}

void order::submit(number operation, thread& by) {
  moment& self = by.now();
  step_on(self);
  const trace::operation& submitted = run_.operations[operation];
  work& its = works_[operation];
  its.submitted = self.position;
  its.knows = self.knows;
  its.first_before = static_cast<number>(before_.size());
  const auto follow = [&](const std::vector<number>& earlier) {
    for (const number each : earlier) {
      if (!knows_done(self.knows, works_[each])) before_.push_back(each);
    }
  };
  follow(last_of_stream(submitted.stream, self.knows));
  const bool blocking = streams_[submitted.stream].blocking;
  if (submitted.stream == trace::legacy_stream) {
    follow(collect(&thread::blocking_works, by.put_before_legacy, self.knows));
  } else if (blocking) {
    follow(last_of_stream(trace::legacy_stream, self.knows));
  }
  if (submitted.kind == operation_kind::event_wait) {
    const number record = record_bound_to(submitted.waits_for, self.knows);
    if (record != none) follow({record});
  }
  if (submitted.kind == operation_kind::graph && submitted.waits_for != 0) {
    const number launched_before = submitted.waits_for - 1;
    if (knows_submitted(self.knows, works_[launched_before])) follow({launched_before});
  }
  its.end_before = static_cast<number>(before_.size());

  lane& in = lanes_[its.lane];
  in.works.push_back(operation);
  its.position = static_cast<clocks::position>(in.works.size());
  by.works.push_back(operation);
  if (blocking) by.blocking_works.push_back(operation);
  try_to_settle(operation);
}

void order::synchronise(const trace::host_sync& sync) {
  moment& self = thread_with(sync.thread).now();
  clocks::clock& released = released_[sync.object];
  if (sync.kind == trace::host_sync_kind::release) {
    step_on(self);
    released = clocks_.joined(released, self.knows);
  } else {
    self.knows = clocks_.joined(self.knows, released);
  }
}

void order::take_turn(thread& next) {
  if (in_turn_ && in_turn_last_ != nullptr && in_turn_last_ != &next) {
    step_on(in_turn_last_->self);
    next.self.knows = clocks_.joined(next.self.knows, in_turn_last_->self.knows);
  }
  in_turn_last_ = &next;
}

// A host function runs on a thread of its own, after the work before it in its stream.
void order::begin_function(number operation) {
  const work& its = works_[operation];
  if (its.submitted == 0) return;
  settle(operation);
  thread& runs = thread_with(run_.operations[operation].thread);
  const lane& in = lanes_[its.lane];
  runs.function = operation;
  runs.in_function = {in.functions_chain, in.functions_position, its.knows};
}

void order::return_from_function(number operation) {
  thread& ran = thread_with(run_.operations[operation].thread);
  if (ran.function != operation) return;
  step_on(ran.in_function);
  work& its = works_[operation];
  lanes_[its.lane].functions_position = ran.in_function.position;
  finish(its, ran.in_function.knows);
  ran.function = none;
}

// --- what work knows

// Work behind a host function waits for the function to return, in the trace: it may learn something by then.
bool order::try_to_settle(number operation) {
  const work& its = works_[operation];
  for (number i = its.first_before; i < its.end_before; ++i) {
    if (!works_[before_[i]].finished) return false;
  }
  compute(operation);
  return true;
}

void order::settle(number operation) {
  std::vector<number> open{operation};
  while (!open.empty()) {
    const work& its = works_[open.back()];
    const std::size_t height = open.size();
    for (number i = its.first_before; i < its.end_before && !its.settled; ++i) {
      work& earlier = works_[before_[i]];
      if (!earlier.settled) {
        open.push_back(before_[i]);
      } else if (!earlier.finished) {
        finish(earlier, earlier.knows);  // a function whose return is not in the record
      }
    }
    if (open.size() > height) continue;
    if (!its.settled) compute(open.back());
    open.pop_back();
  }
}

void order::compute(number operation) {
  work& its = works_[operation];
  const auto begin = before_.begin() + its.first_before, end = before_.begin() + its.end_before;
  // Two clocks that differ much are dear to join: of a few, one that another knows all of is left out.
  const bool few = end - begin <= 4;
  std::vector<clocks::clock> earlier;
  for (auto each = begin; each != end; ++each) {
    const auto knows_it = [&](number other) {
      return other != *each && knows_done(works_[other].done, works_[*each]);
    };
    if (knows_done(its.knows, works_[*each]) || (few && std::any_of(begin, end, knows_it))) continue;
    earlier.push_back(works_[*each].done);
  }
  its.knows = clocks_.joined(its.knows, std::move(earlier));
  its.settled = true;
  steps_.push_back({step_kind::work, operation});
  const trace::operation& what = run_.operations[operation];
  if (!runs_on_a_thread(what) || what.returned == 0) finish(its, its.knows);
}

void order::finish(work& of, clocks::clock knows) {
  of.done = clocks_.with(knows, lanes_[of.lane].chain, of.position);
  of.finished = true;
}

bool order::knows_submitted(clocks::clock knows, const work& of) const {
  if (of.submitted == 0) return false;
  return of.submitted <= clocks_.known(knows, threads_[lanes_[of.lane].thread].self.chain);
}

bool order::knows_done(clocks::clock knows, const work& of) const {
  return of.position <= clocks_.known(knows, lanes_[of.lane].chain);
}

order::number order::last_in(const lane& in, clocks::clock submitted) const {
  const auto known = [&](number each) { return knows_submitted(submitted, works_[each]); };
  if (in.works.empty()) return none;
  if (known(in.works.back())) return in.works.back();
  const auto end = std::partition_point(in.works.begin(), in.works.end(), known);
  return end == in.works.begin() ? none : *(end - 1);
}

std::vector<order::number> order::last_of_stream(trace::id of, clocks::clock submitted) const {
  std::vector<number> last;
  if (of >= streams_.size()) return last;
  for (const number each : streams_[of].lanes) {
    const number its_last = last_in(lanes_[each], submitted);
    if (its_last != none) last.push_back(its_last);
  }
  return last;
}

// A record that another thread makes at the same time may come too late. The one before it in the same stream
// is then waited for, and it is whichever comes first.
order::number order::record_bound_to(trace::id record, clocks::clock submitted) const {
  if (record == 0 || record > works_.size()) return none;
  number bound = record - 1;
  const trace::id recorded_in = run_.operations[bound].stream;
  for (int back = 0; back < most_records_back && bound != none; ++back) {
    if (run_.operations[bound].stream != recorded_in) return none;
    if (knows_submitted(submitted, works_[bound])) return bound;
    bound = previous_record_[bound];
  }
  return none;
}

std::vector<order::number> order::collect(list_of_work list, progress& so_far, clocks::clock submitted) {
  std::vector<number> last;
  ++collections_;
  for (number by = 0; by < threads_.size(); ++by) {
    const std::vector<number>& works = threads_[by].*list;
    if (works.empty()) continue;
    const auto known = [&](number each) { return knows_submitted(submitted, works_[each]); };
    const auto end =
        known(works.back()) ? works.end() : std::partition_point(works.begin(), works.end(), known);
    std::size_t& done = so_far[by];
    const auto upto = static_cast<std::size_t>(end - works.begin());
    for (std::size_t i = upto; i > done; --i) {
      lane& in = lanes_[works_[works[i - 1]].lane];
      if (in.collected == collections_) continue;
      in.collected = collections_;
      last.push_back(works[i - 1]);
    }
    done = upto;
  }
  return last;
}

// --- what threads learn

void order::learn(moment& who, const std::vector<number>& done) {
  std::vector<clocks::clock> fresh;
  for (const number each : done) {
    if (knows_done(who.knows, works_[each])) continue;
    settle(each);
    if (!works_[each].finished) finish(works_[each], works_[each].knows);
    fresh.push_back(works_[each].done);
  }
  who.knows = clocks_.joined(who.knows, std::move(fresh));
}

void order::learn_all(thread& who) {
  moment& self = who.now();
  learn(self, collect(&thread::works, who.all_waited_for, self.knows));
}

void order::learn_stream(thread& who, trace::id of) {
  moment& self = who.now();
  learn(self, last_of_stream(of, self.knows));
  if (of == trace::legacy_stream) {
    learn(self, collect(&thread::blocking_works, who.blocking_waited_for, self.knows));
  }
}

// What the manual says of copies and sets that return once they are done ("API synchronization behavior").
void order::learn_from_copies(thread& who, const trace::host_call& call) {
  const auto number_of_call = static_cast<std::size_t>(&call - run_.calls.data());
  for (number i = first_of_call_[number_of_call]; i != none; i = next_of_call_[i]) {
    const trace::operation& made = run_.operations[i];
    const bool lucky = counted_ == edges::with_luck;
    bool waits = false;
    if (made.kind == operation_kind::memset) {
      waits = !is_async(call) &&
              std::any_of(made.accesses.begin(), made.accesses.end(),
                          [&](const auto& range) { return is_host_memory(run_, range.allocation); });
    } else if (made.direction == copy_direction::host_to_host) {
      waits = true;
    } else if (made.direction == copy_direction::device_to_host) {
      waits = !is_async(call) || (lucky && is_pageable(run_, made, true));
    } else if (made.direction == copy_direction::host_to_device) {
      const bool pageable = is_pageable(run_, made, false);
      const bool was_done = made.end != trace::unfinished && made.end <= call.end;
      waits = pageable ? lucky && was_done : !is_async(call);
    }
    if (waits) learn(who.now(), {i});
  }
}

void order::step_on(moment& who) {
  ++who.position;
  who.knows = clocks_.with(who.knows, who.chain, who.position);
}

bool order::stages_source(const trace::operation& copy, const trace::host_call& call) const {
  return copy.direction == copy_direction::host_to_device && is_pageable(run_, copy, false) &&
         (!is_async(call) || counted_ == edges::with_luck);
}

}  // namespace lab::analysis
