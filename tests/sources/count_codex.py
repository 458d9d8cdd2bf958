"""An independent count of Codex rollouts: plain Python over the raw lines, without the adapter.

Says how many records of each type a file holds, how many items of each kind are expected, and how
many tokens were reported.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

CALLS = {
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "web_search_call",
    "tool_search_call",
    "tool_call",
}
OUTPUTS = {
    "function_call_output": "output",
    "custom_tool_call_output": "output",
    "tool_search_output": "tools",
    "tool_result": "result",
}
COMPACTIONS = {"compaction", "compaction_summary", "context_compaction"}


class Count:
    """Counts of one file."""

    def __init__(self, data: bytes) -> None:
        self.types: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        self.side = 0
        self.usage: Counter[str] = Counter()
        """Tokens of all responses, by how they are told apart."""
        self._totals: dict[str, int] | None = None
        self._recorded = False
        self._seen_meta = False
        self._seen_message = False
        self._early: list[str] = []
        for line in data.split(b"\n"):
            if line.strip():
                self._line(json.loads(line.decode("utf-8", "surrogatepass")))

    def _line(self, record: dict[str, Any]) -> None:
        outer, payload = record.get("type"), record.get("payload")
        self._tokens(outer, payload if isinstance(payload, dict) else record)
        inner = payload.get("type") if isinstance(payload, dict) else None
        self.types["/".join(name for name in (outer, inner) if name) or "untyped"] += 1
        if not isinstance(payload, dict):
            bare_meta = outer is None and "id" in record and "role" not in record
            self._meta(record) if bare_meta else self._item(record)
        elif outer in ("response_item", "request_item"):
            self._item(payload)
        elif outer == "session_meta":
            self._meta(payload)
        elif outer == "event_msg":
            self._event(payload)
        elif outer == "compacted":
            self._compacted(payload)
        else:
            self._record()

    def _tokens(self, outer: str | None, payload: dict[str, Any]) -> None:
        """Every response once: a count that repeats the totals repeats a response."""
        if outer == "token_usage_record":
            self._add(payload["usage"])
            self._recorded = True
        elif payload.get("type") == "token_count" and outer == "event_msg":
            info = payload.get("info") or {}
            total, last = info.get("total_token_usage"), info.get("last_token_usage")
            if (total is None or total != self._totals) and not self._recorded:
                before = self._totals or {}
                total_rise = {name: n - before.get(name, 0) for name, n in (total or {}).items()}
                self._add(last or total_rise)
            self._recorded = False
            self._totals = total or self._totals
        elif payload.get("type") in ("token_count", "turn.completed"):
            self._add(payload.get("usage") or payload)

    def _add(self, usage: dict[str, Any]) -> None:
        read = usage.get("cached_input_tokens") or 0
        written = usage.get("cache_write_input_tokens") or 0
        self.usage["input"] += (usage.get("input_tokens") or 0) - read - written
        self.usage["cache_read"] += read
        self.usage["cache_write"] += written
        self.usage["output"] += usage.get("output_tokens") or 0
        self.usage["reasoning"] += usage.get("reasoning_output_tokens") or 0

    def _record(self) -> None:
        self.kinds["record"] += 1
        self.side += 1

    def _meta(self, meta: dict[str, Any]) -> None:
        base = meta.get("base_instructions")
        text = base.get("text") if isinstance(base, dict) else base
        has_text = isinstance(text, str) or isinstance(meta.get("instructions"), str)
        if has_text and not self._seen_meta:
            self.kinds["message"] += 1
        else:
            self._record()
        self._seen_meta = True

    def _item(self, item: dict[str, Any]) -> None:
        found = kinds_of(item)
        if found["message"]:
            self._seen_message = True
            texts = [part.get("text") for part in parts_of(item.get("content"))]
            again = [text for text in texts if text in self._early]
            if again:
                self._early.remove(again[0])
                self._record()
                return
        self.kinds += found
        self.side += found["record"]

    def _event(self, event: dict[str, Any]) -> None:
        text = event.get("text") if "reasoning" in event["type"] else event.get("message")
        said = event["type"] in ("user_message", "agent_message", "agent_reasoning")
        if said and isinstance(text, str) and not self._seen_message:
            self.kinds["reasoning" if "reasoning" in event["type"] else "message"] += 1
            self._early.append(text)
        elif event["type"] == "image_generation_end" and isinstance(event.get("result"), str):
            self.kinds["attachment"] += 1
            self.side += 1
        else:
            self._record()

    def _compacted(self, payload: dict[str, Any]) -> None:
        history = payload.get("replacement_history") or []
        for item in history:
            found = kinds_of(item)
            self.kinds += found
            self.side += found["record"]
        message = payload.get("message")
        if message:
            self.kinds["summary"] += 1
            texts = [part.get("text") for item in history for part in parts_of(item.get("content"))]
            if message in texts:
                self.kinds["message"] -= 1
        elif not history:
            self._record()


def parts_of(content: Any) -> list[dict[str, Any]]:
    """The blocks of a content value; a string is one block of text."""
    if isinstance(content, str):
        return [{"text": content}]
    if isinstance(content, dict):
        return [content]
    return [part for part in content or [] if isinstance(part, dict)]


def kinds_of(item: dict[str, Any]) -> Counter[str]:
    """How many items of each kind one response item is."""
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind in ("message", "agent_message", "reasoning"):
        fields = ("summary", "content") if kind == "reasoning" else ("content",)
        parts = [part for field in fields for part in parts_of(item.get(field))]
        found = Counter(
            {
                "reasoning" if kind == "reasoning" else "message": texts_in(parts),
                "attachment": images_in(parts),
            }
        )
        return +found or Counter(record=1)
    if kind in CALLS:
        return Counter(tool_call=1)
    if kind in OUTPUTS:
        parts = [] if kind == "tool_search_output" else parts_of(item.get(OUTPUTS[kind]))
        found = Counter(tool_result=texts_in(parts), attachment=images_in(parts))
        return +found or Counter(tool_result=1)
    if kind == "image_generation_call":
        prompt = isinstance(item.get("revised_prompt"), str)
        return Counter(tool_call=int(prompt), attachment=int(isinstance(item.get("result"), str)))
    if kind in COMPACTIONS:
        return Counter(summary=1)
    return Counter(record=1)


def texts_in(parts: list[dict[str, Any]]) -> int:
    return sum(isinstance(part.get("text"), str) for part in parts)


def images_in(parts: list[dict[str, Any]]) -> int:
    return sum(isinstance(part.get("image_url"), str) for part in parts)
