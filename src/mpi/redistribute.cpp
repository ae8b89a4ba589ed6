#include "upsweep/mpi/redistribute.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "upsweep/mpi/agreement.hpp"

namespace upsweep::mpi {

// The messages between two ranks: memory to send from or to receive into, as both know it from stretches.
class redistribution::stream {
  public:
    struct message {
        std::byte* at;
        std::size_t bytes;
    };

    // One piece of memory.
    stream(void* at, std::size_t bytes, std::size_t most)
        : most_(most), at_(static_cast<std::byte*>(at)), left_(bytes) {}
    // Elements of stretches, one after the other at `packed`; if `places` is not null, those of long
    // stretches are there instead, where place `first` is.
    stream(std::span<const stretch> all, std::size_t element_bytes, std::size_t most, void* packed,
           void* places, std::uint64_t first)
        : all_(all),
          element_bytes_(element_bytes),
          most_(most),
          packed_(static_cast<std::byte*>(packed)),
          places_(static_cast<std::byte*>(places)),
          first_(first) {}

    // The next message, if there is one more.
    bool next(message& made) {
        if (left_ == 0) next_part();
        made = {at_, static_cast<std::size_t>(std::min<std::uint64_t>(left_, most_))};
        if (left_ == 0) return false;
        at_ += made.bytes;
        left_ -= made.bytes;
        return true;
    }

  private:
    // One long stretch, or all short ones up to the next.
    void next_part() {
        if (all_.empty()) return;
        const auto is_long = [](const stretch& each) { return each.count >= long_stretch; };
        const bool alone = is_long(all_.front());
        const std::size_t count =
            alone ? 1
                  : static_cast<std::size_t>(std::find_if(all_.begin(), all_.end(), is_long) - all_.begin());
        for (const stretch& each : all_.first(count)) left_ += each.count * element_bytes_;
        if (alone && places_ != nullptr) {
            at_ = places_ + (all_.front().first - first_) * element_bytes_;
        } else {
            at_ = packed_;
            packed_ += left_;
        }
        all_ = all_.subspan(count);
    }

    std::span<const stretch> all_{};
    std::size_t element_bytes_ = 0;
    std::size_t most_;
    std::byte* packed_ = nullptr;
    std::byte* places_ = nullptr;
    std::uint64_t first_ = 0;
    std::byte* at_ = nullptr;  // what is left of a part
    std::uint64_t left_ = 0;
};

redistribution::redistribution(const executor& ex)
    : ex_(ex),
      size_(static_cast<std::size_t>(ex.size())),
      rank_(static_cast<std::size_t>(ex.rank())),
      cuts_(size_ + 1),
      to_(size_),
      from_(size_),
      elements_before_(size_ + 1),
      first_sent_(size_ + 1),
      first_received_(size_ + 1) {}

void redistribution::cut(std::uint64_t places) {
    check_call(MPI_Allgather(&places, 1, MPI_UINT64_T, cuts_.data() + 1, 1, MPI_UINT64_T, ex_.communicator()),
               "MPI_Allgather");
    for (std::size_t rank = 0; rank < size_; ++rank) cuts_[rank + 1] += cuts_[rank];
}

// Stretches of which each belongs to one rank, and what each rank is told of them.
void redistribution::split(std::span<const stretch> own) {
    sent_.reserve(own.size() + size_);
    std::size_t rank = 0;
    const auto finish_ranks_up_to = [&](std::size_t last) {
        for (; rank < last; ++rank) {
            first_sent_[rank + 1] = sent_.size();
            elements_before_[rank + 1] = elements_before_[rank];
            for (std::size_t k = first_sent_[rank]; k < sent_.size(); ++k) {
                elements_before_[rank + 1] += sent_[k].count;
                if (sent_[k].count < long_stretch) to_[rank].short_elements += sent_[k].count;
            }
            to_[rank].stretches = sent_.size() - first_sent_[rank];
        }
    };
    for (stretch left : own) {
        while (left.count != 0 && left.first < cuts_.back()) {
            std::size_t owner = rank;
            while (left.first >= cuts_[owner + 1]) ++owner;
            finish_ranks_up_to(owner);
            const std::uint64_t count = std::min(left.count, cuts_[owner + 1] - left.first);
            const bool goes_on =
                sent_.size() > first_sent_[rank] && sent_.back().first + sent_.back().count == left.first;
            if (goes_on)
                sent_.back().count += count;
            else
                sent_.push_back({left.first, count});
            left = {left.first + count, left.count - count};
        }
    }
    finish_ranks_up_to(size_);
}

void redistribution::plan(std::span<const stretch> own, std::size_t largest_element) {
    std::fill(to_.begin(), to_.end(), told{0, 0, ex_.most_sent()});
    std::exception_ptr trouble = refusal_of([&] { split(own); });
    if (trouble != nullptr) std::fill(to_.begin(), to_.end(), told{});
    static_assert(sizeof(told) == 3 * sizeof(std::uint64_t));
    check_call(MPI_Alltoall(to_.data(), 3, MPI_UINT64_T, from_.data(), 3, MPI_UINT64_T, ex_.communicator()),
               "MPI_Alltoall");
    std::uint64_t most_short = 0;
    for (std::size_t rank = 0; rank < size_; ++rank) {
        first_received_[rank + 1] = first_received_[rank] + from_[rank].stretches;
        if (rank != rank_) most_short = std::max(most_short, from_[rank].short_elements);
    }
    if (trouble == nullptr) {
        trouble = refusal_of([&] {
            received_.resize(first_received_.back());
            buffer_ = memory_block(most_short * largest_element);
        });
    }
    (void)agree(ex_, {.count = 0,
                      .operation = operation_of(collective::redistribution, largest_element),
                      .refusal = trouble});

    const auto list_of = [](std::vector<stretch>& all, const std::vector<std::size_t>& first,
                            std::size_t rank, std::size_t most) {
        return stream(all.data() + first[rank], (first[rank + 1] - first[rank]) * sizeof(stretch), most);
    };
    std::copy_n(sent_.begin() + static_cast<std::ptrdiff_t>(first_sent_[rank_]), to_[rank_].stretches,
                received_.begin() + static_cast<std::ptrdiff_t>(first_received_[rank_]));
    in_rounds([&](std::size_t to, std::size_t from) {
        exchange(to, list_of(sent_, first_sent_, to, ex_.most_sent()), from,
                 list_of(received_, first_received_, from, from_[from].most_sent));
    });
}

std::span<const stretch> redistribution::from_rank(std::size_t rank) const {
    return std::span(received_).subspan(first_received_[rank], from_[rank].stretches);
}

void redistribution::move(const void* from_memory, void* to_memory, std::size_t element_bytes) const {
    auto* const in = static_cast<std::byte*>(const_cast<void*>(from_memory));  // streams are of both ways
    auto* const out = static_cast<std::byte*>(to_memory);
    const auto place = [&](const stretch& each) { return out + (each.first - first()) * element_bytes; };
    const auto take = [&](const stretch& each, const std::byte*& packed) {
        std::memcpy(place(each), packed, each.count * element_bytes);
        packed += each.count * element_bytes;
    };
    const std::byte* own = in + elements_before_[rank_] * element_bytes;
    for (const stretch& each : from_rank(rank_)) take(each, own);
    in_rounds([&](std::size_t to, std::size_t from) {
        const auto sent = std::span(sent_).subspan(first_sent_[to], to_[to].stretches);
        exchange(to,
                 stream(sent, element_bytes, ex_.most_sent(), in + elements_before_[to] * element_bytes,
                        nullptr, 0),
                 from,
                 stream(from_rank(from), element_bytes, from_[from].most_sent, buffer_.data(), out, first()));
        const std::byte* packed = buffer_.data();
        for (const stretch& each : from_rank(from))
            if (each.count < long_stretch) take(each, packed);
    });
}

template <class Body>
void redistribution::in_rounds(const Body& body) const {
    for (std::size_t k = 1; k < size_; ++k) body((rank_ + k) % size_, (rank_ + size_ - k) % size_);
}

// The two streams have any numbers of messages. Each step waits for some of both, as the other ranks do in
// the same round, so that nobody waits in a circle.
void redistribution::exchange(std::size_t to, stream sent, std::size_t from, stream received) const {
    constexpr std::size_t most_at_once = 8;  // each way
    std::array<MPI_Request, 2 * most_at_once> pending;
    for (;;) {
        int count = 0;
        stream::message next{};
        for (std::size_t k = 0; k < most_at_once && received.next(next); ++k)
            check_call(
                MPI_Irecv(next.at, static_cast<int>(next.bytes), MPI_BYTE, static_cast<int>(from),
                          message_tag, ex_.communicator(), &pending[static_cast<std::size_t>(count++)]),
                "MPI_Irecv");
        for (std::size_t k = 0; k < most_at_once && sent.next(next); ++k)
            check_call(
                MPI_Isend(next.at, static_cast<int>(next.bytes), MPI_BYTE, static_cast<int>(to), message_tag,
                          ex_.communicator(), &pending[static_cast<std::size_t>(count++)]),
                "MPI_Isend");
        if (count == 0) return;
        check_call(MPI_Waitall(count, pending.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    }
}

}  // namespace upsweep::mpi
