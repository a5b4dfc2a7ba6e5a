#include "messages.hpp"

#include <cmath>
#include <cstdio>

#include "session.hpp"

namespace lab::checks {

void end_check(outcome what, const std::string& message, const std::string& because,
               std::optional<timeline::excerpt> picture) {
  throw check_ended{{what, message, because, std::move(picture), {}}};
}

void end_check(const observation& of, outcome what, const std::string& message, const std::string& because,
               std::optional<timeline::excerpt> picture) {
  current_session().is_about(of);
  end_check(what, message, because, std::move(picture));
}

std::string number_text(double value) {
  if (std::isnan(value)) return "NaN";
  char text[40];
  std::snprintf(text, sizeof(text), "%.6g", value);
  return text;
}

std::string finding_text(const analysis::recording& seen, const trace::finding& found) {
  if (found.operation == 0) return analysis::finding_text(found);
  const analysis::work work = seen.work_with_id(found.operation);
  if (work.raw().kind != trace::operation_kind::kernel) return analysis::finding_text(found);
  trace::finding in_kernel = found;  // further out is the host, which did something else by then
  if (!in_kernel.stack.empty()) in_kernel.stack = {in_kernel.stack.front()};
  const std::string launch = work.where();
  return analysis::finding_text(in_kernel) + (launch.empty() ? "" : "; it was launched at " + launch);
}

std::string first_finding(const observation& seen) {
  const auto& findings = seen.trace.run().findings;
  if (findings.empty()) return "";
  std::string text = finding_text(seen.trace, findings.front()) + ".";
  const bool name = text.rfind("cuda", 0) == 0;  // stays as it is spelt
  if (!name && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::optional<timeline::excerpt> whole_run(const observation& seen) {
  const auto& run = seen.trace.run();
  if (run.calls.empty()) return {};
  const auto& first = run.calls.front();
  const bool dwarfs_the_rest =
      first.end != trace::unfinished && 2 * (first.end - first.begin) > seen.trace.end();
  return timeline::make_excerpt(seen.trace, {dwarfs_the_rest ? first.end : first.begin, seen.trace.end()});
}

}  // namespace lab::checks
