"""Abstract execution of host code, from ``argv`` to every kernel launch."""
