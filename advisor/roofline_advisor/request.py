"""One question to the model: what exactly is sent, and the key that its reply is kept under."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from typing import Any

from roofline_advisor.schema import Schema, sent
from roofline_core.settings import AdvisorSettings

FORMAT = 1
"""Part of every key: grows when replies that are kept could not be read any more."""

TOOL = "answer"
"""The one tool, where the schema is held by a tool."""


def endpoint(settings: AdvisorSettings) -> str | None:
    """The endpoint in force: the settings', else the environment's; None for the public API."""
    profile = os.environ.get("ANTHROPIC_PROFILE")
    return (
        settings.base_url
        or os.environ.get("ANTHROPIC_BASE_URL")
        or (f"the endpoint of the profile '{profile}'" if profile else None)
    )


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of the conversation."""

    role: str
    """``user`` or ``assistant``."""
    text: str


@dataclass(frozen=True, slots=True)
class Request:
    """A question. Two that are equal have the same answer, but for ``sample``."""

    model: str
    system: str
    """What is the same for every kernel; the endpoint is asked to keep it ready."""
    turns: tuple[Turn, ...]
    schema: Schema
    max_tokens: int
    structure: str
    effort: str | None = None
    endpoint: str | None = None
    """The endpoint in force, see ``endpoint``; None for the public API."""
    sample: int = 0
    """Tells votes apart, which ask the same several times. It is not sent."""
    continues: bool = False
    """Whether another round may follow, so that the endpoint keeps the conversation ready too."""

    @classmethod
    def of(
        cls,
        settings: AdvisorSettings,
        system: str,
        turns: tuple[Turn, ...],
        schema: Schema,
        sample: int = 0,
        *,
        continues: bool = False,
    ) -> Request:
        """A question as the settings want it asked."""
        return cls(
            settings.model,
            system,
            turns,
            schema,
            settings.max_output_tokens,
            settings.structure,
            settings.effort,
            endpoint(settings),
            sample,
            continues,
        )

    def parameters(self) -> dict[str, Any]:
        """The body of the request, as the SDK takes it and the endpoint gets it."""
        keep = {"type": "ephemeral"}
        turns = [{"role": turn.role, "content": _blocks(turn.text)} for turn in self.turns]
        if self.continues:
            turns[-1]["content"] = _blocks(self.turns[-1].text, cache_control=keep)
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": self.max_tokens,
            "system": _blocks(self.system, cache_control=keep),
            "messages": turns,
        }
        schema = sent(self.schema)
        output: dict[str, Any] = {} if self.effort is None else {"effort": self.effort}
        if self.structure == "tool":
            body["tools"] = [
                {
                    "name": TOOL,
                    "description": "Gives the answer. Call it once.",
                    "input_schema": schema,
                    "strict": True,
                }
            ]
            body["tool_choice"] = {"type": "tool", "name": TOOL}
        else:
            output["format"] = {"type": "json_schema", "schema": schema}
        return {**body, "output_config": output} if output else body

    def texts(self) -> tuple[str, ...]:
        """Every text of the conversation."""
        return (self.system, *(turn.text for turn in self.turns))

    def key(self) -> str:
        """A hash of everything that decides the reply; nothing can be read from it."""
        whole = [FORMAT, self.endpoint, self.sample, self.schema, self.parameters()]
        text = json.dumps(whole, sort_keys=True, ensure_ascii=True)
        return hashlib.sha256(text.encode()).hexdigest()

    def shown(self) -> str:
        """What is sent, for people: every text in full, then the other parameters."""
        body = self.parameters()
        del body["system"], body["messages"]
        parts = [_heading("system"), self.system]
        for turn in self.turns:
            parts += [_heading(turn.role), turn.text]
        parts += [_heading("parameters"), json.dumps(body, indent=2, ensure_ascii=False)]
        return "\n".join(parts) + "\n"


def _blocks(text: str, **more: Any) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text, **more}]


def _heading(what: str) -> str:
    return f"-------- {what} --------"
