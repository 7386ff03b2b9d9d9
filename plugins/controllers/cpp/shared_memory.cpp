// Makes the memory between two processes without a name, and sends it through the line between them.
#include "shared_memory.hpp"

#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace handloom {
namespace {

void* map(int memory) noexcept {
  void* address = mmap(nullptr, sizeof(Segment), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
  return address == MAP_FAILED ? nullptr : address;
}

// One byte, and the descriptor beside it.
struct Letter {
  char byte = 0;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  iovec part{&byte, 1};
  msghdr header{};

  Letter() {
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }
};

bool send_descriptor(int through, int descriptor) noexcept {
  Letter letter;
  cmsghdr* first = CMSG_FIRSTHDR(&letter.header);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(first), &descriptor, sizeof(int));
  return sendmsg(through, &letter.header, MSG_NOSIGNAL) == 1;
}

int receive_descriptor(int through) noexcept {
  Letter letter;
  if (recvmsg(through, &letter.header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != 1) return -1;
  const cmsghdr* first = CMSG_FIRSTHDR(&letter.header);
  if (!first || first->cmsg_type != SCM_RIGHTS || first->cmsg_len != CMSG_LEN(sizeof(int))) return -1;
  int descriptor = -1;
  std::memcpy(&descriptor, CMSG_DATA(first), sizeof(int));
  return descriptor;
}

// Of this size for good: a peer can't take memory away under the other's feet.
int make_memory() noexcept {
  const int memory = memfd_create("handloom arm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -1;
  if (ftruncate(memory, sizeof(Segment)) == 0 &&
      fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0) {
    return memory;
  }
  close(memory);
  return -1;
}

bool is_of_our_size(int memory) noexcept {
  struct stat about;
  return fstat(memory, &about) == 0 && about.st_size == static_cast<off_t>(sizeof(Segment));
}

}  // namespace

Segment* make_segment(int64_t period_ns, Line& line) noexcept {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
  const int memory = make_memory();
  void* address = memory < 0 ? nullptr : map(memory);
  const bool sent = address && send_descriptor(ends[0], memory);
  if (memory >= 0) close(memory);
  if (!sent) {
    if (address) munmap(address, sizeof(Segment));
    close(ends[0]);
    close(ends[1]);
    return nullptr;
  }
  line = {ends[0], ends[1]};
  Segment* segment = new (address) Segment();
  segment->period_ns = period_ns;
  return segment;
}

Segment* join_segment(int far) noexcept {
  const int memory = receive_descriptor(far);
  if (memory < 0) return nullptr;
  void* address = is_of_our_size(memory) ? map(memory) : nullptr;
  close(memory);
  Segment* segment = static_cast<Segment*>(address);
  if (segment && segment->magic == kSegmentMagic && segment->abi == HL_ABI && segment->size == sizeof(Segment)) {
    return segment;
  }
  if (segment) leave_segment(segment);
  return nullptr;
}

void leave_segment(Segment* segment) noexcept { munmap(segment, sizeof(Segment)); }

bool is_hung_up(int end) noexcept {
  pollfd watched{end, POLLIN, 0};
  return poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR | POLLNVAL));
}

}  // namespace handloom
