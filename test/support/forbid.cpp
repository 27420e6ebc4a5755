// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// forbid copying|duplicating COMMAND...: runs a command that, with all of its children, may not copy from or to the
// memory of other processes, as in many containers, or may not get duplicates of their descriptors: process_vm_readv(2)
// and process_vm_writev(2), or pidfd_getfd(2), fail with EPERM.

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <iterator>

int main(int argc, char* argv[]) {
  const bool copying = argc > 2 && std::strcmp(argv[1], "copying") == 0;
  if (!copying && (argc < 3 || std::strcmp(argv[1], "duplicating") != 0)) {
    std::fprintf(stderr, "usage: %s copying|duplicating COMMAND...\n", argv[0]);
    return 2;
  }
  const unsigned first = copying ? SYS_process_vm_readv : SYS_pidfd_getfd;
  const unsigned second = copying ? SYS_process_vm_writev : SYS_pidfd_getfd;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    std::perror("seccomp");
    return 126;
  }
  ::execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return 127;
}
