// Totals: of an array, of what a function makes of its elements, and of the rows and columns of a table.
// Their bits are those of the last running totals.
#include <cstdio>
#include <upsweep/upsweep.hpp>
#include <vector>

int main() {
    // Kilowatt hours of three machines, the columns, on four days.
    const std::vector<float> energy{1.5f, 0.25f, 3.0f, 2.5f, 0.0f,  3.5f,
                                    1.0f, 0.75f, 2.0f, 4.5f, 1.25f, 0.5f};
    upsweep::cpu::executor executor;
    const float all = upsweep::reduce(executor, energy);
    const float most = upsweep::reduce(executor, energy, upsweep::maximum{});
    const int above_two = upsweep::transform_reduce<int>(executor, energy, upsweep::plus{},
                                                         [](float hours) { return hours > 2; });

    const upsweep::strided_view<const float> table(energy.data(), {4, 3});
    std::vector<float> of_machines(3);
    std::vector<double> of_days(4);  // added up as double
    upsweep::reduce(executor, table, upsweep::strided_view<float>(of_machines.data(), {3}), 0);
    upsweep::reduce<double>(executor, table, upsweep::strided_view<double>(of_days.data(), {4}), 1);

    std::printf("all: %.2f, at most %.2f, above two: %d\n", double{all}, double{most}, above_two);
    for (const float total : of_machines) std::printf("a machine: %.2f\n", double{total});
    for (const double total : of_days) std::printf("a day: %.2f\n", total);

    std::vector<float> running(energy.size());
    upsweep::inclusive_scan(executor, energy, running);
    const bool right = all == running.back() && most == 4.5f && above_two == 4 &&
                       of_machines == std::vector<float>{9.5f, 2.25f, 9.0f} &&
                       of_days == std::vector<double>{4.75, 6.0, 3.75, 6.25};
    return right ? 0 : 1;
}
