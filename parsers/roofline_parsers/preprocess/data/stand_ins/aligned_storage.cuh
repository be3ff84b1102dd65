// Memory of a size, moved at once: what vectorised loads are made of.
#pragma once
namespace std {
template <size_t N> struct bytes_of_size { unsigned char data[N]; };
template <size_t N, size_t A = N> struct aligned_storage { typedef bytes_of_size<N> type; };
template <size_t A> struct aligned_storage<16, A> { typedef uint4 type; };
template <size_t A> struct aligned_storage<8, A> { typedef uint2 type; };
template <size_t A> struct aligned_storage<4, A> { typedef unsigned int type; };
template <size_t A> struct aligned_storage<2, A> { typedef unsigned short type; };
template <size_t N, size_t A = N> using aligned_storage_t = typename aligned_storage<N, A>::type;
}  // namespace std
