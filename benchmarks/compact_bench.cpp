// Compaction and partition: one half of the elements is chosen, at random, by a comparison, by the caller's
// own predicate, or by flags.
#include "peers/compaction.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/partition.hpp"

using namespace bench;

namespace {

template <class T>
void measure(session& current, team& threads, executors& upsweeps, std::size_t n) {
    const T bound = std::is_floating_point_v<T> ? static_cast<T>(0.5) : T{50};
    const std::size_t bytes = n * sizeof(T);
    const auto describe = [&](const char* work, std::size_t moved) {
        return cell{work, type_name<T>(), n, moved};
    };
    const cell compacted = describe("compact", bytes + bytes / 2);
    const cell by_predicate = describe("compact, own predicate", bytes + bytes / 2);
    const cell by_flags = describe("compact by flags", bytes + bytes / 2 + n);
    const cell partitioned = describe("partition", 2 * bytes);
    const cell all[] = {compacted, by_predicate, by_flags, partitioned};
    if (!current.fits(4 * bytes + n) ||
        std::none_of(all, all + 4, [&](const cell& one) { return current.wants(one); }))
        return;

    const buffer from(2 * bytes, 0, threads);
    const buffer to(2 * bytes, 1, threads);
    const T* in = from.as<const T>();
    T* out = to.as<T>();
    fill(from.as<T>(), 2 * n);
    std::vector<std::uint8_t> flags(n);
    for (std::size_t i = 0; i < n; ++i) flags[i] = in[i] < bound ? 1 : 0;
    std::vector<T> expected;
    std::copy_if(in, in + n, std::back_inserter(expected), [=](T x) { return x < bound; });
    const std::size_t kept = expected.size();

    std::size_t found = 0;  // what the latest call returned
    const auto run = [&](const cell& which, std::size_t written, auto scan, auto... peers) {
        if (!current.wants(which)) return;
        std::vector<contender> list;
        add_copies(list, threads, from, to, which.bytes / 2);
        add_counting(list, threads.size(), upsweeps, found, {peers...}, scan);
        for (contender& one : list)
            if (one.kind != role::copy)
                one.correct = [&, written, repeat = one.repeat] {
                    std::memset(out, 0x5a, bytes);
                    repeat(1);
                    return found == kept && std::memcmp(out, expected.data(), written * sizeof(T)) == 0;
                };
        current.measure(which, std::move(list));
    };
    const std::span<const T> source(in, n);
    const std::span<T> target(out, n);
    const counting_peer loop{"plain loop", false, [=] { return compact_loop(in, out, n, bound); }};
    const counting_peer standard{"std", false, [=] { return compact_standard(in, out, n, bound); }};
    const counting_peer parallel{"std par_unseq", true,
                                 [=] { return compact_standard_parallel(in, out, n, bound); }};
    run(
        compacted, kept,
        [=](auto& executor) {
            return upsweep::compact_if(executor, source, target, upsweep::less_than(bound));
        },
        loop, standard, parallel);
    run(
        by_predicate, kept,
        [=](auto& executor) {
            return upsweep::compact_if(executor, source, target, [=](T x) { return x < bound; });
        },
        loop, standard, parallel);
    run(
        by_flags, kept,
        [&, source, target](auto& executor) { return upsweep::compact(executor, flags, source, target); },
        counting_peer{"plain loop", false, [&] { return compact_flags_loop(in, out, flags.data(), n); }});
    std::copy_if(in, in + n, std::back_inserter(expected), [=](T x) { return !(x < bound); });
    run(
        partitioned, n,
        [=](auto& executor) {
            return upsweep::partition_if(executor, source, target, upsweep::less_than(bound));
        },
        counting_peer{"plain loop", false, [=] { return partition_loop(in, out, n, bound); }},
        counting_peer{"std", false, [=] { return partition_standard(in, out, n, bound); }},
        counting_peer{"std par_unseq", true, [=] { return partition_standard_parallel(in, out, n, bound); }});
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{1000}, std::size_t{100'000}, std::size_t{1'000'000},
                                    std::size_t{10'000'000}, std::size_t{100'000'000}}) {
            if (current.quick() && n != 1'000'000) continue;
            measure<std::int8_t>(current, threads, upsweeps, n);
            measure<std::int32_t>(current, threads, upsweeps, n);
            measure<float>(current, threads, upsweeps, n);
            measure<double>(current, threads, upsweeps, n);
        }
    });
}
