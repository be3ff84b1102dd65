"""What the analysis believes of a kernel, step by step: values, launch, regions, accesses, operations,
time, verdict, and what each assumption is worth.

``records`` has the plain values, ``file`` makes them for the kernels of a file; one module a step is
in between. Writers of text and JSON are in ``roofline_lsp.reports``.
"""
