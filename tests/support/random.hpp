// A small, fast, seeded generator: the same data on every platform, unlike the distributions of <random>.
#pragma once

#include <cstdint>

namespace upsweep::test {

// SplitMix64 (Steele, Lea and Flood, 2014).
class random_bits {
  public:
    explicit random_bits(std::uint64_t seed) : state_(seed) {}

    std::uint64_t operator()() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // In [0, bound)
    std::uint64_t below(std::uint64_t bound) { return (*this)() % bound; }
    // In [0, 1), a multiple of 2^-53
    double unit() { return static_cast<double>((*this)() >> 11) * 0x1p-53; }
    // In [low, high)
    double between(double low, double high) { return low + (high - low) * unit(); }

  private:
    std::uint64_t state_;
};

}  // namespace upsweep::test
