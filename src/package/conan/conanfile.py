# Copyright (c) 2026 The asio_rdma authors
# Distributed under the Boost Software License, Version 1.0 (see LICENSE)
"""A recipe of Conan 2: conan create src/package/conan

It needs the system's rdma-core (libibverbs-dev, librdmacm-dev). doc/packaging.md says how it was tried.
"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


def root_of(recipe):
    return os.path.abspath(os.path.join(recipe.recipe_folder, "..", "..", ".."))


class AsioRdma(ConanFile):
    name = "asio_rdma"
    description = "RDMA for Boost.Asio programs"
    license = "BSL-1.0"
    homepage = "https://github.com/asio-rdma/asio_rdma"
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False]}
    default_options = {"shared": True, "boost/*:header_only": True}

    def set_version(self):
        cmake = load(self, os.path.join(root_of(self), "CMakeLists.txt"))
        self.version = re.search(r"project\(asio_rdma VERSION ([\d.]+)", cmake)[1]

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "src/*", "include/*"):
            copy(self, pattern, root_of(self), self.export_sources_folder)

    def requirements(self):
        self.requires("boost/[>=1.81 <1.91]", transitive_headers=True)

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("asio_rdma runs on Linux")
        check_min_cppstd(self, 17)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("TESTS", "EXAMPLES", "PERF"):
            toolchain.cache_variables[f"ASIO_RDMA_BUILD_{part}"] = False
        toolchain.cache_variables["ASIO_RDMA_WERROR"] = False
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()
        for own in ("cmake", "pkgconfig"):  # Conan writes these itself
            rmdir(self, os.path.join(self.package_folder, "lib", own))

    def package_info(self):
        self.cpp_info.libs = ["asio_rdma"]
        self.cpp_info.system_libs = ["dl", "pthread"]
        self.cpp_info.set_property("cmake_file_name", "asio_rdma")
        self.cpp_info.set_property("cmake_target_name", "asio_rdma::asio_rdma")
        self.cpp_info.set_property("pkg_config_name", "asio_rdma")
