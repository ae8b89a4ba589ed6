// Totals of segments, by keys and by offsets, maxima, and runs of equal keys: their first elements and their
// lengths. Runs have random lengths, 2 and 100 on average.
#include "peers/runs.hpp"
#include "support/contenders.hpp"
#include "support/session.hpp"
#include "upsweep/segmented_reduce.hpp"
#include "upsweep/unique.hpp"

using namespace bench;

namespace {

struct runs {
    std::vector<std::int32_t> keys;     // n
    std::vector<std::int64_t> offsets;  // one more than runs

    runs(std::size_t n, std::uint32_t mean_length) : keys(n) {
        std::minstd_rand random(7);
        for (std::size_t i = 0; i < n; ++i) {
            const bool begins = i == 0 || random() % mean_length == 0;
            if (begins) offsets.push_back(static_cast<std::int64_t>(i));
            keys[i] = static_cast<std::int32_t>(offsets.size());
        }
        offsets.push_back(static_cast<std::int64_t>(n));
    }
    [[nodiscard]] std::size_t count() const { return offsets.size() - 1; }
};

// Keys are written to the first half of `to`, totals or lengths to the second.
template <class T>
void measure(session& current, team& threads, executors& upsweeps, std::size_t n, std::uint32_t mean_length) {
    const std::size_t half = (n * 4 + 63) / 64 * 64;
    const auto describe = [&](const std::string& work, const char* type, std::size_t read,
                              std::size_t written) {
        return cell{work + ", " + std::to_string(mean_length), type, n, n * read + n / mean_length * written};
    };
    const cell by_key = describe("reduce_by_key", type_name<T>(), 8, 8);
    const cell by_offsets = describe("segmented_reduce by offsets", type_name<T>(), 4, 12);
    const cell maxima = describe("maxima by offsets", type_name<T>(), 4, 12);
    const cell first = describe("unique", "int32", 4, 4);
    const cell lengths = describe("run_length_encode", "int32", 4, 8);
    const cell all[] = {by_key, by_offsets, maxima, first, lengths};
    if (!current.fits(6 * half) ||
        std::none_of(std::begin(all), std::end(all), [&](const cell& one) { return current.wants(one); }))
        return;

    const buffer from(2 * half, 0, threads), to(2 * half, 1, threads);
    const runs given(n, mean_length);
    const std::int32_t* keys = given.keys.data();
    const T* in = from.as<const T>();
    fill(from.as<T>(), n);
    auto* const out_keys = to.as<std::int32_t>();
    auto* const out = reinterpret_cast<T*>(to.as<std::byte>() + half);
    auto* const out_lengths = reinterpret_cast<std::int32_t*>(out);
    std::vector<std::int32_t> wanted_keys(n), wanted_lengths(n);
    std::vector<T> wanted(n);
    reduce_by_key_loop(keys, in, wanted_keys.data(), wanted.data(), n);
    run_lengths_loop(keys, wanted_keys.data(), wanted_lengths.data(), n);

    const auto near =
        [&](const T* results) {  // sums of some hundred elements: grouping moves a float by less
            for (std::size_t k = 0; k < given.count(); ++k)
                if (!(std::abs(static_cast<double>(results[k]) - static_cast<double>(wanted[k])) <=
                      1e-4 * (1 + std::abs(static_cast<double>(wanted[k])))))
                    return false;
            return true;
        };
    const auto same = [&](const std::int32_t* results, const std::vector<std::int32_t>& expected) {
        return std::memcmp(results, expected.data(), given.count() * sizeof *results) == 0;
    };
    std::size_t found = 0;  // what the latest call returned
    const auto run = [&](const cell& which, const auto& call, const auto& correct,
                         const std::vector<counting_peer>& peers) {
        if (!current.wants(which)) return;
        std::vector<contender> list;
        add_copies(list, threads, from, to, which.bytes / 2);
        add_counting(list, threads.size(), upsweeps, found, peers, call);
        for (contender& one : list)
            if (one.kind != role::copy)
                one.correct = [&, repeat = one.repeat] {
                    std::memset(to.as<std::byte>(), 0x5a, 2 * half);
                    repeat(1);
                    return found == given.count() && correct();
                };
        current.measure(which, std::move(list));
    };
    const std::span<const T> elements(in, n);
    const std::span<const std::int32_t> all_keys(keys, n);
    const std::span<std::int32_t> to_keys(out_keys, n), to_lengths(out_lengths, n);
    const std::span<T> totals(out, n);
    run(
        by_key, [=](auto& ex) { return upsweep::reduce_by_key(ex, all_keys, elements, to_keys, totals); },
        [&] { return same(out_keys, wanted_keys) && near(out); },
        {{"plain loop", false, [=] { return reduce_by_key_loop(keys, in, out_keys, out, n); }}});
    run(
        by_offsets,
        [&, elements, totals](auto& ex) {
            return upsweep::segmented_reduce(ex, upsweep::by_offsets(given.offsets), elements,
                                             totals.first(given.count()));
        },
        [&] { return near(out); }, {{"plain loop", false, [&, in, out] {
                                         reduce_offsets_loop(in, out, given.offsets.data(), given.count());
                                         return given.count();
                                     }}});
    std::vector<T> largest(given.count());
    maxima_offsets_loop(in, largest.data(), given.offsets.data(), given.count());
    run(
        maxima,
        [&, elements, totals](auto& ex) {
            return upsweep::segmented_reduce(ex, upsweep::by_offsets(given.offsets), elements,
                                             totals.first(given.count()), upsweep::maximum{});
        },
        [&] { return std::equal(largest.begin(), largest.end(), out); },
        {{"plain loop", false, [&, in, out] {
              maxima_offsets_loop(in, out, given.offsets.data(), given.count());
              return given.count();
          }}});
    if constexpr (std::is_same_v<T, float>) {  // which has nothing to do with keys
        run(
            first, [=](auto& ex) { return upsweep::unique(ex, all_keys, to_keys); },
            [&] { return same(out_keys, wanted_keys); },
            {{"plain loop", false, [=] { return unique_loop(keys, out_keys, n); }},
             {"std", false, [=] { return unique_standard(keys, out_keys, n); }},
             {"std par_unseq", true, [=] { return unique_standard_parallel(keys, out_keys, n); }}});
        run(
            lengths, [=](auto& ex) { return upsweep::run_length_encode(ex, all_keys, to_keys, to_lengths); },
            [&] { return same(out_keys, wanted_keys) && same(out_lengths, wanted_lengths); },
            {{"plain loop", false, [=] { return run_lengths_loop(keys, out_keys, out_lengths, n); }}});
    }
}

}  // namespace

int main(int argc, char** argv) {
    return run_session(argc, argv, [](session& current) {
        team threads(current.threads());
        executors upsweeps(current.threads());
        for (const std::size_t n : {std::size_t{10'000}, std::size_t{1'000'000}, std::size_t{10'000'000}}) {
            if (current.quick() && n != 1'000'000) continue;
            for (const std::uint32_t mean_length : {2u, 100u}) {
                measure<float>(current, threads, upsweeps, n, mean_length);
                measure<std::int32_t>(current, threads, upsweeps, n, mean_length);
            }
        }
    });
}
