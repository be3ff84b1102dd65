"""What the benchmarks that read a folder of programs share."""
