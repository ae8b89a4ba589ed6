// The shortest program: running totals of an array. This is the example of the README.
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    upsweep::cpu::executor executor;  // every processor, best instruction set
    const std::vector<double> deposits{12.5, 3.25, 0.5, 20.0, 7.75};
    std::vector<double> balance(deposits.size());
    upsweep::inclusive_scan(executor, deposits, balance);
    for (const double amount : balance) std::printf("%6.2f\n", amount);

    return balance == std::vector<double>{12.5, 15.75, 16.25, 36.25, 44.0} ? 0 : 1;
}
