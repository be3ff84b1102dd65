"""Machine instructions translated to C++ for the lanes of a warp."""
