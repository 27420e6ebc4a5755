// Copyright (c) 2026 The asio_rdma authors
// Distributed under the Boost Software License, Version 1.0 (see LICENSE)

// asio_rdma_soft PROGRAM [ARGUMENT...]: runs a program that uses verbs on the software device.

#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace {

constexpr const char* usage =
    R"(usage: asio_rdma_soft PROGRAM [ARGUMENT...]

Runs PROGRAM, unmodified, with the verbs device soft0, which needs no hardware and reaches the processes of the same
user on this host. Set in the environment, ASIO_RDMA_DEVICE says which devices PROGRAM sees:
  soft0     only soft0 (the default here)
  auto      the hardware, and soft0 after it
  hardware  the hardware only
ASIO_RDMA_SOFT_PRELOAD names libasio_rdma_soft.so where it is not found beside this program's folder.
)";

int fail(int status, const std::string& why) {
  std::fprintf(stderr, "asio_rdma_soft: %s\n", why.c_str());
  return status;
}

bool is_readable_file(const std::string& path) {
  struct stat s {};
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && ::access(path.c_str(), R_OK) == 0;
}

/// The library, as it lies in the build tree or where both were installed.
std::string find_library() {
  if (const char* const given = std::getenv("ASIO_RDMA_SOFT_PRELOAD")) return given;
  char self[PATH_MAX];
  const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self);
  if (size <= 0) return "libasio_rdma_soft.so";
  std::string folder(self, static_cast<std::size_t>(size));
  folder.erase(folder.rfind('/'));
  for (const char* const place : {"/", "/" ASIO_RDMA_FOLDER_OF_LIBRARY "/"}) {
    const std::string path = folder + place + "libasio_rdma_soft.so";
    if (is_readable_file(path)) return path;
  }
  return folder + "/" ASIO_RDMA_FOLDER_OF_LIBRARY "/libasio_rdma_soft.so";
}

/// As execvp(3) finds it; empty if there is none.
std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* const variable = std::getenv("PATH");
  std::istringstream folders(variable ? variable : "/usr/local/bin:/bin:/usr/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::string path = (folder.empty() ? "." : folder) + "/" + name;
    if (is_readable_file(path) && ::access(path.c_str(), X_OK) == 0) return path;
  }
  return {};
}

/// Whether the dynamic linker has nothing to do with it. A script has an interpreter that it has to do with.
bool is_static(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  file.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    return false;
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    file.read(reinterpret_cast<char*>(&segment), sizeof segment);
    if (file && segment.p_type == PT_INTERP) return false;
  }
  return true;
}

/// Why the library cannot be loaded into the program; empty if nothing speaks against it.
std::string objection(const std::string& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return path + ": " + std::strerror(errno);
  if ((s.st_mode & S_ISUID) != 0 || (s.st_mode & S_ISGID) != 0) {
    return path + " is set-user-ID or set-group-ID, and Linux preloads no library from here into such a program: run a "
                  "copy of it";
  }
  if (is_static(path)) return path + " is linked statically, and no library can be preloaded into it";
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "--help") == 0) {
    std::fputs(usage, argc < 2 ? stderr : stdout);
    return argc < 2 ? 2 : 0;
  }
  const std::string library = find_library();
  if (!is_readable_file(library)) {
    return fail(126,
                "cannot read " + library + "; install it beside this program or name it in ASIO_RDMA_SOFT_PRELOAD");
  }
  const std::string program = find_program(argv[1]);
  if (program.empty()) return fail(127, std::string(argv[1]) + ": there is no such program in PATH");
  const std::string why_not = objection(program);
  if (!why_not.empty()) return fail(126, why_not);

  std::string preload = library;
  if (const char* const others = std::getenv("LD_PRELOAD")) preload += std::string(":") + others;
  ::setenv("LD_PRELOAD", preload.c_str(), 1);
  ::setenv("ASIO_RDMA_DEVICE", "soft0", 0);
  ::execv(program.c_str(), argv + 1);
  return fail(126, program + ": " + std::strerror(errno));
}
