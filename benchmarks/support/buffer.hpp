// Memory for benchmarks. Page faults cost more than a scan does (about 1.3 ns per float32 against 0.2 ns),
// and two buffers congruent modulo 1 MiB slow store-before-load loops eightfold, so every buffer is asked for
// in huge pages, touched before use and started at an offset of its own.
#pragma once

#include "team.hpp"

#include <sys/mman.h>
#include <cstddef>
#include <new>

namespace bench {

class buffer {
  public:
    // `index` tells apart the buffers that one loop uses together: neighbours differ by 330 KiB modulo 1 MiB
    // and by 2 KiB modulo 4 KiB.
    buffer(std::size_t bytes, std::size_t index, team& threads)
        : size_(bytes), mapped_(round_up(bytes + huge_page + index * stagger)) {
        void* memory = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) throw std::bad_alloc();
        madvise(memory, mapped_, MADV_HUGEPAGE);
        base_ = static_cast<std::byte*>(memory);
        data_ = base_ + round_up(reinterpret_cast<std::size_t>(memory)) -
                reinterpret_cast<std::size_t>(memory) + index * stagger;
        threads.divide(bytes, small_page, [this](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; i += small_page) data_[i] = std::byte{0};
        });
    }
    ~buffer() { munmap(base_, mapped_); }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;

    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(data_);
    }
    std::size_t size() const { return size_; }

  private:
    static constexpr std::size_t small_page = 4096;
    static constexpr std::size_t huge_page = std::size_t{2} << 20;
    static constexpr std::size_t stagger = 330 * 1024;

    static std::size_t round_up(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

    std::size_t size_;
    std::size_t mapped_;
    std::byte* base_ = nullptr;
    std::byte* data_ = nullptr;
};

}  // namespace bench
