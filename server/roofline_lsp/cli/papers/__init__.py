"""``roofline-lsp study rq1`` to ``rq4`` and ``decompose``: one module a command."""
