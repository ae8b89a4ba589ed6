// Tasks that do not depend on each other, on several threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <exception>

#include "upsweep/cpu/executor.hpp"
#include "upsweep/cpu/first_failure.hpp"
#include "upsweep/cpu/inline_array.hpp"
#include "upsweep/cpu/shared_span.hpp"

namespace upsweep::cpu {

// Runs task(i) for every i below count. Each thread has a share of its own, the same in every call, so that
// it finds in its caches what it left there, and then takes from the ends of the others' shares.
template <class Task>
void for_each_task(executor& ex, std::size_t helpers, std::size_t count, const Task& task) {
    struct alignas(64) share {
        shared_span left;
    };
    constexpr std::size_t most_shares = 64;
    // A span counts to 2^32, so tasks are grouped where there are many.
    constexpr std::size_t most_groups = std::size_t{1} << 20;
    const std::size_t together = count / most_groups + 1;
    const std::size_t groups = (count + together - 1) / together;
    const std::size_t shares = std::min(helpers + 1, most_shares);
    inline_array<share, most_shares> all(shares);
    for (std::size_t k = 0; k < shares; ++k)
        all[k].left.reset({k * groups / shares, (k + 1) * groups / shares});

    first_failure failure;
    auto work = [&](std::size_t worker) noexcept {
        const std::size_t own = worker % shares;
        try {
            for (std::size_t k = 0; k < shares; ++k) {
                shared_span& left = all[(own + k) % shares].left;
                const auto take = [&] { return k == 0 ? left.take_first() : left.take_last(); };
                for (std::size_t group; !failure.failed() && (group = take()) != shared_span::none;) {
                    const std::size_t end = std::min(count, (group + 1) * together);
                    for (std::size_t i = group * together; i < end; ++i) task(i);
                }
            }
        } catch (...) {
            failure.fail(std::current_exception());
        }
    };
    ex.run(helpers, work);
    failure.rethrow_failure();
}

}  // namespace upsweep::cpu
