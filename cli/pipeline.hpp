// Reading, scanning and writing at the same time: three stages that hand blocks round in a ring, so that
// memory use is a few blocks whatever the size of the file.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "registry/dtype.hpp"
#include "upsweep/error.hpp"

namespace upsweep::cli {

// Uninitialised bytes, aligned for any element and for vectors.
class byte_buffer {
  public:
    byte_buffer() = default;
    explicit byte_buffer(std::size_t bytes)
        : memory_(static_cast<std::byte*>(::operator new(bytes, alignment))) {}
    [[nodiscard]] std::byte* data() const { return memory_.get(); }

  private:
    static constexpr std::align_val_t alignment{64};
    struct release {
        void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
    };
    std::unique_ptr<std::byte, release> memory_;
};

struct data_block {
    std::uint64_t first = 0;  // index of the first element in the file
    std::size_t count = 0;    // elements
    byte_buffer in;
    byte_buffer out;
    std::size_t chosen = 0;     // where a command chooses: elements at the front of `out`
    registry::dtype weights{};  // where elements have some behind them in `in`: their type
};

// Blocks on their way from one stage to the next.
class block_channel {
  public:
    void push(data_block* block) {
        {
            const std::lock_guard lock(mutex_);
            waiting_.push_back(block);
        }
        changed_.notify_one();
    }
    // Null when the channel is closed and empty, or was abandoned.
    data_block* pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !waiting_.empty() || closed_; });
        if (abandoned_ || waiting_.empty()) return nullptr;
        data_block* const block = waiting_.front();
        waiting_.pop_front();
        return block;
    }
    // Nothing more comes; with `abandon`, what waits is dropped too.
    void close(bool abandon = false) {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
            abandoned_ = abandoned_ || abandon;
        }
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<data_block*> waiting_;
    bool closed_ = false;
    bool abandoned_ = false;
};

// A thread that runs `body`, which outlives it.
template <class Body>
std::thread thread_for(const Body& body) {
    try {
        return std::thread([&body] { body(); });
    } catch (const std::system_error&) {
        throw_error(errc::out_of_memory,
                    "threads: this machine cannot run two more of them, one that reads and one that writes");
    }
}

// read(block) fills `first`, `count` and `in` and returns false when there is nothing left; work(block) fills
// `out`; write(block) takes it. Each sees the blocks in the same order, on a thread of its own if
// `overlapped`, and the first exception of any ends all three and is rethrown. in_bytes and out_bytes are
// those of a block.
template <class Read, class Work, class Write>
void run_pipeline(std::size_t in_bytes, std::size_t out_bytes, bool overlapped, const Read& read,
                  const Work& work, const Write& write) {
    if (!overlapped) {
        data_block block{0, 0, byte_buffer(in_bytes), byte_buffer(out_bytes)};
        while (read(block)) {
            work(block);
            write(block);
        }
        return;
    }
    std::array<data_block, 4> blocks;
    block_channel idle;
    block_channel filled;
    block_channel finished;
    for (data_block& block : blocks) {
        block.in = byte_buffer(in_bytes);
        block.out = byte_buffer(out_bytes);
        idle.push(&block);
    }
    std::mutex failure_mutex;
    std::exception_ptr failure;
    const auto stage = [&](const auto& body) {
        try {
            body();
        } catch (...) {
            {
                const std::lock_guard lock(failure_mutex);
                if (!failure) failure = std::current_exception();
            }
            for (block_channel* channel : {&idle, &filled, &finished}) channel->close(true);
        }
    };
    const auto read_all = [&] {
        stage([&] {
            while (data_block* block = idle.pop()) {
                if (!read(*block)) break;
                filled.push(block);
            }
            filled.close();
        });
    };
    const auto write_all = [&] {
        stage([&] {
            while (data_block* block = finished.pop()) {
                write(*block);
                idle.push(block);
            }
        });
    };
    std::thread reader;
    std::thread writer;
    stage([&] {  // the threads too: there may be none to be had
        reader = thread_for(read_all);
        writer = thread_for(write_all);
        while (data_block* block = filled.pop()) {
            work(*block);
            finished.push(block);
        }
        finished.close();
    });
    for (std::thread* thread : {&reader, &writer}) {
        if (thread->joinable()) thread->join();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace upsweep::cli
