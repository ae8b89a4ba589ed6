// Totals of each key: what each of many customers spent, from purchases in any order, and how many of these
// there were.
#include <cstdint>
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    const std::size_t purchases = 200'000, customers = 5'000;
    std::vector<std::uint32_t> customer(purchases);
    std::vector<double> price(purchases);
    std::uint32_t random = 1;
    for (std::size_t i = 0; i < purchases; ++i) {
        random = random * 1664525u + 1013904223u;
        customer[i] = (random >> 8) % customers;
        price[i] = static_cast<double>(random >> 20) / 100;
    }

    // Keys are compared with their neighbours, so those of one customer must follow one another. The sort is
    // stable: the order of a customer's purchases stays.
    upsweep::cpu::executor executor;
    std::vector<std::uint32_t> sorted(purchases), buyer(purchases), count(purchases);
    std::vector<double> sorted_price(purchases), spent(purchases);
    upsweep::sort_by_key(executor, customer, price, sorted, sorted_price);
    const std::size_t buyers = upsweep::reduce_by_key(executor, sorted, sorted_price, buyer, spent);
    upsweep::run_length_encode(executor, sorted, buyer, count);
    std::printf("customer %u spent %.2f in %u purchases, %zu others something else\n", unsigned(buyer[0]),
                spent[0], unsigned(count[0]), buyers - 1);

    // The same by a loop.
    std::vector<double> expected(customers);
    std::vector<std::uint32_t> expected_count(customers);
    for (std::size_t i = 0; i < purchases; ++i) {
        expected[customer[i]] += price[i];
        ++expected_count[customer[i]];
    }
    std::size_t at = 0;
    for (std::uint32_t c = 0; c < customers; ++c) {
        if (expected_count[c] == 0) continue;
        const double difference =
            at < buyers ? spent[at] - expected[c] : 1;  // the order of additions differs
        if (buyer[at] != c || count[at] != expected_count[c] || difference > 1e-8 || difference < -1e-8)
            return 1;
        ++at;
    }
    return at == buyers ? 0 : 1;
}
