"""What a person chose of the advisor, the part that asks a language model."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from roofline_core.program.records import record

Protocol = Literal["zero-shot", "few-shot", "decomposition", "evidence"]
Structure = Literal["output", "tool"]
Effort = Literal["low", "medium", "high", "xhigh", "max"]

PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
"""Every value of ``AdvisorSettings.protocol``."""
STRUCTURES: tuple[Structure, ...] = get_args(Structure)
"""Every value of ``AdvisorSettings.structure``."""
EFFORTS: tuple[Effort, ...] = get_args(Effort)
"""Every value of ``AdvisorSettings.effort``."""

SHAREABLE = frozenset({"enabled", "protocol"})
"""What the settings file of a project may set; ``enabled`` only to false.

A project's files come with its sources, from whoever wrote them. What sends source away, says where
it goes, costs money or runs a command is therefore a person's own choice: in their editor, in their
own settings file or on the command line.
"""

MOST_VOTES = 25
MOST_ROUNDS = 10
"""The most that ``votes`` and ``rounds`` may be: each is paid for."""


@record(frozen=True, slots=True)
class AdvisorSettings:
    """The table ``[advisor]``."""

    enabled: bool = False
    """Whether source may be sent to the model. One origin that says false overrules all others."""
    model: str = "claude-sonnet-5-5"
    """The model, by the name that the endpoint knows."""
    base_url: str | None = None
    """The endpoint, such as a gateway's or ``http://localhost:8000``. None: the SDK's own choice,
    which is ``ANTHROPIC_BASE_URL`` or the public API."""
    budget_tokens: int = 500_000
    """The most tokens, in and out together, of one run or one editor session. 0: no limit."""
    timeout_s: float = 120.0
    """The longest that one answer may take, attempts and waits together."""
    connect_timeout_s: float = 5.0
    """The longest that connecting may take."""
    retries: int = 2
    """Further attempts after an answer that says to try again, or none."""
    concurrency: int = 4
    """Requests in flight at a time."""
    rounds: int = 2
    """How often suggestions are asked for: after each but the last round the model is told what the
    checks found."""
    votes: int = 1
    """How often a class is asked for; the majority counts."""
    protocol: Protocol = "evidence"
    """How a class is asked for: see ``docs/advisor.md``."""
    structure: Structure = "output"
    """How a reply is held to its schema: ``output`` by structured output, ``tool`` by a tool that
    the model must call, for endpoints that know no structured output."""
    effort: Effort | None = None
    """How much the model may think, None for its default."""
    max_output_tokens: int = 16_000
    """The most tokens of one reply, thinking included."""
    max_source_chars: int = 60_000
    """The most characters of source in one request; files that do not fit are named instead."""
    ask_below: float = 0.7
    """A class is asked for unasked where the static confidence is below this. 0: never."""
    trust: float = 0.64
    """The probability that the model's class is right, used where it is joined with the static
    one. 0.64 is the best of the models without profiling data in the HPDC 2025 study."""
    compile: bool = True
    """Whether suggested code is compiled where a compiler is found."""
    project_flags: bool = False
    """Whether they are compiled with the ``defines`` and ``include-dirs`` of a project's file."""
    test_command: str | None = None
    """A command that says by its exit status whether a copy of the file's folder with a suggested
    edit still works. It runs code that the model wrote."""
    test_timeout_s: float = 60.0
    """The longest that compiling, and the command, may take."""
    batch_from: int = 20
    """From so many requests on, ``--check --llm`` hands them in as one batch, at half the price."""
    cache_dir: Path | None = None
    """Where replies are kept. None: ``roofline-lsp`` in the user's folder for caches."""
    cache_mb: float = 200.0
    """The most that replies may take on disk, in 10^6 bytes."""
    cache_days: float = 30.0
    """How long a reply is used. 0: replies are not kept."""
