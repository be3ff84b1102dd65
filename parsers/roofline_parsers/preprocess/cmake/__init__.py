"""What a CMake project passes to the compiler in a default build, read from its ``CMakeLists.txt``.

The language is executed abstractly: nothing is run, and files come from the caller's ``Reader``
alone. Assumed is what ``cmake`` finds on Linux with GCC and CUDA where nobody gives it options.
What that does not tell (environment variables, results of commands, packages that may be absent)
is unknown: text that holds ``UNKNOWN`` gives no flag, and what stands in a branch whose condition
is unknown is believed only of targets and folders that the same branch makes.

Own, because libraries for CMake (``cmake-parser``, ``cmakelang``) give the syntax tree, which is
the smallest part, and raise on text that is not complete.
"""

from roofline_parsers.preprocess.cmake.project import CMakeProject, FileInProject

__all__ = ["CMakeProject", "FileInProject"]
