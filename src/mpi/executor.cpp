// The duplicated communicator, and calls of MPI whose return codes become errors.
#include "upsweep/mpi/executor.hpp"

#include "upsweep/error.hpp"

namespace upsweep::mpi {
namespace {

int count_of(std::size_t bytes) {
    if (bytes > message_limit)
        throw_error(errc::unsupported, "accumulators: " + std::to_string(bytes) +
                                           " bytes are to be sent at once, which MPI takes up to " +
                                           std::to_string(message_limit));
    return static_cast<int>(bytes);
}

// Whether MPI may be called: between MPI_Init and MPI_Finalize.
bool is_running() {
    int begun = 0;
    int ended = 0;
    check_call(MPI_Initialized(&begun), "MPI_Initialized");
    check_call(MPI_Finalized(&ended), "MPI_Finalized");
    return begun != 0 && ended == 0;
}

}  // namespace

void check_call(int code, const char* function) {
    if (code == MPI_SUCCESS) return;
    char words[MPI_MAX_ERROR_STRING];
    int length = 0;
    if (MPI_Error_string(code, words, &length) != MPI_SUCCESS) length = 0;
    throw_error(errc::device, std::string(function) + ": " +
                                  (length != 0 ? std::string(words, static_cast<std::size_t>(length))
                                               : "error " + std::to_string(code)));
}

std::string library_version() {
    char words[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    check_call(MPI_Get_library_version(words, &length), "MPI_Get_library_version");
    const std::string text(words, static_cast<std::size_t>(length));
    return text.substr(0, text.find_first_of(",\n"));
}

executor::executor(MPI_Comm comm, cpu::executor& local) : local_(local) {
    if (!is_running())
        throw_error(errc::invalid_argument,
                    "comm: MPI is not running; an executor is made after MPI_Init and before MPI_Finalize");
    if (comm == MPI_COMM_NULL)
        throw_error(errc::invalid_argument,
                    "comm: expected a communicator that this process belongs to, but it is MPI_COMM_NULL");
    int between_groups = 0;
    check_call(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
    if (between_groups != 0)
        throw_error(errc::invalid_argument,
                    "comm: expected one group of ranks, but it is an inter-communicator of two");
    check_call(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
    check_call(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check_call(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
    check_call(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
}

executor::~executor() {
    int ended = 0;
    if (MPI_Finalized(&ended) == MPI_SUCCESS && ended == 0) MPI_Comm_free(&comm_);
}

void executor::send_at_most(std::size_t bytes) {
    if (bytes == 0 || bytes > message_limit)
        throw_error(errc::invalid_argument, "bytes: expected 1 to " + std::to_string(message_limit) +
                                                ", but it is " + std::to_string(bytes));
    most_sent_ = bytes;
}

void executor::send(const void* from, std::size_t bytes, int to) const {
    check_call(MPI_Send(from, count_of(bytes), MPI_BYTE, to, message_tag, comm_), "MPI_Send");
}

void executor::receive(void* into, std::size_t bytes, int from) const {
    check_call(MPI_Recv(into, count_of(bytes), MPI_BYTE, from, message_tag, comm_, MPI_STATUS_IGNORE),
               "MPI_Recv");
}

void executor::send_and_receive(const void* sent, int to, void* received, int from, std::size_t bytes) const {
    const int count = count_of(bytes);
    check_call(MPI_Sendrecv(sent, count, MPI_BYTE, to, message_tag, received, count, MPI_BYTE, from,
                            message_tag, comm_, MPI_STATUS_IGNORE),
               "MPI_Sendrecv");
}

void executor::broadcast(void* data, std::size_t bytes, int root) const {
    check_call(MPI_Bcast(data, count_of(bytes), MPI_BYTE, root, comm_), "MPI_Bcast");
}

}  // namespace upsweep::mpi
