#include "upsweep/mpi/sort.hpp"

namespace upsweep::mpi {

void merge_what_came(const executor& ex, const redistribution& ways, runs& sorted,
                     const core::key_order& order, const runs::array& keys, const runs::array* values) {
    for (std::size_t rank = 0; rank < static_cast<std::size_t>(ex.size()); ++rank)
        for (const stretch& each : ways.from_rank(rank)) sorted.add(each.count);
    sorted.merge(ex.local(), order, keys, values);
}

}  // namespace upsweep::mpi
