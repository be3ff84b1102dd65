"""Abstract execution of host code, from ``argv`` to every kernel launch."""

from roofline_analysis.host.options import HostOptions, HostResult
from roofline_analysis.host.program import execute_host

__all__ = ["HostOptions", "HostResult", "execute_host"]
