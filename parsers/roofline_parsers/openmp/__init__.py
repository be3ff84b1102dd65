"""OpenMP: directives, and the kernels that offloaded regions become.

``directives`` and ``clauses`` take a pragma's text apart, ``forms`` says what a directive means
where it stands, ``outlining`` makes kernels of target regions, and ``regions`` with its neighbours
spells out what one GPU thread does in them.
"""
