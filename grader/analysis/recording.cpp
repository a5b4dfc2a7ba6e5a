#include "recording.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lab::analysis {
namespace {

bool is_work_proper(const trace::operation& operation) {
  switch (operation.kind) {
    case trace::operation_kind::kernel:
    case trace::operation_kind::copy:
    case trace::operation_kind::memset:
    case trace::operation_kind::host_function:
    case trace::operation_kind::graph:
      return true;
    default:
      return false;
  }
}

trace::time_ns latest_moment(const trace::run& run) {
  trace::time_ns latest = 0;
  for (const auto& call : run.calls) latest = std::max({latest, call.begin, call.end});
  for (const auto& operation : run.operations) latest = std::max({latest, operation.begin, operation.end});
  for (const auto& read : run.clock_reads) latest = std::max(latest, read.at);
  for (const auto& pause : run.pauses) latest = std::max(latest, pause.end);
  return latest;
}

bool begins_with(const std::string& file, std::string_view prefix) {
  return file.compare(0, prefix.size(), prefix) == 0;
}

// Not the whole programs beside it, which stand for students' files.
bool is_drivers(const std::string& file) {
  return begins_with(file, "grader/checks/") && file.find("/right/") == std::string::npos &&
         file.find("/wrong/") == std::string::npos;
}

// The driver, the helpers, the contract, the system: a student is never sent there.
bool is_students(const std::string& file) {
  const bool contract =
      begins_with(file, "labs/") && file.size() > 4 && file.compare(file.size() - 4, 4, ".hpp") == 0;
  return !(file.empty() || begins_with(file, "common/") || is_drivers(file) ||
           begins_with(file, "grader/exercise/") || begins_with(file, "/usr/") || contract);
}

bool active(const trace::call_stack& stack, std::string_view function) {
  // With or without its parameters and its namespace: "time_it" is lab::time_it(float*).
  return std::any_of(stack.begin(), stack.end(), [&](const trace::source_location& frame) {
    std::string_view name = frame.function;
    name = name.substr(0, name.find('('));
    if (name.size() < function.size()) return false;
    const std::string_view tail = name.substr(name.size() - function.size());
    return tail == function &&
           (name.size() == function.size() || name[name.size() - function.size() - 1] == ':' ||
            name[name.size() - function.size() - 1] == ' ');
  });
}

template <class T>
T the_only(const std::vector<T>& found, const std::string& none, const std::string& many) {
  if (found.empty()) throw not_found(none);
  if (found.size() > 1) throw not_found(many);
  return found.front();
}

std::string times(std::size_t count) {
  return std::to_string(count) + " times";
}

const char* memory_name(trace::memory_kind kind) {
  switch (kind) {
    case trace::memory_kind::device:
      return "device memory";
    case trace::memory_kind::pinned:
      return "pinned memory";
    case trace::memory_kind::registered:
      return "registered memory";
    case trace::memory_kind::pageable:
      return "host memory";
    case trace::memory_kind::managed:
      return "managed memory";
  }
  return "memory";
}

}  // namespace

span span::shared_with(const span& other) const {
  const span shared{std::max(begin, other.begin), std::min(end, other.end)};
  return shared.begin <= shared.end ? shared : span{shared.begin, shared.begin};
}

span call::when() const {
  return {raw_->begin, raw_->end == trace::unfinished ? of_->end() : raw_->end};
}

bool call::waits() const {
  return is_wait(*raw_);
}

std::string call::where() const {
  return place(raw_->stack);
}

span work::when() const {
  return {began() ? raw_->begin : of_->end(), ended() ? raw_->end : of_->end()};
}

call work::submitted_by() const {
  return of_->call_with_id(raw_->submitted_by);
}

std::string work::where() const {
  return raw_->submitted_by == 0 ? "" : submitted_by().where();
}

recording::recording(trace::run run) : run_(std::move(run)), end_(latest_moment(run_)) {}

std::vector<call> recording::calls() const {
  std::vector<analysis::call> result;
  for (const auto& raw : run_.calls) result.emplace_back(*this, raw);
  return result;
}

std::vector<call> recording::calls(std::string_view name) const {
  std::vector<analysis::call> result;
  for (const auto& raw : run_.calls) {
    if (raw.name == name) result.emplace_back(*this, raw);
  }
  return result;
}

std::vector<call> recording::calls_in(std::string_view function) const {
  std::vector<analysis::call> result;
  for (const auto& raw : run_.calls) {
    if (active(raw.stack, function)) result.emplace_back(*this, raw);
  }
  return result;
}

call recording::call(std::string_view name) const {
  const auto found = calls(name);
  const std::string text(name);
  return the_only(found, "the program never calls " + text,
                  "the program calls " + text + " " + times(found.size()));
}

std::vector<work> recording::all_work() const {
  std::vector<work> result;
  for (const auto& raw : run_.operations) {
    if (is_work_proper(raw)) result.emplace_back(*this, raw);
  }
  return result;
}

std::vector<work> recording::kernels(std::string_view name) const {
  std::vector<work> result;
  for (const auto& raw : run_.operations) {
    const bool wanted = name.empty() || raw.name == name;
    if (raw.kind == trace::operation_kind::kernel && wanted) result.emplace_back(*this, raw);
  }
  return result;
}

std::vector<work> recording::copies() const {
  std::vector<work> result;
  for (const auto& raw : run_.operations) {
    if (raw.kind == trace::operation_kind::copy) result.emplace_back(*this, raw);
  }
  return result;
}

std::vector<work> recording::records() const {
  std::vector<work> result;
  for (const auto& raw : run_.operations) {
    if (raw.kind == trace::operation_kind::event_record) result.emplace_back(*this, raw);
  }
  return result;
}

std::vector<work> recording::work_on(trace::id stream) const {
  std::vector<work> result;
  for (const auto& raw : run_.operations) {
    if (raw.stream == stream && is_work_proper(raw)) result.emplace_back(*this, raw);
  }
  return result;
}

work recording::kernel(std::string_view name) const {
  const auto found = kernels(name);
  const std::string text(name);
  return the_only(found, "the kernel " + text + " was never launched",
                  "the kernel " + text + " was launched " + times(found.size()) + ", not once");
}

std::vector<elapsed_time> recording::elapsed_times() const {
  std::vector<elapsed_time> result;
  for (const auto& raw : run_.calls) {
    if (raw.name != "cudaEventElapsedTime" || !raw.milliseconds || raw.start_record == 0 ||
        raw.stop_record == 0) {
      continue;
    }
    const work start = work_with_id(raw.start_record), stop = work_with_id(raw.stop_record);
    result.push_back({{*this, raw}, *raw.milliseconds, start, stop, work_between(start, stop)});
  }
  return result;
}

std::vector<work> recording::work_between(const work& start, const work& stop) const {
  const trace::time_ns from = start.when().end, to = stop.when().end;
  const span between{std::min(from, to), std::max(from, to)};
  std::vector<work> result;
  for (const work& each : work_on(stop.stream())) {
    if (each.began() && each.when().shared_with(between).milliseconds() > 0) result.push_back(each);
  }
  return result;
}

std::optional<trace::id> recording::stream_waited_for(const analysis::call& waiting) const {
  const trace::host_call& raw = waiting.raw();
  if (raw.stream) return raw.stream;
  if (raw.operation != 0) return work_with_id(raw.operation).stream();  // an event's record, a copy
  return {};
}

std::optional<trace::time_ns> recording::told_done(const work& done) const {
  // Whoever waits for the legacy stream waits for the blocking ones before it too.
  const trace::id own = done.stream();
  const auto is_blocking = [&](trace::id stream) {
    return stream > 0 && stream <= run_.streams.size() && !run_.streams[stream - 1].non_blocking;
  };
  const auto covers = [&](trace::id stream) {
    return stream == own || (stream == trace::legacy_stream && is_blocking(own));
  };
  // Another stream may have been made to wait for it.
  const auto waits_in = [&](trace::id stream, trace::time_ns before) {
    return std::any_of(run_.operations.begin(), run_.operations.end(), [&](const trace::operation& raw) {
      if (raw.kind != trace::operation_kind::event_wait || raw.stream != stream || raw.waits_for == 0)
        return false;
      const work record = work_with_id(raw.waits_for);
      return raw.submitted <= before && covers(record.stream()) &&
             record.raw().submitted >= done.raw().submitted;
    });
  };
  std::optional<trace::time_ns> first;
  const auto told_at = [&](trace::time_ns moment) { first = std::min(first.value_or(moment), moment); };
  for (const auto& each : calls()) {
    const trace::host_call& raw = each.raw();
    const bool tells = is_wait(raw) || raw.name.find("Query") != std::string::npos ||
                       raw.name == "cudaEventElapsedTime" || raw.blocked > 0;
    const trace::time_ns known_end = each.when().end + clocks_apart();
    if (!tells || raw.status != 0 || raw.begin < done.raw().submitted || known_end < done.when().end)
      continue;
    const trace::id until = raw.stop_record != 0 ? raw.stop_record : raw.operation;
    bool covered = raw.name == "cudaDeviceSynchronize" ||
                   (until == 0 && raw.stream && (covers(*raw.stream) || waits_in(*raw.stream, raw.begin)));
    if (!covered && until != 0) {
      const work last = work_with_id(until);
      covered = (covers(last.stream()) && last.raw().submitted >= done.raw().submitted) ||
                waits_in(last.stream(), last.raw().submitted);
    }
    if (covered) told_at(each.when().end);
  }
  for (const auto& raw : run_.operations) {
    if (raw.kind != trace::operation_kind::host_function || raw.begin == trace::unfinished) continue;
    const bool ordered = covers(raw.stream) || (own == trace::legacy_stream && is_blocking(raw.stream));
    if ((ordered && raw.submitted >= done.raw().submitted) || waits_in(raw.stream, raw.submitted))
      told_at(raw.begin);
  }
  return first;
}

trace::time_ns recording::clocks_apart() const {
  return run_.device.emulated ? 0 : 10'000;
}

double recording::host_blocked_ms() const {
  trace::time_ns total = 0;
  for (const auto& raw : run_.calls) total += raw.blocked;
  return static_cast<double>(total) / 1e6;
}

double recording::host_blocked_ms(const span& within) const {
  trace::time_ns total = 0;
  for (const auto& each : calls()) {
    const span part = each.when().shared_with(within);
    total += std::min(each.raw().blocked,
                      part.end - part.begin);  // a call waits at its end, so this is exact there
  }
  return static_cast<double>(total) / 1e6;
}

std::vector<leak> recording::leaked_events() const {
  std::vector<leak> result;
  for (const auto& each : run_.events) {
    if (each.destroyed_by == 0) result.push_back({"event", call_with_id(each.created_by).where()});
  }
  return result;
}

std::vector<leak> recording::leaked_streams() const {
  std::vector<leak> result;
  for (const auto& each : run_.streams) {
    if (each.destroyed_by == 0 && each.created_by != 0) {
      result.push_back({"stream", call_with_id(each.created_by).where()});
    }
  }
  return result;
}

std::vector<leak> recording::leaked_memory() const {
  std::vector<leak> result;
  for (const auto& each : run_.allocations) {
    if (each.freed_by == 0 && each.allocated_by != 0)
      result.push_back({memory_name(each.kind), call_with_id(each.allocated_by).where()});
  }
  return result;
}

std::vector<leak> recording::leaks() const {
  std::vector<leak> result = leaked_events();
  for (const auto& more : {leaked_streams(), leaked_memory()})
    result.insert(result.end(), more.begin(), more.end());
  return result;
}

call recording::call_with_id(trace::id id) const {
  // Ids count calls in the order in which they were made, which is all but the order of the list.
  if (id >= 1 && id <= run_.calls.size() && run_.calls[id - 1].id == id) return {*this, run_.calls[id - 1]};
  for (const auto& raw : run_.calls) {
    if (raw.id == id) return {*this, raw};
  }
  throw not_found("the trace names a call that is not in it");
}

work recording::work_with_id(trace::id id) const {
  if (id >= 1 && id <= run_.operations.size() && run_.operations[id - 1].id == id) {
    return {*this, run_.operations[id - 1]};
  }
  for (const auto& raw : run_.operations) {
    if (raw.id == id) return {*this, raw};
  }
  throw not_found("the trace names an operation that is not in it");
}

bool before(const span& a, const span& b) {
  return a.end <= b.begin;
}

double overlap(const span& a, const span& b) {
  return a.shared_with(b).milliseconds();
}

double overlap(const std::vector<work>& a, const std::vector<work>& b) {
  // The stretches shared by any pair, merged: work may run side by side within `a` and within `b`.
  std::vector<span> shared;
  for (const work& one : a) {
    for (const work& other : b) {
      const span both = one.when().shared_with(other.when());
      if (both.end > both.begin) shared.push_back(both);
    }
  }
  std::sort(shared.begin(), shared.end(), [](const span& x, const span& y) { return x.begin < y.begin; });
  double total = 0;
  trace::time_ns reached = 0;
  for (const span& each : shared) {
    const span fresh{std::max(each.begin, reached), std::max(each.end, reached)};
    total += fresh.milliseconds();
    reached = std::max(reached, each.end);
  }
  return total;
}

bool is_wait(const trace::host_call& made) {
  return made.name.find("Synchronize") != std::string::npos;
}

const trace::source_location* student_frame(const trace::call_stack& stack) {
  for (const auto& frame : stack) {
    if (is_students(frame.file)) return &frame;
  }
  return nullptr;
}

bool made_by_student(const trace::call_stack& stack) {
  for (const auto& frame : stack) {
    if (is_students(frame.file)) return true;
    if (is_drivers(frame.file)) return false;
  }
  return false;
}

std::string place(const trace::call_stack& stack) {
  const trace::source_location* frame = student_frame(stack);
  if (frame == nullptr) return "";
  const std::string& file = frame->file;
  return file.substr(file.rfind('/') + 1) + ":" + std::to_string(frame->line);
}

std::string finding_text(const trace::finding& found) {
  std::string text = found.message;
  while (!text.empty() && text.back() == '.') text.pop_back();  // it is put into sentences
  const std::string where = place(found.stack);
  return where.empty() || text.find(where) != std::string::npos ? text : text + " (" + where + ")";
}

namespace {

std::string without_trailing_zeros(std::string digits) {  // 5.00 is 5
  if (digits.find('.') == std::string::npos) return digits;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

std::string three_digits(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  const double size = std::fabs(value);
  if (size >= 1e9 || (size < 1e-6 && size > 0)) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.3g", value);
    return text;
  }
  int decimals = 2;
  for (double limit = 9.995; size >= limit && decimals > 0; limit *= 10) --decimals;
  for (double limit = 0.9995; size < limit && size > 0 && decimals < 8; limit /= 10) ++decimals;
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return without_trailing_zeros(text);
}

}  // namespace

std::string duration_text(double milliseconds) {
  const double size = std::fabs(milliseconds);
  if (size >= 999.5) return three_digits(milliseconds / 1e3) + " s";
  if (size < 0.9995 && size > 0) return three_digits(milliseconds * 1e3) + " µs";
  return three_digits(milliseconds) + " ms";
}

std::string milliseconds_text(double milliseconds) {
  return three_digits(milliseconds) + " ms";
}

std::string stream_text(const recording& of, trace::id stream) {
  if (stream == trace::legacy_stream) return "the legacy default stream";
  const auto& streams = of.run().streams;
  if (stream > streams.size() || streams[stream - 1].created_by != 0)
    return "stream " + std::to_string(stream);
  return "the per-thread default stream of host thread " + std::to_string(streams[stream - 1].thread);
}

}  // namespace lab::analysis
