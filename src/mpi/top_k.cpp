// The first keys of all ranks.
#include "upsweep/mpi/top_k.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "upsweep/cpu/top_k.hpp"

namespace upsweep::mpi {
namespace {

// What goes in front of keys: how many there are, and which rank failed, if one did.
struct announcement {
    std::uint64_t count;
    std::int64_t failed;
};

// In messages that MPI's counts hold.
template <class Pass>
void in_messages(std::byte* data, std::size_t bytes, const Pass& pass) {
    for (std::size_t at = 0; at < bytes; at += message_limit)
        pass(data + at, std::min(message_limit, bytes - at));
}
void send_all(const executor& ex, std::byte* data, std::size_t bytes, int to) {
    in_messages(data, bytes, [&](std::byte* part, std::size_t size) { ex.send(part, size, to); });
}
void receive_all(const executor& ex, std::byte* data, std::size_t bytes, int from) {
    in_messages(data, bytes, [&](std::byte* part, std::size_t size) { ex.receive(part, size, from); });
}
void broadcast_all(const executor& ex, std::byte* data, std::size_t bytes) {
    in_messages(data, bytes, [&](std::byte* part, std::size_t size) { ex.broadcast(part, size, 0); });
}

}  // namespace

first_of_ranks::first_of_ranks(std::size_t k, std::size_t key_bytes, std::size_t value_bytes)
    : k_(k),
      key_bytes_(key_bytes),
      value_bytes_(value_bytes),
      keys_(2 * k * key_bytes),
      values_(2 * k * value_bytes),
      first_keys_(k * key_bytes),
      first_values_(k * value_bytes),
      places_(k) {}

void first_of_ranks::exchange(const executor& ex, const core::key_order& order, std::size_t count) {
    failure trouble(ex.rank());
    const int rank = ex.rank();
    for (int step = 1; step < ex.size(); step *= 2) {
        if (rank % (2 * step) != 0) {
            announcement own{count, trouble.rank()};
            const int to = rank - step;
            ex.send(&own, sizeof own, to);
            send_all(ex, keys(), count * key_bytes_, to);
            send_all(ex, values(), count * value_bytes_, to);
            break;
        }
        const int from = rank + step;
        if (from >= ex.size()) continue;
        announcement other{};
        ex.receive(&other, sizeof other, from);
        trouble.hear_of(static_cast<int>(other.failed));
        receive_all(ex, keys() + count * key_bytes_, other.count * key_bytes_, from);
        receive_all(ex, values() + count * value_bytes_, other.count * value_bytes_, from);
        const std::size_t both = count + other.count;
        trouble.attempt([&] { take_first(ex, order, both); });
        count = std::min(k_, both);
    }
    announcement all{count, trouble.rank()};
    ex.broadcast(&all, sizeof all, 0);
    trouble.hear_of(static_cast<int>(all.failed));
    trouble.rethrow();
    broadcast_all(ex, keys(), k_ * key_bytes_);
    broadcast_all(ex, values(), k_ * value_bytes_);
}

// Of two ranks' keys, one behind the other.
void first_of_ranks::take_first(const executor& ex, const core::key_order& order, std::size_t count) {
    const std::size_t k = std::min(k_, count);
    cpu::run_top_k_places(ex.local(), order, keys(), count, places_.data(), k);
    const auto gather = [&](const memory_block& from, const memory_block& to, std::size_t bytes) {
        for (std::size_t i = 0; i < k && bytes != 0; ++i)
            std::memcpy(to.data() + i * bytes, from.data() + places_.data()[i] * bytes, bytes);
        if (bytes != 0) std::memcpy(from.data(), to.data(), k * bytes);
    };
    gather(keys_, first_keys_, key_bytes_);
    gather(values_, first_values_, value_bytes_);
}

}  // namespace upsweep::mpi
