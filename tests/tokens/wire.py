"""Recorded calls of providers (`tests/data/wire`), as requests of vox and the reported input."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vox.tokens.request import Message, Request, Text, Tool, ToolCall, ToolResult
from vox.tokens.request.shapes import Part

FOLDER = Path(__file__).parent.parent / "data" / "wire"


@dataclass(frozen=True)
class Recording:
    """What was sent, and what the provider counted."""

    name: str
    model: str
    dialect: str | None
    request: Request
    reported: int


def recordings() -> list[Recording]:
    """One call a file."""
    return [
        _recording(path.stem, json.loads(path.read_bytes()))
        for path in sorted(FOLDER.glob("*.json"))
    ]


def conversations() -> list[Recording]:
    """Conversations with SmolLM2 on llama.cpp's server, one call a line."""
    lines = (FOLDER / "llamacpp-conversations.jsonl").read_bytes().splitlines()
    return [_recording(f"conversation {i}", json.loads(line)) for i, line in enumerate(lines)]


def _recording(name: str, recorded: Mapping[str, Any]) -> Recording:
    url, body, usage = recorded["url"], recorded["request"], recorded["usage"]
    # What a cache gave or took is input too; OpenAI's and Google's numbers hold it already.
    reported = sum(usage.values())
    dialect = "openai-responses" if "openai.com" in url and "responses" in url else None
    if "contents" in body:
        request = _gemini(body)
    elif "input" in body:
        request = _responses(body)
    elif url.endswith("/messages"):
        request = _anthropic(body)
    else:
        request = _chat(body)
    return Recording(name, recorded["model"], dialect, request, reported)


def _chat(body: Mapping[str, Any]) -> Request:
    messages = []
    for message in body["messages"]:
        parts = list(_parts(message.get("content")))
        if message["role"] == "tool":
            parts = [ToolResult([part for part in parts if isinstance(part, Text)])]
        for call in message.get("tool_calls") or []:
            parts.append(ToolCall(call["function"]["name"], call["function"]["arguments"]))
        messages.append(Message(message["role"], parts))
    return Request(messages, tools=[_tool(tool["function"]) for tool in body.get("tools") or []])


def _responses(body: Mapping[str, Any]) -> Request:
    given = body["input"]
    turns = [{"role": "user", "content": given}] if isinstance(given, str) else given
    messages = [Message(turn["role"], list(_parts(turn["content"]))) for turn in turns]
    return Request(messages, system=body.get("instructions") or "")


def _anthropic(body: Mapping[str, Any]) -> Request:
    system = body.get("system", "")
    if not isinstance(system, str):
        system = "\n".join(block["text"] for block in system)
    messages = [Message(turn["role"], list(_parts(turn["content"]))) for turn in body["messages"]]
    return Request(messages, system, [_tool(tool) for tool in body.get("tools") or []])


def _gemini(body: Mapping[str, Any]) -> Request:
    messages = [
        Message(
            "assistant" if turn.get("role") == "model" else "user",
            [Text(part["text"]) for part in turn["parts"]],
        )
        for turn in body["contents"]
    ]
    instruction = body.get("systemInstruction") or {"parts": []}
    return Request(messages, system="".join(part["text"] for part in instruction["parts"]))


def _parts(content: Any) -> Iterator[Part]:
    if isinstance(content, str):
        yield Text(content)
        return
    for block in content or []:
        match block["type"]:
            case "text" | "input_text" | "output_text":
                yield Text(block["text"])
            case "tool_use":
                yield ToolCall(block["name"], json.dumps(block["input"]))
            case "tool_result":
                texts = [part for part in _parts(block["content"]) if isinstance(part, Text)]
                yield ToolResult(texts)
            case other:
                raise ValueError(f"a recording holds a block of type {other}")


def _tool(tool: Mapping[str, Any]) -> Tool:
    schema = tool.get("parameters") or tool.get("input_schema") or {}
    return Tool(tool["name"], tool.get("description", ""), schema)
