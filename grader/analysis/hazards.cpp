#include "hazards.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace lab::analysis {
namespace {

using step_kind = order::step_kind;

// Uses that race with a later write stay known, so that what comes later is compared with them too.
constexpr std::size_t most_writes_kept = 32;

/// One access of a step.
struct use {
  order::moment when;
  std::uint32_t step;
  bool write;
  bool atomic;
  bool assumed;
};

/// Bytes with one history: the last writes, and what has read since.
struct stretch {
  std::uint64_t end;
  std::vector<use> writes;  // one plain write; several where they race, or are atomic
  std::vector<use> reads;   // by chain, the last of each
};

bool conflict(const use& a, const use& b) {
  return a.step != b.step && (a.write || b.write) && !(a.atomic && b.atomic);
}

bool by_chain(const use& a, const use& b) {
  return std::tie(a.when.chain, a.atomic, a.assumed) < std::tie(b.when.chain, b.atomic, b.assumed);
}

// The steps come in the order of things; only a source read early, by the host, may stand too late.
bool ordered(const order& by, const use& a, const use& b) {
  return by.before(a.when, b.when) || by.before(b.when, a.when);
}

std::string name_of(const trace::operation& operation) {
  switch (operation.kind) {
    case trace::operation_kind::copy:
      if (operation.direction == trace::copy_direction::host_to_device) return "the upload";
      if (operation.direction == trace::copy_direction::device_to_host) return "the download";
      return "the copy";
    case trace::operation_kind::memset:
      return "the memset";
    case trace::operation_kind::host_function:
      return "the host function";
    case trace::operation_kind::graph:
      return "the graph";
    default:
      return operation.name;
  }
}

bool makes_or_frees(const trace::operation& operation) {
  return operation.kind == trace::operation_kind::allocate || operation.kind == trace::operation_kind::free;
}

class search {
 public:
  search(const recording& of, edges counted)
      : of_(of),
        run_(of.run()),
        answers_(counted == edges::unasked),
        promised_(run_, counted),
        memory_(run_.allocations.size()),
        place_of_step_(promised_.steps().size(), none) {}

  std::vector<hazard> hazards() {
    const auto& steps = promised_.steps();
    for (std::uint32_t i = 0; i < steps.size(); ++i) visit(i, steps[i]);
    for (hazard& each : found_) {
      each.edge = answers_ ? wrong_edge{edge_fault::answer_not_looked_at, answer_before(each), 0}
                           : nearest_wrong_edge(of_, promised_, each);
    }
    return std::move(found_);
  }

 private:
  void visit(std::uint32_t number, const order::step& step) {
    if (step.kind == step_kind::host_access) {
      if (knows_threads_) touch(number, step, run_.host_accesses[step.index].bytes);
    } else if (step.kind == step_kind::release) {
      const trace::allocation& freed = run_.allocations[step.index];
      touch(number, step, {freed.id, 0, freed.bytes, true, false, false});
    } else {
      for (const auto& range : run_.operations[step.index].accesses) touch(number, step, range);
    }
  }

  void touch(std::uint32_t number, const order::step& step, const trace::access_range& range) {
    if (range.allocation == 0 || range.allocation > memory_.size() || range.begin >= range.end) return;
    const use fresh{promised_.when(step, range.write), number, range.write, range.atomic, range.assumed};
    auto& stretches = memory_[range.allocation - 1];
    split(stretches, range.begin);
    split(stretches, range.end);
    auto at = stretches.lower_bound(range.begin);
    auto overwritten = stretches.end();  // the stretch before, if this use is all that is known of it
    for (std::uint64_t begin = range.begin; begin < range.end;) {
      if (at == stretches.end() || at->first > begin) {
        const std::uint64_t end = at == stretches.end() ? range.end : std::min(range.end, at->first);
        at = stretches.emplace_hint(at, begin, stretch{end, {}, {}});
      }
      stretch& known = at->second;
      compare(known, fresh, range.allocation, begin);
      add(known, fresh);
      begin = known.end;
      const bool alone = known.reads.empty() && known.writes.size() == 1;
      if (alone && fresh.write && overwritten != stretches.end()) {
        overwritten->second.end = known.end;
        at = stretches.erase(at);
      } else {
        overwritten = alone && fresh.write ? at : stretches.end();
        ++at;
      }
    }
  }

  /// In order, and wrong all the same.
  bool comes_after_free(const use& earlier, const use& fresh) const {
    const order::step& step = promised_.steps()[earlier.step];
    return step.kind == step_kind::work && run_.operations[step.index].kind == trace::operation_kind::free &&
           promised_.before(earlier.when, fresh.when);
  }

  /// Whether the step frees memory when its thread knows already that the device has failed and does nothing
  /// any more.
  bool cleans_up(const order::step& step) const {
    if (step.kind != step_kind::release) return false;
    constexpr int least_fault = 700;  // cudaErrorIllegalAddress
    const trace::host_call& frees = of_.call_with_id(run_.allocations[step.index].freed_by).raw();
    return std::any_of(run_.calls.begin(), run_.calls.end(), [&](const trace::host_call& call) {
      return call.thread == frees.thread && call.begun < frees.begun && call.status >= least_fault &&
             is_wait(call);
    });
  }

  /// Whether the step frees memory, or is its allocation in a stream.
  bool bounds_a_life(const order::step& step) const {
    return step.kind == step_kind::release ||
           (step.kind == step_kind::work && makes_or_frees(run_.operations[step.index]));
  }

  static void split(std::map<std::uint64_t, stretch>& stretches, std::uint64_t where) {
    auto after = stretches.upper_bound(where);
    if (after == stretches.begin()) return;
    const auto around = std::prev(after);
    if (around->first == where || around->second.end <= where) return;
    stretches.emplace_hint(after, where, around->second);
    around->second.end = where;
  }

  void compare(const stretch& known, const use& fresh, trace::id allocation, std::uint64_t begin) {
    const auto compare_with = [&](const std::vector<use>& earlier) {
      for (const use& each : earlier) {
        if (!conflict(each, fresh)) continue;
        if (ordered(promised_, each, fresh) && !comes_after_free(each, fresh)) continue;
        add_hazard(each, fresh, allocation, begin, known.end);
      }
    };
    compare_with(known.writes);
    if (fresh.write) compare_with(known.reads);
  }

  void add(stretch& known, const use& fresh) {
    if (!fresh.write) {
      const auto place = std::lower_bound(known.reads.begin(), known.reads.end(), fresh, by_chain);
      if (place != known.reads.end() && !by_chain(fresh, *place)) {
        *place = fresh;
      } else {
        known.reads.insert(place, fresh);
      }
      return;
    }
    // Whatever comes after this write comes after what this write comes after. An assumed one says less of
    // it.
    const auto settled = [&](const use& each) {
      if (fresh.assumed && !each.assumed) return false;
      if (fresh.atomic) return each.atomic && each.when.chain == fresh.when.chain;
      return each.step == fresh.step || promised_.before(each.when, fresh.when);
    };
    const auto forget = [&](std::vector<use>& uses) {
      uses.erase(std::remove_if(uses.begin(), uses.end(), settled), uses.end());
    };
    forget(known.writes);
    if (!fresh.atomic) forget(known.reads);
    if (!fresh.atomic && known.writes.size() > most_writes_kept) known.writes.erase(known.writes.begin());
    known.writes.push_back(fresh);
  }

  void add_hazard(const use& first, const use& second, trace::id allocation, std::uint64_t begin,
                  std::uint64_t end) {
    const order::step &one = promised_.steps()[first.step], &other = promised_.steps()[second.step];
    const bool of_life = bounds_a_life(one) || bounds_a_life(other);
    const bool by_host = one.kind != step_kind::work && other.kind != step_kind::work;
    if (of_life && by_host && run_.allocations[allocation - 1].kind == trace::memory_kind::registered) return;
    const bool by_luck = lucky(first, second) && !comes_after_free(first, second);
    if (answers_ && !by_luck) return;  // nothing orders the two, which is told as such
    if (cleans_up(other)) return;
    const auto level = by_luck   ? hazard_level::relies_on_luck
                       : of_life ? hazard_level::lifetime
                                 : hazard_level::race;
    // Whoever calls cudaMemcpy may take it for done: what of its staged data is under way, the runtime waits
    // for.
    if (of_life && by_luck && staged_by_blocking_call(one)) return;
    const auto [entry, fresh] = by_places_.try_emplace({place_number(first.step), place_number(second.step)});
    pair_of_places& known = entry->second;
    if (fresh) {
      if (found_.size() == most_hazards) return;
      known = {found_.size(), first.step, second.step};
      found_.push_back(made(level, first, second, allocation, begin, end));
      return;
    }
    if (known.hazard == most_hazards) return;
    hazard& whole = found_[known.hazard];
    if (one_stretch(known.first, first.step) && one_stretch(known.second, second.step)) {
      if (whole.allocation == allocation) {
        whole.begin = std::min(whole.begin, begin);
        whole.end = std::max(whole.end, end);
      }
      return;
    }
    known.first = first.step;
    known.second = second.step;
    ++whole.count;
    const bool more_certain = first.assumed + second.assumed < whole.first.assumed + whole.second.assumed;
    if ((whole.level == hazard_level::relies_on_luck && level == hazard_level::race) || more_certain) {
      const std::size_t count = whole.count;
      whole = made(level, first, second, allocation, begin, end);
      whole.count = count;
    }
  }

  /// What a host function does, or a kernel that the host hears from, is seen when it does it, but was asked
  /// for before.
  hazard made(hazard_level level, const use& a, const use& b, trace::id allocation, std::uint64_t begin,
              std::uint64_t end) const {
    const auto& steps = promised_.steps();
    participant first = side(steps[a.step], a), second = side(steps[b.step], b);
    if (second.when < first.when) std::swap(first, second);
    return {level, std::move(first), std::move(second), allocation, begin, end, 1, {}};
  }

  /// Whether the two steps are one to the program: the accesses of a loop are several where the compiler has
  /// unrolled it.
  bool one_stretch(std::uint32_t a, std::uint32_t b) {
    const order::step &one = promised_.steps()[a], &other = promised_.steps()[b];
    if (a == b) return true;
    if (one.kind != step_kind::host_access || other.kind != step_kind::host_access) return false;
    const trace::host_access &first = run_.host_accesses[one.index],
                             &second = run_.host_accesses[other.index];
    return first.thread == second.thread && stretch_of(first.when) == stretch_of(second.when);
  }

  /// Stretches lie between what threads do that others may notice.
  std::size_t stretch_of(trace::sequence when) {
    if (ends_of_stretches_.empty()) {
      for (const auto& call : run_.calls) ends_of_stretches_.push_back(call.begun);
      for (const auto& sync : run_.host_syncs) ends_of_stretches_.push_back(sync.when);
      std::sort(ends_of_stretches_.begin(), ends_of_stretches_.end());
    }
    const auto next = std::upper_bound(ends_of_stretches_.begin(), ends_of_stretches_.end(), when);
    return static_cast<std::size_t>(next - ends_of_stretches_.begin());
  }

  bool lucky(const use& first, const use& second) {
    if (!otherwise_) otherwise_.emplace(run_, answers_ ? edges::promised : edges::with_luck);
    const auto then = [&](use each) {
      each.when = otherwise_->when(promised_.steps()[each.step], each.write);
      return each;
    };
    return ordered(*otherwise_, then(first), then(second));
  }

  bool staged_by_blocking_call(const order::step& step) const {
    if (step.kind != step_kind::work) return false;
    const trace::operation& work = run_.operations[step.index];
    return work.direction == trace::copy_direction::host_to_device &&
           of_.call_with_id(work.submitted_by).name().find("Async") == std::string::npos;
  }

  std::uint32_t place_number(std::uint32_t number) {
    std::uint32_t& known = place_of_step_[number];
    if (known == none) {
      const order::step& step = promised_.steps()[number];
      const trace::call_stack& stack = stack_of(step);
      std::string place = analysis::place(stack);
      if (place.empty() && !stack.empty()) place = stack[0].file + ":" + std::to_string(stack[0].line);
      if (step.kind == step_kind::work) place += " " + run_.operations[step.index].name;
      known = places_.try_emplace(place, static_cast<std::uint32_t>(places_.size())).first->second;
    }
    return known;
  }

  trace::id call_of(const order::step& step) const {
    if (step.kind == step_kind::work) return run_.operations[step.index].submitted_by;
    return step.kind == step_kind::release ? run_.allocations[step.index].freed_by : 0;
  }

  const trace::call_stack& stack_of(const order::step& step) const {
    if (step.kind == step_kind::host_access) return run_.host_accesses[step.index].stack;
    return of_.call_with_id(call_of(step)).raw().stack;
  }

  participant side(const order::step& step, const use& of) const {
    participant result;
    result.kind = step.kind;
    result.write = of.write;
    result.assumed = of.assumed;
    result.where = place(stack_of(step));
    if (step.kind == step_kind::host_access) {
      const trace::host_access& access = run_.host_accesses[step.index];
      result.thread = access.thread;
      result.when = access.when;
      result.name = "the host";
      for (const auto& each : run_.operations) {
        const bool ran_it = each.thread == access.thread && each.begun != 0 && each.begun < access.when &&
                            (each.returned == 0 || access.when < each.returned);
        if (ran_it) of_work(result, each);
      }
      return result;
    }
    const trace::host_call& call = of_.call_with_id(call_of(step)).raw();
    result.call = call.id;
    result.thread = call.thread;
    result.when = call.begun;
    result.name = call.name;
    if (step.kind == step_kind::work) of_work(result, run_.operations[step.index]);
    return result;
  }

  void of_work(participant& side, const trace::operation& work) const {
    side.operation = work.id;
    side.call = work.submitted_by;
    side.stream = work.stream;
    side.name = name_of(work);
    side.thread = of_.call_with_id(work.submitted_by).raw().thread;
    side.when = of_.call_with_id(work.submitted_by).raw().begun;
  }

  /// The last answer before the second.
  trace::id answer_before(const hazard& found) const {
    trace::id last = 0;
    for (const auto& call : run_.calls) {
      if (call.begun > found.first.when && call.begun < found.second.when && is_answer(call)) last = call.id;
    }
    return last;
  }

  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct pair_of_places {
    std::size_t hazard = most_hazards;    // in found_; most_hazards: there was no room for it
    std::uint32_t first = 0, second = 0;  // the last steps that met there
  };

  const recording& of_;
  const trace::run& run_;
  const bool knows_threads_ = knows_threads(run_);
  const bool answers_;  // whether it is what only answers order that is looked for
  order promised_;
  std::optional<order> otherwise_;                        // with the edges that do not count here
  std::vector<std::map<std::uint64_t, stretch>> memory_;  // by allocation
  std::vector<hazard> found_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, pair_of_places> by_places_;
  std::map<std::string, std::uint32_t> places_;
  std::vector<std::uint32_t> place_of_step_;
  std::vector<trace::sequence> ends_of_stretches_;
};

}  // namespace

std::vector<hazard> find_hazards(const recording& of) {
  return search(of, edges::promised).hazards();
}

std::vector<hazard> find_answered(const recording& of) {
  const auto& calls = of.run().calls;
  if (std::none_of(calls.begin(), calls.end(), is_answer)) return {};
  return search(of, edges::unasked).hazards();
}

}  // namespace lab::analysis
