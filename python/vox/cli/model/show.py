"""`vox model show`: what is known of one model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from vox.cli import people
from vox.cli.options import Text, json_option
from vox.cli.output import Column, answer, table

if TYPE_CHECKING:
    from vox.context import ContextBudget
    from vox.models import ModelProfile


@click.command()
@click.argument("name", type=Text())
@json_option
def show(name: str, as_json: bool) -> None:
    """What is known of the model NAME, or of the one in the file NAME, and what its window leaves.

    NAME is what a provider, a route or Ollama calls it: claude-opus-4-7,
    openrouter/openai/gpt-5, qwen3:8b, model.gguf.
    """
    from vox.context import ContextBudget
    from vox.models import profile

    found = profile(name)
    budget = ContextBudget.of(found)
    if as_json:
        answer("vox.model.show.v1", {"model": found, "counted": found.counts_by, "budget": budget})
        return
    table(
        [Column("what", style="cyan"), Column("is", flexible=True, wraps=True)],
        [(what, says) for what, says in _lines(found, budget) if says],
    )


def _lines(model: ModelProfile, budget: ContextBudget) -> list[tuple[str, str]]:
    return [
        ("model", model.model_id),
        ("inherits", _inherited(model)),
        ("window", people.number(model.max_context_tokens, "token")),
        ("answer", _tokens(model.max_output_tokens)),
        ("request", _tokens(model.max_input_tokens)),
        ("held back", budget.reserve_says),
        ("usable", people.number(budget.usable, "token")),
        ("planned anew", f"at {people.number(budget.compact_at, 'token')}"),
        ("counted", model.counts_by),
        ("can", ", ".join(_abilities(model)) or "only texts"),
        ("caching", _caching(model)),
        ("runs", "on this machine" if model.locality == "local" else "at a provider"),
        ("prices", _prices(model)),
        ("source", f"{model.source}, {model.as_of}"),
    ]


def _tokens(count: int | None) -> str:
    return "" if count is None else f"at most {people.number(count, 'token')}"


def _inherited(model: ModelProfile) -> str:
    if model.inherited_from is None:
        return ""
    return f"{', '.join(model.inherited)}: from {model.inherited_from}"


def _abilities(model: ModelProfile) -> list[str]:
    able = {
        "calls tools": model.tool_capable,
        "thinks first": model.reasoning_tier != "none",
        "sees images": model.sees_images,
    }
    return [ability for ability, does in able.items() if does]


def _caching(model: ModelProfile) -> str:
    if model.caching is None:
        return "not known"
    if not model.caching.supported:
        return "no"
    least = model.caching.min_prefix_tokens
    return "yes" if least is None else f"yes, from {people.number(least, 'token')} on"


def _prices(model: ModelProfile) -> str:
    if model.prices is None:
        return ""
    named = {
        "in": model.prices.input,
        "out": model.prices.output,
        "read from the cache": model.prices.cache_read,
        "written to it": model.prices.cache_write,
    }
    known = [f"${price:g} {name}" for name, price in named.items() if price is not None]
    return f"{', '.join(known)}, for a million tokens"
