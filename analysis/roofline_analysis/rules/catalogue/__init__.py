"""One module a rule, named by its code and what it is about.

The module's docstring is the rule's text, ``BAD`` and ``GOOD`` are its examples, ``RULE`` puts all
together.
"""
