// The scheduler of a block: rounds over its threads, each running until it waits or returns.
#include "emulator/block_run.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace upsweep::emulator {
namespace {

// Unwinds a thread of a block that cannot go on.
struct abandoned {};

}  // namespace

block_run::block_run(const launch_config& config, unsigned block, fiber_pool& fibers, shared_memory& memory,
                     report& result)
    : config_(config),
      block_(block),
      fibers_(fibers),
      memory_(memory),
      report_(result),
      threads_(config.threads),
      warps_((config.threads + config.warp_width - 1) / config.warp_width),
      order_(config.threads),
      random_(config.seed),
      unfinished_(config.threads) {
    block_meeting_.expected = config.threads;
    for (std::size_t w = 0; w < warps_.size(); ++w) {
        const auto first = static_cast<unsigned>(w) * config.warp_width;
        warps_[w].lanes.expected = std::min(config.warp_width, config.threads - first);
    }
    std::iota(order_.begin(), order_.end(), 0u);
    if (config.order == schedule::descending) std::reverse(order_.begin(), order_.end());
}

bool block_run::run(const void* kernel, entry call) {
    start_threads(kernel, call);
    while (unfinished_ > 0) {
        progress_ = false;
        if (!run_round()) {
            explain_deadlock();
            abandoned_ = true;
        } else if (progress_) {
            idle_rounds_ = 0;
        } else if (!abandoned_ && ++idle_rounds_ > config_.patience) {
            explain_standstill();
            abandoned_ = true;
        }
    }
    if (error_) std::rethrow_exception(error_);
    return !abandoned_;
}

void block_run::start_threads(const void* kernel, entry call) {
    fibers_.reserve(config_.threads);
    for (unsigned t = 0; t < config_.threads; ++t) {
        threads_[t].at.thread = t;
        threads_[t].body = &fibers_.at(t);
        threads_[t].body->start([this, t, kernel, call] {
            if (abandoned_) return;
            try {
                thread_context context(*this, t);
                call(kernel, context);
            } catch (const abandoned&) {
                return;
            } catch (...) {
                if (!error_) error_ = std::current_exception();
                abandoned_ = true;
            }
            threads_[t].at = {t, operation::finish, {}};
        });
    }
}

// Whether any thread could run.
bool block_run::run_round() {
    if (config_.order == schedule::shuffled) {
        for (std::size_t i = order_.size(); i > 1; --i) {
            // Knuth's 64-bit linear congruential generator; its high bits are good enough to mix an order.
            random_ = random_ * 6364136223846793005u + 1442695040888963407u;
            std::swap(order_[i - 1], order_[(random_ >> 33) % i]);
        }
    }
    bool any = false;
    for (const unsigned t : order_) {
        thread_state& thread = threads_[t];
        if (thread.body == nullptr || !(abandoned_ || can_run(thread))) continue;
        any = true;
        thread.body->resume();
        if (thread.body->idle()) {
            thread.body = nullptr;
            --unfinished_;
            progress_ = true;
        }
    }
    return any;
}

void block_run::suspend(unsigned thread) {
    if (!abandoned_) threads_[thread].body->suspend();
    if (abandoned_) throw abandoned{};
}

void block_run::arrive(meeting& all, unsigned thread, operation what, source_line where) {
    thread_state& own = threads_[thread];
    own.at = {thread, what, where};
    if (all.arrived == 0) {
        all.first = own.at;
    } else if (all.first.what != what || !(all.first.where == where)) {
        give_up(finding_kind::divergent_barrier, all.first, own.at);
    }
    if (++all.arrived == all.expected) {
        all.arrived = 0;
        ++all.generation;
        // Threads that meet in order to look at the same memory again and again do not advance by it.
        progress_ = progress_ || !all.loaded_since;
        all.loaded_since = false;
        if (&all == &block_meeting_) {
            ++phase_;
            memory_.pass_barrier();
        } else if (what == operation::warp_sync) {
            ++warp_of(thread).phase;
        }
        return;
    }
    own.waits_for = &all;
    own.generation = all.generation;
    suspend(thread);
    own.waits_for = nullptr;
}

void block_run::sync_block(unsigned thread, source_line where) {
    record(thread, operation::block_sync, where);
    arrive(block_meeting_, thread, operation::block_sync, where);
}

void block_run::sync_warp(unsigned thread, source_line where) {
    record(thread, operation::warp_sync, where);
    arrive(warp_of(thread).lanes, thread, operation::warp_sync, where);
}

void block_run::shuffle(unsigned thread, const void* sent, void* received, std::size_t bytes, value_type type,
                        unsigned source, source_line where) {
    warp_state& warp = warp_of(thread);
    if (source >= warp.lanes.expected) out_of_bounds(thread, operation::shuffle, source, bytes, where);
    if (warp.lanes.arrived == 0) {
        warp.bytes = bytes;
    } else if (warp.bytes != bytes) {
        give_up(finding_kind::divergent_barrier, warp.lanes.first, {thread, operation::shuffle, where});
    }
    std::vector<std::byte>& exchanged = warp.sent[warp.lanes.generation % 2];
    exchanged.resize(std::max(exchanged.size(), bytes * warp.lanes.expected));
    std::memcpy(exchanged.data() + lane_of(thread) * bytes, sent, bytes);
    arrive(warp.lanes, thread, operation::shuffle, where);
    std::memcpy(received, exchanged.data() + source * bytes, bytes);
    record(thread, operation::shuffle, where, source, received, bytes, type, sent);
}

std::uint64_t block_run::ballot(unsigned thread, bool predicate, source_line where) {
    warp_state& warp = warp_of(thread);
    std::uint64_t& votes = warp.ballots[warp.lanes.generation % 2];
    if (warp.lanes.arrived == 0) votes = 0;
    votes |= static_cast<std::uint64_t>(predicate) << lane_of(thread);
    arrive(warp.lanes, thread, operation::ballot, where);
    record(thread, operation::ballot, where, 0, &votes, sizeof(votes), value_type::unsigned_integer);
    return votes;
}

void block_run::access(unsigned thread, operation what, const shared_cell& cell, const void* value,
                       source_line where) {
    const actor who{thread, what, where};
    if (what != operation::write && memory_.unwritten(cell)) {
        add(finding_kind::uninitialized_read, who, {}, cell.offset, cell.bytes);
    }
    const unsigned warp = thread / config_.warp_width;
    if (const auto earlier = memory_.note(cell, {who, warp, warps_[warp].phase})) {
        add(finding_kind::race, *earlier, who, cell.offset, cell.bytes);
    }
    record(thread, what, where, cell.offset, value, cell.bytes, cell.type);
}

void block_run::meet_global(unsigned thread, bool loads, source_line where) {
    threads_[thread].at = {thread, operation::atomic, where};
    if (loads) {
        block_meeting_.loaded_since = true;
        warp_of(thread).lanes.loaded_since = true;
    } else {
        progress_ = true;
    }
    suspend(thread);
}

void block_run::out_of_bounds(unsigned thread, operation what, std::size_t offset, std::size_t bytes,
                              source_line where) {
    give_up(finding_kind::out_of_bounds, {thread, what, where}, {}, offset, bytes);
}

// No thread can run: some wait for others that have finished or wait elsewhere.
void block_run::explain_deadlock() {
    const auto waits_at = [](const meeting* all) {
        return [all](const thread_state& thread) {
            return thread.waits_for != nullptr && (all == nullptr || thread.waits_for == all);
        };
    };
    auto first = std::find_if(threads_.begin(), threads_.end(), waits_at(&block_meeting_));
    if (first == threads_.end()) first = std::find_if(threads_.begin(), threads_.end(), waits_at(nullptr));

    // Its companions: the block, or the lanes of its warp.
    auto begin = threads_.begin(), end = threads_.end();
    if (first->waits_for != &block_meeting_) {
        begin += static_cast<std::ptrdiff_t>(first->at.thread - lane_of(first->at.thread));
        end = begin + first->waits_for->expected;
    }
    const auto second = std::find_if_not(begin, end, waits_at(first->waits_for));
    add(finding_kind::divergent_barrier, first->at, second->at);
}

void block_run::explain_standstill() {
    const auto waiting = std::find_if(threads_.begin(), threads_.end(), [](const thread_state& thread) {
        return thread.body != nullptr && thread.at.what == operation::atomic;
    });
    // If none is at its load just now, the first thread that has not returned.
    const auto unfinished = std::find_if(threads_.begin(), threads_.end(),
                                         [](const thread_state& thread) { return thread.body != nullptr; });
    add(finding_kind::no_progress, (waiting != threads_.end() ? waiting : unfinished)->at, {});
}

void block_run::add(finding_kind kind, const actor& first, const actor& second, std::size_t offset,
                    std::size_t bytes) {
    const auto alike = [](const actor& a, const actor& b) { return a.what == b.what && a.where == b.where; };
    const auto known = std::find_if(report_.findings.begin(), report_.findings.end(), [&](const finding& f) {
        // Which of two racing accesses comes first is chance.
        return f.kind == kind && ((alike(f.first, first) && alike(f.second, second)) ||
                                  (alike(f.first, second) && alike(f.second, first)));
    });
    if (known != report_.findings.end())
        ++known->count;
    else
        report_.findings.push_back({kind, block_, phase_, first, second, offset, bytes, 1});
}

void block_run::give_up(finding_kind kind, const actor& first, const actor& second, std::size_t offset,
                        std::size_t bytes) {
    add(kind, first, second, offset, bytes);
    abandoned_ = true;
    throw abandoned{};
}

void block_run::record(unsigned thread, operation what, source_line where, std::size_t offset,
                       const void* value, std::size_t bytes, value_type type, const void* sent) {
    const unsigned step = threads_[thread].step++;
    if (!config_.record) return;
    std::vector<std::byte>& values = report_.events.values;
    const std::size_t begin = values.size();
    const auto keep = [&](const void* from) {
        const auto* first = static_cast<const std::byte*>(from);
        if (from != nullptr) values.insert(values.end(), first, first + bytes);
    };
    keep(value);
    const std::size_t sent_begin = sent == nullptr ? 0 : values.size();
    keep(sent);
    report_.events.events.push_back({what, type, block_, thread, phase_, warp_of(thread).phase, step, offset,
                                     bytes, begin, sent_begin, where});
}

}  // namespace upsweep::emulator
