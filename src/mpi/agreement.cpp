#include "upsweep/mpi/agreement.hpp"

#include <array>
#include <new>
#include <string>

#include "upsweep/error.hpp"

namespace upsweep::mpi {
namespace {

// What every rank contributes; of each word the largest is found. A value that must be equal everywhere is
// there twice, as itself and inverted: its largest and, inverted, its smallest.
enum word : std::size_t {
    end,           // of this rank's elements: the largest is the count of all
    refused,       // size - rank if this rank refuses, else 0: the lowest rank wins
    first_filled,  // the same, if it has elements
    last_filled,   // rank + 1, if it has elements
    total,
    operation,
    operation_inverted,
    reverse,
    reverse_inverted,
    initial,
    initial_inverted,
    word_count
};

bool differs(const std::array<std::uint64_t, word_count>& words, word value) {
    return words[value] != ~words[value + 1];
}

struct refusal_words {
    std::int32_t code;
    std::uint32_t length;
};

// The refusal of rank `root`, as the others put it.
[[noreturn]] void throw_refusal_of(const executor& ex, int root, const std::exception_ptr& own) {
    refusal_words head{static_cast<std::int32_t>(errc::device), 0};
    std::string text;
    if (ex.rank() == root) {
        try {
            std::rethrow_exception(own);
        } catch (const error& e) {
            head.code = static_cast<std::int32_t>(e.code().value());
            text = e.what();
        } catch (const std::bad_alloc& e) {
            head.code = static_cast<std::int32_t>(errc::out_of_memory);
            text = e.what();
        } catch (const std::exception& e) {
            text = e.what();
        } catch (...) {
            text = "an unknown exception";
        }
        head.length = static_cast<std::uint32_t>(text.size());
    }
    ex.broadcast(&head, sizeof head, root);
    text.resize(head.length);
    ex.broadcast(text.data(), text.size(), root);
    if (own) std::rethrow_exception(own);
    throw_error(static_cast<errc>(head.code), "rank " + std::to_string(root) + ": " + text);
}

}  // namespace

agreement agree(const executor& ex, const proposal& own) {
    std::uint64_t before = 0;
    check_call(MPI_Exscan(&own.count, &before, 1, MPI_UINT64_T, MPI_SUM, ex.communicator()), "MPI_Exscan");
    if (ex.rank() == 0) before = 0;  // where MPI leaves it undefined

    const auto rank = static_cast<std::uint64_t>(ex.rank());
    const auto size = static_cast<std::uint64_t>(ex.size());
    const auto flag = [](bool value) { return static_cast<std::uint64_t>(value); };
    std::array<std::uint64_t, word_count> words{before + own.count,
                                                own.refusal ? size - rank : 0,
                                                own.count != 0 ? size - rank : 0,
                                                own.count != 0 ? rank + 1 : 0,
                                                flag(own.wants_total),
                                                own.operation,
                                                ~own.operation,
                                                flag(own.reverse),
                                                ~flag(own.reverse),
                                                flag(own.has_initial),
                                                ~flag(own.has_initial)};
    check_call(
        MPI_Allreduce(MPI_IN_PLACE, words.data(), word_count, MPI_UINT64_T, MPI_MAX, ex.communicator()),
        "MPI_Allreduce");

    if (words[refused] != 0) throw_refusal_of(ex, static_cast<int>(size - words[refused]), own.refusal);
    if (differs(words, operation))
        throw_error(
            errc::invalid_argument,
            "ex: the ranks call different functions, or sort in different orders, or with accumulators or "
            "elements of different sizes or bins of different number");
    if (differs(words, reverse))
        throw_error(errc::invalid_argument,
                    "options.reverse: expected the same on every rank, but it is true on some and false on "
                    "others");
    if (differs(words, initial))
        throw_error(errc::invalid_argument,
                    "options.initial: expected the same on every rank, but it is given on some and absent on "
                    "others");

    agreement made{};
    made.count = words[end];
    made.first = own.reverse ? made.count - (before + own.count) : before;
    made.wants_total = words[total] != 0;
    made.reverse = own.reverse;
    made.size = ex.size();
    made.position = made.rank_at(ex.rank());
    made.last = static_cast<int>(own.reverse ? words[first_filled] : words[last_filled]) - 1;
    return made;
}

}  // namespace upsweep::mpi
