"""What a language model is asked about kernels, and how what it replies is checked.

Nothing here runs until a person has turned the advisor on. ``asking`` is the way to the model:
cache, budget, attempts and the check of each reply against its schema; ``client`` alone knows the
SDK. ``classify`` asks for a kernel's class, ``suggest`` for edits, which ``checks``, ``scoring``
and ``compiling`` judge before anyone sees them. What is sent is made by ``prompts`` from
``material`` and can be shown.
"""
