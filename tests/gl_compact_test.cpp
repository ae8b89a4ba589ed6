// Compaction and partition in OpenGL: order, counts, indirect arguments, capacities, the user's own items.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "support/gl_context.hpp"
#include "support/gl_memory.hpp"
#include "support/random.hpp"
#include "upsweep/error.hpp"
#include "upsweep/gl/compact.hpp"

namespace upsweep::test {
namespace {

using words = std::vector<std::uint32_t>;
using gl::indirect_arguments;

template <std::size_t N>
struct record_of {
    std::array<std::uint32_t, N> word;
    friend bool operator==(const record_of&, const record_of&) = default;
};

class gl_compact : public gl_test {
  protected:
    // n flags, of which about a share of `keep` / 16 is set, to values other than 1 too.
    static words flags(std::size_t n, std::uint64_t keep, std::uint64_t seed) {
        random_bits random(seed);
        words made(n);
        for (std::uint32_t& each : made) each = random.below(16) < keep ? 1u << random.below(32) : 0;
        return made;
    }
    template <std::size_t N>
    static std::vector<record_of<N>> records(std::size_t n) {
        std::vector<record_of<N>> made(n);
        for (std::size_t i = 0; i < n; ++i) {
            for (std::size_t w = 0; w < N; ++w)
                made[i].word[w] = static_cast<std::uint32_t>(i * 2654435761u + w);
        }
        return made;
    }
    template <class T>
    static std::vector<T> chosen(const std::vector<T>& all, const words& flags, std::size_t n,
                                 bool wanted = true) {
        std::vector<T> made;
        for (std::size_t i = 0; i < n; ++i) {
            if ((flags[i] != 0) == wanted) made.push_back(all[i]);
        }
        return made;
    }
    static words words_of(const gl_memory<indirect_arguments>& memory) {
        const auto all = std::bit_cast<std::array<std::uint32_t, 12>>(memory.read()[0]);
        return {all.begin(), all.end()};
    }
    // What the twelve words must be.
    static words arguments(std::size_t kept, std::size_t found, std::size_t items,
                           const gl::compact_options& options = {}) {
        const auto k = static_cast<std::uint32_t>(kept);
        const std::uint32_t groups = (k + options.items_per_group - 1) / options.items_per_group;
        return {options.vertices_per_instance == 0 ? k : options.vertices_per_instance,
                options.vertices_per_instance == 0 ? 1 : k,
                0,
                0,
                groups,
                1,
                1,
                k,
                static_cast<std::uint32_t>(found),
                static_cast<std::uint32_t>(items - found),
                0,
                0};
    }
    template <class T>
    static void expect_front(const std::vector<T>& got, const std::vector<T>& wanted) {
        ASSERT_GE(got.size(), wanted.size());
        const auto at = std::mismatch(wanted.begin(), wanted.end(), got.begin()).first - wanted.begin();
        EXPECT_EQ(static_cast<std::size_t>(at), wanted.size()) << "the first wrong item";
    }
    template <class T>
    static void expect_poison(const std::vector<T>& got, std::size_t from) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(got.data());
        EXPECT_TRUE(std::all_of(bytes + from * sizeof(T), bytes + got.size() * sizeof(T),
                                [](unsigned char each) { return each == 0xa5; }))
            << "wrote behind the items kept";
    }

    template <std::size_t N>
    void check(std::size_t n, std::uint64_t keep, std::size_t offset) {
        SCOPED_TRACE("records of " + std::to_string(N) + " words, n = " + std::to_string(n) + ", " +
                     std::to_string(keep) + "/16 kept, offset " + std::to_string(offset));
        const words votes = flags(n, keep, n + keep);
        const auto given = records<N>(n);
        const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes), offset);
        const gl_memory<record_of<N>> in(gl(), std::span<const record_of<N>>(given), offset);
        const gl_memory<record_of<N>> packed(gl(), n, offset), parted(gl(), n, offset);
        const gl_memory<indirect_arguments> counts(gl(), 1);
        compact(executor(), flag_memory.span(), in.span(), packed.span(), counts.span());
        const auto kept = chosen(given, votes, n);
        const auto result = packed.read();
        expect_front(result, kept);
        expect_poison(result, kept.size());
        EXPECT_EQ(words_of(counts), arguments(kept.size(), kept.size(), n));

        partition(executor(), flag_memory.span(), in.span(), parted.span(), counts.span());
        auto both = kept;
        const auto others = chosen(given, votes, n, false);
        both.insert(both.end(), others.begin(), others.end());
        EXPECT_EQ(parted.read(), both);
        EXPECT_EQ(words_of(counts), arguments(kept.size(), kept.size(), n));
        EXPECT_EQ(in.read(), given);
    }
};
UPSWEEP_IN_BOTH_CONTEXTS(gl_compact);

TEST_P(gl_compact, records_of_any_size) {
    std::size_t turn = 0;
    for (const std::size_t n :
         {0u, 1u, 3u, 4u, 5u, 31u, 32u, 33u, 127u, 128u, 129u, 4095u, 4096u, 4097u, 50000u, 131073u}) {
        for (const std::uint64_t keep : {0u, 1u, 8u, 16u}) {
            check<1>(n, keep, turn++ % 4);
            if (n > 5000 && keep != 8) continue;
            check<3>(n, keep, turn % 5);
            check<4>(n, keep, turn % 2);
            check<8>(n, keep, 0);
        }
    }
}

TEST_P(gl_compact, a_million_and_three_indices) {
    constexpr std::size_t n = 1000003;
    const words votes = flags(n, 5, 1);
    words all(n);
    std::iota(all.begin(), all.end(), 0u);
    const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes));
    const gl_memory<std::uint32_t> out(gl(), n);
    const gl_memory<indirect_arguments> counts(gl(), 1);
    compact_indices(executor(), flag_memory.span(), out.span(), counts.span());
    const words kept = chosen(all, votes, n);
    expect_front(out.read(), kept);
    expect_poison(out.read(), kept.size());
    EXPECT_EQ(words_of(counts), arguments(kept.size(), kept.size(), n));

    partition_indices(executor(), flag_memory.span(), out.span(), counts.span());
    words both = kept;
    const words others = chosen(all, votes, n, false);
    both.insert(both.end(), others.begin(), others.end());
    EXPECT_EQ(out.read(), both);
}

// "with a maximum": no more are kept than the capacity or the output hold, and the arguments say so.
TEST_P(gl_compact, capacity) {
    constexpr std::size_t n = 20000;
    const words votes = flags(n, 8, 9);
    const auto given = records<1>(n);
    const auto all = chosen(given, votes, n);
    const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes));
    const gl_memory<record_of<1>> in(gl(), std::span<const record_of<1>>(given));
    for (const std::size_t most : {std::size_t{0}, std::size_t{1}, std::size_t{777}, std::size_t{5000},
                                   all.size() - 1, all.size(), all.size() + 1, n}) {
        SCOPED_TRACE(most);
        const std::size_t kept = std::min(most, all.size());
        const auto front =
            std::vector<record_of<1>>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept));
        const gl_memory<indirect_arguments> counts(gl(), 1);
        const gl_memory<record_of<1>> wide(gl(), n), narrow(gl(), most);
        const gl::compact_options options{.maximum = static_cast<std::uint32_t>(most)};
        compact(executor(), flag_memory.span(), in.span(), wide.span(), counts.span(), options);
        expect_front(wide.read(), front);
        expect_poison(wide.read(), kept);
        EXPECT_EQ(words_of(counts), arguments(kept, all.size(), n));
        compact(executor(), flag_memory.span(), in.span(), narrow.span(), counts.span());
        expect_front(narrow.read(), front);
        EXPECT_EQ(words_of(counts), arguments(kept, all.size(), n));
        partition(executor(), flag_memory.span(), in.span(), wide.span(), counts.span(), options);
        expect_front(wide.read(), all);
        EXPECT_EQ(words_of(counts), arguments(kept, all.size(), n));
    }
}

TEST_P(gl_compact, length_from_a_buffer) {
    constexpr std::size_t most = 9000;
    const words votes = flags(most, 8, 3);
    const auto given = records<3>(most);
    const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes));
    const gl_memory<record_of<3>> in(gl(), std::span<const record_of<3>>(given));
    for (const std::uint32_t n : {0u, 1u, 4096u, 5000u, 9000u, 10000u, 0xffffffffu}) {
        SCOPED_TRACE(n);
        const std::size_t used = std::min<std::size_t>(n, most);
        const gl_memory<std::uint32_t> length(gl(), std::span<const std::uint32_t>(&n, 1), 3);
        const gl_memory<record_of<3>> out(gl(), most);
        const gl_memory<indirect_arguments> counts(gl(), 1);
        const auto kept = chosen(given, votes, used);
        compact(executor(), flag_memory.span(), in.span(), out.span(), counts.span(),
                {.length = length.span()});
        expect_front(out.read(), kept);
        expect_poison(out.read(), kept.size());
        EXPECT_EQ(words_of(counts), arguments(kept.size(), kept.size(), used));
        partition(executor(), flag_memory.span(), in.span(), out.span(), counts.span(),
                  {.length = length.span()});
        auto both = kept;
        const auto others = chosen(given, votes, used, false);
        both.insert(both.end(), others.begin(), others.end());
        expect_front(out.read(), both);
        expect_poison(out.read(), used);
    }
}

// The count of one compaction is the length of the next, without a look at it.
TEST_P(gl_compact, one_after_the_other) {
    constexpr std::size_t n = 60000;
    words wanted(n);
    std::iota(wanted.begin(), wanted.end(), 1u);
    const gl_memory<std::uint32_t> first(gl(), std::span<const std::uint32_t>(wanted)), second(gl(), n);
    const gl_memory<indirect_arguments> counts(gl(), 1), more(gl(), 1);
    const std::uint32_t length = n;
    const gl_memory<std::uint32_t> start(gl(), std::span<const std::uint32_t>(&length, 1));
    const words votes = flags(n, 12, 4);
    const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes));
    gl::buffer_span<const std::uint32_t> so_many = start.span();
    for (int round = 0; round < 6; ++round) {
        const gl_memory<std::uint32_t>& from = round % 2 == 0 ? first : second;
        const gl_memory<std::uint32_t>& to = round % 2 == 0 ? second : first;
        const gl_memory<indirect_arguments>& count = round % 2 == 0 ? counts : more;
        compact(executor(), flag_memory.span(), from.span(), to.span(), count.span(), {.length = so_many});
        so_many = gl::count_at(count.span());
        wanted = chosen(wanted, votes, wanted.size());
    }
    expect_front(first.read(), wanted);
    EXPECT_EQ(more.read()[0].count, wanted.size());
}

TEST_P(gl_compact, arguments_of_instances_and_rows_of_groups) {
    constexpr std::size_t n = 5000;
    const words votes(n, 1);
    const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes)), out(gl(), n);
    const gl_memory<indirect_arguments> counts(gl(), 1);
    compact_indices(executor(), flag_memory.span(), out.span(), counts.span(),
                    {.vertices_per_instance = 6, .items_per_group = 100});
    EXPECT_EQ(words_of(counts), (words{6, 5000, 0, 0, 50, 1, 1, 5000, 5000, 0, 0, 0}));
    gl::executor narrow(at().loader(), {.max_groups_x = 7});
    compact_indices(narrow, flag_memory.span(), out.span(), counts.span(), {.items_per_group = 100});
    const indirect_arguments rows = counts.read()[0];
    EXPECT_EQ(rows.dispatch_x, 7u);
    EXPECT_EQ(rows.dispatch_y, 8u);
    EXPECT_EQ(rows.dispatch_z, 1u);
}

// An indirect dispatch runs as often as the arguments say.
TEST_P(gl_compact, an_indirect_dispatch) {
    PFNGLDISPATCHCOMPUTEINDIRECTPROC dispatch_indirect = nullptr;
    at().find("glDispatchComputeIndirect", dispatch_indirect);
    const std::string text =
        std::string(es() ? "#version 310 es\nprecision highp int;\n" : "#version 430 core\n") +
        "layout(local_size_x = 64) in;\n"
        "layout(std430, binding = 0) buffer b { uint groups; };\n"
        "void main() { if (gl_LocalInvocationIndex == 0u) atomicAdd(groups, 1u); }\n";
    const GLuint shader = gl().create_shader(GL_COMPUTE_SHADER), program = gl().create_program();
    const char* const start = text.c_str();
    gl().shader_source(shader, 1, &start, nullptr);
    gl().compile_shader(shader);
    gl().attach_shader(program, shader);
    gl().link_program(program);
    for (const std::size_t n : {0u, 1u, 64u, 6401u}) {
        const words votes = flags(n, 16, 1);
        const std::uint32_t zero = 0;
        const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes)), out(gl(), n);
        const gl_memory<indirect_arguments> counts(gl(), 1);
        const gl_memory<std::uint32_t> groups(gl(), std::span<const std::uint32_t>(&zero, 1));
        compact_indices(executor(), flag_memory.span(), out.span(), counts.span(), {.items_per_group = 64});
        const gl::buffer_region at_groups = groups.span().region();
        gl().bind_buffer_range(GL_SHADER_STORAGE_BUFFER, 0, groups.name(),
                               static_cast<GLintptr>(at_groups.offset), 4);
        gl().use_program(program);
        gl().bind_buffer(GL_DISPATCH_INDIRECT_BUFFER, counts.name());
        dispatch_indirect(static_cast<GLintptr>(counts.span().offset + gl::dispatch_offset));
        gl().memory_barrier(GL_ALL_BARRIER_BITS);
        EXPECT_EQ(groups.read()[0], (n + 63) / 64);
    }
    gl().bind_buffer(GL_DISPATCH_INDIRECT_BUFFER, 0);
    gl().bind_buffer_base(GL_SHADER_STORAGE_BUFFER, 0, 0);
    gl().use_program(0);
    gl().delete_shader(shader);
    gl().delete_program(program);
}

// The user's vote and the user's move, on buffers of the user's own.
TEST_P(gl_compact, items_of_the_users) {
    const gl::user_items odd_halves(executor(), R"(
layout(std430, binding = 5) readonly buffer value_block { uint values[]; };
layout(std430, binding = 6) writeonly buffer half_block { uint halves[]; };
bool keep(uint item) { return values[item] % parameters[UPSWEEP_P_USER] == 1u; }
void move(uint item, uint place) { halves[place] = values[item] / 2u; }
)");
    const std::size_t n = 10000;
    words values(n), kept, others;
    random_bits random(8);
    for (std::uint32_t& each : values) {
        each = static_cast<std::uint32_t>(random());
        (each % 3 == 1 ? kept : others).push_back(each / 2);
    }
    const gl_memory<std::uint32_t> in(gl(), std::span<const std::uint32_t>(values)), out(gl(), n);
    const gl_memory<indirect_arguments> counts(gl(), 1);
    const auto bind = [&](GLuint binding, const gl_memory<std::uint32_t>& what) {
        const gl::buffer_region region = what.span().region();
        gl().bind_buffer_range(GL_SHADER_STORAGE_BUFFER, binding, region.buffer,
                               static_cast<GLintptr>(region.offset), static_cast<GLsizeiptr>(region.bytes));
    };
    bind(5, in);
    bind(6, out);
    compact(executor(), odd_halves, n, counts.span(), {.user = {3, 0, 0, 0}});
    expect_front(out.read(), kept);
    expect_poison(out.read(), kept.size());
    EXPECT_EQ(words_of(counts), arguments(kept.size(), kept.size(), n));
    partition(executor(), odd_halves, n, counts.span(), {.user = {3, 0, 0, 0}});
    kept.insert(kept.end(), others.begin(), others.end());
    EXPECT_EQ(out.read(), kept);
    for (const GLuint binding : {5u, 6u}) gl().bind_buffer_base(GL_SHADER_STORAGE_BUFFER, binding, 0);
}

TEST_P(gl_compact, small_limits) {
    gl::executor small(at().loader(), {.max_groups_x = 2, .max_groups_y = 2});
    constexpr std::size_t n = 100001;
    const words votes = flags(n, 8, 2);
    words all(n);
    std::iota(all.begin(), all.end(), 0u);
    const gl_memory<std::uint32_t> flag_memory(gl(), std::span<const std::uint32_t>(votes)), out(gl(), n);
    const gl_memory<indirect_arguments> counts(gl(), 1);
    compact_indices(small, flag_memory.span(), out.span(), counts.span());
    expect_front(out.read(), chosen(all, votes, n));
    EXPECT_EQ(counts.read()[0].count, chosen(all, votes, n).size());
}

TEST_P(gl_compact, errors) {
    const gl_memory<std::uint32_t> in(gl(), 100), flag_memory(gl(), 100), out(gl(), 100);
    const gl_memory<indirect_arguments> counts(gl(), 1);
    const auto refused = [&](const char* argument, const auto& call) {
        try {
            call();
            ADD_FAILURE() << "accepted: " << argument;
        } catch (const error& problem) {
            EXPECT_EQ(problem.code(), errc::invalid_argument);
            EXPECT_EQ(std::string(problem.what()).rfind(argument, 0), 0u) << problem.what();
        }
    };
    gl::executor& ex = executor();
    const auto part = [](const gl_memory<std::uint32_t>& of, std::uint64_t from, std::uint64_t count) {
        return of.span().part(from, count);
    };
    refused("flags", [&] { compact(ex, part(flag_memory, 0, 99), in.span(), out.span(), counts.span()); });
    refused("arguments",
            [&] { compact(ex, flag_memory.span(), in.span(), out.span(), counts.span().part(0, 0)); });
    refused("out", [&] { compact(ex, flag_memory.span(), in.span(), in.span(), counts.span()); });
    refused("out", [&] { compact(ex, flag_memory.span(), in.span(), part(in, 50, 10), counts.span()); });
    refused("out", [&] { compact(ex, flag_memory.span(), in.span(), flag_memory.span(), counts.span()); });
    refused("arguments", [&] {
        compact(ex, flag_memory.span(), in.span(), out.span(), {in.name(), 1, 512});
    });
    refused("arguments", [&] {
        compact(ex, flag_memory.span(), in.span(), out.span(), {out.name(), 1, 512});
    });
    refused("out", [&] { partition(ex, flag_memory.span(), in.span(), part(out, 0, 99), counts.span()); });
    refused("options.items_per_group", [&] {
        compact(ex, flag_memory.span(), in.span(), out.span(), counts.span(), {.items_per_group = 0});
    });
    refused("arguments", [&] {
        compact(ex, flag_memory.span(), in.span(), out.span(), counts.span(),
                {.length = gl::count_at(counts.span())});
    });
    EXPECT_TRUE(out.untouched());
    EXPECT_TRUE(counts.untouched());
}

}  // namespace
}  // namespace upsweep::test
