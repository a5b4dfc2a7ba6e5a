#include "session.hpp"

#include <algorithm>
#include <analysis/agreement.hpp>
#include <analysis/witness.hpp>
#include <cstdlib>
#include <mutex>
#include <stdexcept>

#include "messages.hpp"
#include "observation.hpp"

namespace lab::checks {
namespace {

session* now_in_progress = nullptr;

// Each may take the backstop's time.
constexpr int most_endless_runs = 3;

class flag_while {
 public:
  explicit flag_while(bool& flag) : flag_(flag) { flag_ = true; }
  ~flag_while() { flag_ = false; }
  flag_while(const flag_while&) = delete;
  flag_while& operator=(const flag_while&) = delete;

 private:
  bool& flag_;
};

std::vector<std::unique_ptr<check>>& registered() {
  static std::vector<std::unique_ptr<check>> all;
  return all;
}

void append(std::string& key, const void* bytes, std::size_t size) {
  key.append(reinterpret_cast<const char*>(&size), sizeof(size));
  key.append(static_cast<const char*>(bytes), size);
}

}  // namespace

const std::vector<std::unique_ptr<check>>& all_checks() {
  return registered();
}

bool& judge_times() {
  static bool they_do = false;
  return they_do;
}

const check& add_check(std::string name, const points& worth, const needs& needed) {
  registered().push_back(std::make_unique<check>(check{std::move(name), worth.value, needed.names}));
  return *registered().back();
}

const check& add_check(std::string name, const points& worth) {
  return add_check(std::move(name), worth, needs());
}

void run_check(const check& which, void (*body)()) {
  current_session().run(which, body);
}

session& current_session() {
  if (now_in_progress == nullptr) throw std::logic_error("no grading is in progress");
  return *now_in_progress;
}

void set_current_session(session* now) {
  now_in_progress = now;
}

// Equal exactly for equal requests; numbers by their bits.
std::string session::cache_key(const run_request& wanted) {
  std::string key;
  append(key, wanted.scenario.data(), wanted.scenario.size());
  append(key, wanted.schedule.data(), wanted.schedule.size());
  for (const input& each : wanted.inputs) {
    append(key, each.name.data(), each.name.size());
    key += static_cast<char>('0' + each.content.index());
    if (const auto* number = std::get_if<double>(&each.content)) append(key, number, sizeof(*number));
    if (const auto* integer = std::get_if<std::int64_t>(&each.content))
      append(key, integer, sizeof(*integer));
    if (const auto* text = std::get_if<std::string>(&each.content)) append(key, text->data(), text->size());
    if (const auto* array = std::get_if<typed_bytes>(&each.content)) {
      key += static_cast<char>(array->type);
      append(key, array->bytes.data(), array->bytes.size());
    }
  }
  return key;
}

std::shared_ptr<const observation> session::observe(const run_request& wanted, int repetition) {
  const bool shows_order = wanted.schedule.rfind(analysis::submission_order, 0) == 0;
  const bool on_gpu = is_on_gpu() && (wanted.schedule.empty() || shows_order);
  if (!shows_order) last_.reset();  // what such an order shows is of another run
  const auto seen = observe_on(on_gpu, wanted, repetition);
  if (!shows_order) is_about(*seen);
  if (on_gpu && !shows_order && compares_devices_) compare(*seen, *observe_on(false, wanted, 0));
  return seen;
}

std::shared_ptr<const observation> session::observe_on(bool on_gpu, const run_request& wanted,
                                                       int repetition) {
  auto& found = observed_[{on_gpu, repetition, cache_key(wanted)}];
  if (!found) {
    const bool natural = wanted.schedule.empty();
    if (natural && endless_runs_ >= most_endless_runs) {
      end_check(outcome::error,
                "not run: earlier runs of your code did not come to an end, one after the other", "");
    }
    observation seen = on_gpu ? run_on_gpu(wanted) : run_exercise(program_, wanted, limits_);
    seen.on_gpu = on_gpu;
    found = std::make_shared<const observation>(std::move(seen));
    report_.observed(*found);
    const auto& findings = found->trace.run().findings;
    const bool over_budget = !findings.empty() && findings.back().kind == trace::finding_kind::budget;
    if (natural && (found->how == ending::timed_out || over_budget)) ++endless_runs_;
  }
  return found;
}

void session::compare(const observation& real, const observation& emulated) {
  if (real.how != ending::returned || emulated.how != ending::returned) return;
  const std::string difference = analysis::disagreement(emulated.trace, real.trace);
  if (difference.empty()) return;
  end_check(outcome::error,
            "the two devices did not do the same in \"" + real.asked.scenario + "\": " + difference, "");
}

observation session::run_on_gpu(const run_request& wanted) {
  if (!gpu_) {
    gpu_.emplace(
        [this](const std::string& holder) { report_.waiting("another grading uses the GPU" + holder); });
    staying_ = std::make_unique<staying_exercise>(gpu_program_, gpu_->environment());
  }
  std::unique_lock alone(*gpu_, std::defer_lock);
  if (!wanted.schedule.empty()) {
    alone.lock();
    return run_exercise(gpu_program_, wanted, limits_, gpu_->environment());
  }
  if (afresh_) staying_->renew();
  staying_->prepare(limits_);
  alone.lock();
  return staying_->run(wanted.scenario, wanted.inputs, limits_, [&] { alone.unlock(); });
}

void session::select(const std::vector<const check*>& these) {
  selected_ = these;
}

void session::run(const check& which, void (*body)()) {
  if (!selected_.empty() && std::find(selected_.begin(), selected_.end(), &which) == selected_.end()) return;
  if (current_ == nullptr) {
    current_ = &which;
    started_ = std::chrono::steady_clock::now();
    verdict_ = blocked_by_needs(which);
  }
  if (verdict_.outcome != outcome::pass || interrupted_) return;
  const bool on_emulator = gpu_program_.empty() || !judge_times();
  if (on_emulator) judge(body);
  if (gpu_program_.empty() || verdict_.outcome != outcome::pass || interrupted_) return;
  judge_on_gpu(body);
  if (verdict_.outcome == outcome::fail) verdict_.because += where_it_is_so(on_emulator);
}

// A machine does other things besides, which seldom disturb the same run twice: what fails is looked at
// again, in a process that has done nothing else.
void session::judge_on_gpu(void (*body)()) {
  const flag_while now_on_gpu(on_gpu_);
  judge(body);
  const auto failed_there = [&] {
    return verdict_.outcome == outcome::fail && !last_was_emulated() && !interrupted_;
  };
  if (failed_there()) {
    if (last_) observed_.erase({true, 0, cache_key(last_->asked)});
    verdict_ = {};
    const flag_while now_afresh(afresh_);
    judge(body);
  }
  if (!failed_there() || !gpu_) return;
  const std::lock_guard alone(*gpu_);
  if (const std::string others = gpu_->used_by_others(); !others.empty()) {
    verdict_ = {outcome::not_run,
                "the GPU is shared: " + others,
                "Judge again when it is free, or on the emulated GPU: LAB_DEVICE=emulator ./lab check",
                {},
                {}};
  }
}

std::string session::where_it_is_so(bool passes_on_emulator) const {
  const std::string space = verdict_.because.empty() ? "" : " ";
  if (last_was_emulated()) return space + "That is so on the emulated GPU, where work may take seconds.";
  if (!passes_on_emulator) return "";
  if (std::getenv("LAB_EMULATED_LOAD") != nullptr)
    return space + "That is so where the machine is busy; else this check passes.";
  return space + "That is so on the real GPU; on the emulated one this check passes.";
}

void session::judge(void (*body)()) {
  last_.reset();
  try {
    const flag_while now_in_body(in_body_);
    body();
  } catch (const check_ended& early) {
    end_with(early.verdict);
  } catch (const interrupted&) {
    interrupted_ = true;
  } catch (const analysis::not_found& missing) {
    end_with({outcome::fail, missing.what(), "", {}, {}});
  } catch (const no_such_value& missing) {
    end_with({outcome::error,
              std::string("the check and the driver of this lab do not fit: ") + missing.what(),
              "",
              {},
              {}});
  } catch (const std::exception& problem) {
    judging_failed(problem.what());
  }
}

void session::judging_failed(const std::string& message) {
  if (in_body_) return;
  end_with({outcome::error, "the grader could not judge this: " + message, "", {}, {}});
}

void session::assertion_failed(const std::string& message) {
  end_with({outcome::fail, message, "", {}, {}});
}

void session::end_with(const verdict& came_to) {
  if (verdict_.outcome != outcome::pass) return;
  verdict_ = came_to;
  const bool shows = last_ && came_to.outcome != outcome::not_run;
  if (shows && secrets_.count(cache_key(last_->asked)) == 0) verdict_.run = last_;
}

void session::finish_check() {
  if (current_ == nullptr) return;
  const check& which = *std::exchange(current_, nullptr);
  if (interrupted_) return;
  outcomes_[which.name] = verdict_.outcome;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - started_;
  report_.finished(which, verdict_, took.count());
}

verdict session::blocked_by_needs(const check& which) const {
  for (const std::string& name : which.needed) {
    const auto found = outcomes_.find(name);
    if (found != outcomes_.end() && found->second == outcome::pass) continue;
    return {outcome::not_run, "this check needs another one to pass first", name, {}, {}};
  }
  return {};
}

}  // namespace lab::checks
