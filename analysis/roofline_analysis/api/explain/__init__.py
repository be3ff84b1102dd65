"""What the analysis believes of a kernel, step by step, from the host's values to its class.

``records``, with ``host_records`` and ``kernel_records``, has the plain values; ``launch`` makes
them for a judged launch, ``api.explain_file`` for the kernels of a file. There is one module a
step: ``values``, ``launches``, ``regions`` (which lines compute what, too), ``accesses``,
``judgement`` and ``alternatives``.
``roofline_lsp.formats.explanation`` writes text and JSON.
"""
