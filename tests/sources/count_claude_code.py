"""An independent count of Claude Code transcripts: plain Python over the raw lines.

Written without the adapter. Says how many records of each type a file holds, how many items of
each role and kind are expected, which lines are set aside, and how many tokens were reported. Run
with files as arguments, it prints the sums as JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

WHITE = b" \t\r\n"


def split(data: bytes) -> tuple[list[bytes], list[tuple[int, int]]]:
    """The JSON values of a file in order, and (offset, length) of lines that hold none.

    A value is a line; or several lines that are one value together, as an editor indents it; or
    one of several on a line.
    """
    values: list[bytes] = []
    aside: list[tuple[int, int]] = []
    at = 0
    while at < len(data):
        end = data.find(b"\n", at)
        end = len(data) if end < 0 else end
        line = data[at:end].strip(WHITE)
        if not line:
            at = end + 1
        elif whole(line):
            values.append(line)
            at = end + 1
        else:
            length = first_value(data, at)
            if length is None:
                aside.append((at, end - at))
                at = end + 1
            else:
                values.append(data[at : at + length].strip(WHITE))
                at += length
    return values, aside


def whole(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8", "surrogatepass"))
    except ValueError:
        return False
    return True


def first_value(data: bytes, at: int) -> int | None:
    rest = data[at:].decode("utf-8", "surrogatepass")
    lead = len(rest) - len(rest.lstrip())
    try:
        _, end = json.JSONDecoder().raw_decode(rest, lead)
    except ValueError:
        return None
    return len(rest[:end].encode("utf-8", "surrogatepass"))


class Count:
    """Counts of one file."""

    def __init__(self, data: bytes) -> None:
        self.types: Counter[str] = Counter()
        self.kinds: Counter[str] = Counter()
        """By `<role> <kind>`."""
        self.responses: dict[tuple[Any, ...], dict[str, int]] = {}
        """Tokens of each response, as its largest report says."""
        self._runs: dict[Any, list[Any]] = {}
        """Of each conversation in the file: the latest message id, its number, and whether it
        ended and was answered."""
        values, self.quarantined = split(data)
        self.rejected = 0
        for value in values:
            record = json.loads(value.decode("utf-8", "surrogatepass"))
            if not isinstance(record, dict):
                self.rejected += 1
            elif "loglines" in record and "type" not in record and record["loglines"]:
                for line in record["loglines"]:
                    self._record(line)
            else:
                self._record(record)

    def _record(self, record: dict[str, Any]) -> None:
        kind = record.get("type") or "untyped"
        if kind == "system" and record.get("subtype"):
            kind = "system/" + record["subtype"]
        self.types[kind] += 1
        items = items_of(record)
        self.kinds.update(items or ["system record"])
        self._tokens(record, items)

    def _tokens(self, record: dict[str, Any], items: list[str]) -> None:
        run = self._runs.setdefault(record.get("agentId") or record.get("isSidechain"), [None] * 4)
        message = record.get("message")
        if record.get("type") == "user":
            if any(item.startswith("tool ") for item in items):
                run[3] = run[2]
            else:
                run[0] = None
        if record.get("type") != "assistant" or not isinstance(message, dict):
            return
        if message.get("id") is None or run[0] != message["id"] or run[3]:
            run[:] = [message.get("id"), (run[1] or 0) + 1, False, False]
        run[2] = run[2] or message.get("stop_reason") is not None
        usage = message.get("usage")
        unanswered = record.get("isApiErrorMessage") or message.get("model") == "<synthetic>"
        if not usage or unanswered:
            return
        name = record.get("requestId") or (record.get("agentId"), record.get("isSidechain"), run[1])
        tokens = tokens_of(usage)
        known = self.responses.get((message.get("id"), name))
        size = (tokens["output"], tokens["input"])
        if known is None or size > (known["output"], known["input"]):
            self.responses[message.get("id"), name] = tokens

    @property
    def usage(self) -> Counter[str]:
        """Tokens of all responses."""
        return sum((Counter(tokens) for tokens in self.responses.values()), Counter())


def tokens_of(usage: dict[str, Any]) -> dict[str, int]:
    written = usage.get("cache_creation") or {}
    long = written.get("ephemeral_1h_input_tokens") or 0
    whole = usage.get("cache_creation_input_tokens") or 0
    return {
        "input": usage.get("input_tokens") or 0,
        "output": usage.get("output_tokens") or 0,
        "cache_read": usage.get("cache_read_input_tokens") or 0,
        "cache_write": max(whole - long, written.get("ephemeral_5m_input_tokens") or 0),
        "cache_write_1h": long,
    }


def items_of(record: dict[str, Any]) -> list[str]:
    """`<role> <kind>` of each item that a record holds."""
    match record:
        case {"type": "user", "message": {"content": content}}:
            summary = record.get("isCompactSummary") is True
            found = said("user", content, "summary" if summary else "message")
            images = sum(item.endswith(" attachment") for item in found)
            return found + ["tool record"] * (images and copied_images(record))
        case {"type": "assistant", "message": {"content": content}}:
            return said("assistant", content, "message")
        case {"type": "system", "content": str(text)} if text:
            return ["system message"]
        case {"type": "attachment", "attachment": {"type": "queued_command", "prompt": prompt}}:
            return said("user", prompt, "message") or ["system attachment"]
        case {"type": "attachment", "attachment": dict()}:
            return ["system attachment"]
    return []


def copied_images(record: dict[str, Any]) -> int:
    """Images in a tool's own result, which repeats those of the message."""
    match record.get("toolUseResult"):
        case {"file": {"base64": str()}}:
            return 1
        case list(blocks):
            sources = [b["source"] for b in blocks if isinstance(b, dict) and "source" in b]
            return sum(source.get("type") == "base64" for source in sources)
    return 0


def said(role: str, content: Any, kind: str) -> list[str]:
    if isinstance(content, str):
        return [f"{role} {kind}"] if content else []
    if not isinstance(content, list):
        return []
    items: list[str] = []
    for block in content:
        name = block.get("type") if isinstance(block, dict) else None
        if name == "tool_result" and isinstance(block.get("content"), list) and block["content"]:
            files = [inner.get("type") in ("image", "document") for inner in block["content"]]
            items += ["tool attachment" if file else "tool tool_result" for file in files]
        elif name and name.endswith("tool_result"):
            items.append("tool tool_result")
        elif name and name.endswith("tool_use"):
            items.append("assistant tool_call")
        elif name in ("thinking", "redacted_thinking"):
            items.append(f"{role} reasoning")
        elif name in ("image", "document"):
            items.append(f"{role} attachment")
        else:
            items.append(f"{role} {kind}")
    return items


def main(paths: list[str]) -> None:
    types: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    quarantined = 0
    for path in paths:
        count = Count(Path(path).read_bytes())
        types += count.types
        kinds += count.kinds
        quarantined += len(count.quarantined) + count.rejected
    sums = {"records": types, "items": kinds, "quarantined": quarantined}
    sys.stdout.write(json.dumps(sums, indent=2, sort_keys=True) + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
