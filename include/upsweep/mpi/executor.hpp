// The executor of a cluster: a communicator of MPI, and the CPU executor that does this rank's share.
//
// Making one is a collective call over the communicator, which is duplicated, so that messages of the library
// and of the caller never meet; so is destroying it, before MPI_Finalize (after that nothing is freed). Calls
// through it are collective too, and take place in the same order on every rank. MPI itself is called by the
// calling thread alone, one call after the other: MPI_THREAD_FUNNELED is enough.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>

#include "upsweep/cpu/executor.hpp"

namespace upsweep::mpi {

// What a count of MPI 3 reaches.
inline constexpr std::size_t message_limit = 0x7fffffff;
// For engines: of all messages, because the communicator is the library's own.
inline constexpr int message_tag = 0;

class executor {
  public:
    // `local` must outlive the executor. Throws upsweep::error if MPI is not running, or if `comm` is null or
    // an inter-communicator.
    executor(MPI_Comm comm, cpu::executor& local);
    ~executor();
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;

    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] int size() const { return size_; }
    [[nodiscard]] cpu::executor& local() const { return local_; }

    // Partitions, bins and sorts send elements between ranks in messages of at most so many bytes,
    // message_limit without it. Changes no result; ranks may differ in it. Throws upsweep::error unless
    // `bytes` is from 1 to message_limit.
    void send_at_most(std::size_t bytes);
    [[nodiscard]] std::size_t most_sent() const { return most_sent_; }

    // For engines: the duplicate. Errors of MPI are returned there, not fatal; check_call() throws them.
    [[nodiscard]] MPI_Comm communicator() const { return comm_; }

    // For engines: messages of so many bytes, at most message_limit. Ranks are of the communicator;
    // MPI_PROC_NULL stands for nobody.
    void send(const void* from, std::size_t bytes, int to) const;
    void receive(void* into, std::size_t bytes, int from) const;
    void send_and_receive(const void* sent, int to, void* received, int from, std::size_t bytes) const;
    void broadcast(void* data, std::size_t bytes, int root) const;

  private:
    cpu::executor& local_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 1;
    std::size_t most_sent_ = message_limit;
};

// Throws upsweep::error with `function` and MPI's own words unless `code` is MPI_SUCCESS.
void check_call(int code, const char* function);

// For reports and tests: the library that runs, "Open MPI v4.1.4 ...". One line.
[[nodiscard]] std::string library_version();

}  // namespace upsweep::mpi
