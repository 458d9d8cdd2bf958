"""What every provider asks of the order of messages, looked at one by one."""

from __future__ import annotations

from collections.abc import Sequence

from vox.tokens.request import Message, Text, ToolCall, ToolResult


def faults_of(messages: Sequence[Message]) -> list[str]:
    """What is wrong with messages; empty if nothing is."""
    faults = []
    roles = [message.role for message in messages]
    turns = roles[1:] if roles[:1] == ["system"] else roles
    if "system" in turns:
        faults.append("a system message that isn't the first")
    if turns and turns[0] != "user":
        faults.append(f"{turns[0]} begins")
    for number, message in enumerate(messages):
        before = messages[number - 1] if number else None
        if before is not None and before.role == message.role:
            faults.append(f"{number}: {message.role} after {message.role}")
        if not message.parts:
            faults.append(f"{number}: says nothing")
        if any(isinstance(part, Text) and not part.text.strip() for part in message.parts):
            faults.append(f"{number}: text of spaces")
        calls = [part.id for part in message.parts if isinstance(part, ToolCall)]
        answers = [part.id for part in message.parts if isinstance(part, ToolResult)]
        if calls and message.role != "assistant":
            faults.append(f"{number}: {message.role} calls a tool")
        if (message.role == "tool") != bool(answers) or len(answers) not in (0, len(message.parts)):
            faults.append(f"{number}: results and others in one message")
        asked = [p.id for p in before.parts if isinstance(p, ToolCall)] if before else []
        if asked != answers:
            faults.append(f"{number}: calls {asked} are answered by {answers}")
    if messages and any(isinstance(part, ToolCall) for part in messages[-1].parts):
        faults.append("the last calls aren't answered")
    return faults
