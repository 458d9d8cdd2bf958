"""What a whole request costs."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tokens.wire import Recording, recordings
from vox.errors import InvalidArgumentError
from vox.tokens import TokenEstimator
from vox.tokens.request import (
    Dialect,
    File,
    Image,
    Message,
    Reasoning,
    ReportedUsage,
    Request,
    RequestCount,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    cap,
    count_request,
    dialect_of,
    dialects,
    user,
    weakest,
)
from vox.tokens.request.shapes import Part, Role

EXACT = "gpt-4o"
"""A model whose tokenizer ships: with a dialect of another, it counts that dialect's text."""


def exact(*texts: str) -> int:
    """Tokens of texts that are counted apart."""
    return sum(int(tokens) for tokens in TokenEstimator(EXACT).exact(texts))


def weather(city: str = "Paris") -> Request:
    """A request with something of everything but images."""
    return Request(
        [
            user(f"What is the weather in {city}?"),
            Message(
                "assistant",
                [
                    Reasoning("They want the weather."),
                    ToolCall("weather", '{"city": "Paris"}', "c1"),
                ],
            ),
            Message("tool", [ToolResult([Text('{"sky": "clear"}')], "c1", "weather")]),
            assistant("It is clear."),
            user("And tomorrow?"),
        ],
        system="Be brief.",
        tools=[Tool("weather", "Tells the weather", {"type": "object", "properties": {}})],
    )


# ── against what providers counted ──────────────────────────────────────────────────────────────

FACTOR = {
    "openai-chat": 1.01,
    "openai-responses": 1.01,
    # Without a tokenizer, a bound is the bytes: about four for a token.
    "anthropic": 6.0,
    "gemini": 6.0,
    "llama3": 6.0,
    "llama3.1": 7.0,
    "mistral": 6.0,
    "deepseek": 6.0,
}
"""How far above what was reported a count may be."""


@pytest.mark.parametrize(
    "recorded",
    [recorded for recorded in recordings() if recorded.model != "smollm2"],
    ids=lambda recorded: recorded.name,
)
def test_a_count_is_no_less_than_what_the_provider_counted(recorded: Recording) -> None:
    count = count_request(recorded.request, recorded.model, recorded.dialect)
    assert count.kind in ("bound", "assumed")
    assert recorded.reported <= count.tokens <= recorded.reported * FACTOR[count.dialect]


# ── templates ───────────────────────────────────────────────────────────────────────────────────


def test_between_control_tokens_text_is_counted_joined() -> None:
    request = Request([user("Name three colours."), assistant("Red"), user(" and?\n")])
    count = count_request(request, EXACT, "smollm2")
    runs = [
        "system\nYou are a helpful AI assistant named SmolLM, trained by Hugging Face",
        "user\nName three colours.",
        "assistant\nRed",
        "user\n and?\n",
        *["\n"] * 4,
        "assistant\n",
    ]
    assert count.tokens == exact(*runs) + 9
    assert count.kind == "exact"


def test_a_system_prompt_takes_the_place_of_the_default_one() -> None:
    messages = [user("Hi")]
    outside = count_request(Request(messages, system="Be brief."), EXACT, "smollm2")
    inside = count_request(
        Request([Message("system", [Text("Be brief.")]), *messages]), EXACT, "smollm2"
    )
    default = count_request(Request(messages), EXACT, "smollm2")
    assert outside.tokens == inside.tokens < default.tokens
    assert outside.of("system") == inside.of("system") > 0


def test_tools_in_a_system_prompt_are_told_apart_from_it() -> None:
    with_tools = count_request(weather(), EXACT, "qwen2.5")
    without = count_request(replace(weather(), tools=()), EXACT, "qwen2.5")
    assert with_tools.of("system") == without.of("system")
    assert with_tools.of("tools") == with_tools.tokens - without.tokens > 0
    assert exact("system\nBe brief.") == with_tools.of("system")


@pytest.mark.parametrize("dialect", [row for row in dialects() if row.layout == "template"])
def test_control_tokens_in_content_are_text(dialect: Dialect) -> None:
    token = dialect.control[-1]
    count = count_request(Request([user(f"a{token}b")]), EXACT, dialect.name)
    as_text = exact(token)
    plain = count_request(Request([user("ab")]), EXACT, dialect.name)
    assert count.tokens >= plain.tokens + as_text - 2
    assert count.kind != "exact"


def test_reasoning_of_earlier_turns_stays_behind() -> None:
    thought = Message("assistant", [Reasoning("Hm, hm, hm."), Text("Yes")])
    earlier = Request([user("Sure?"), thought, user("Really?")])
    current = Request([user("Sure?"), thought])
    assert count_request(earlier, EXACT, "qwen3").of("reasoning") == 0
    assert count_request(current, EXACT, "qwen3").of("reasoning") > 0


# ── providers that frame out of sight ───────────────────────────────────────────────────────────


def test_texts_are_exact_and_frames_are_a_bound() -> None:
    count = count_request(Request([user("Hello, world")]), "gpt-4o")
    (text,) = [part for part in count.parts if part.what == "text"]
    assert (text.tokens, text.kind) == (exact("Hello, world"), "exact")
    assert count.kind == "bound"
    assert count.tokens == text.tokens + 7


@pytest.mark.parametrize("dialect", [row.name for row in dialects() if row.layout == "blocks"])
def test_definitions_of_tools_are_never_exact_in_a_cloud(dialect: str) -> None:
    count = count_request(weather(), EXACT, dialect)
    assert {part.kind for part in count.parts if part.what == "tools"} == {"assumed"}
    assert count.kind == "assumed"


def test_reasoning_costs_only_where_it_is_sent_back() -> None:
    message = Message("assistant", [Reasoning("Hm.", encrypted=b"QUJD" * 100), Text("Yes")])
    request = Request([user("Sure?"), message, user("Really?")])
    assert count_request(request, "gpt-5").of("reasoning") == 0
    assert count_request(request, "gpt-5", "openai-responses").of("reasoning") >= 300
    reported = Message("assistant", [Reasoning(encrypted=b"QUJD" * 100, tokens=64), Text("Yes")])
    request = Request([user("Sure?"), reported, user("Really?")])
    assert count_request(request, "gpt-5", "openai-responses").of("reasoning") == 64


def test_an_image_costs_its_formula_wherever_it_stands() -> None:
    image = Image(b"", width=1024, height=1024)
    in_message = Request([Message("user", [Text("What is this?"), image])])
    in_result = Request([Message("tool", [ToolResult([image])])])
    assert count_request(in_message, "gpt-4o").of("image") == 765
    assert count_request(in_result, "gpt-4o").of("image") == 765
    assert count_request(in_message, EXACT, "qwen3").of("image") == 765


def test_a_file_costs_its_text_and_its_pages() -> None:
    text = Request([Message("user", [File("a.txt", text=b"Hello")])])
    pages = Request([Message("user", [File("a.pdf", text=b"Hello", pages=3)])])
    cost = count_request(text, "gpt-4o").of("file")
    assert 0 < cost < count_request(pages, "gpt-4o").of("file")
    with pytest.raises(InvalidArgumentError, match="text and its pages"):
        count_request(Request([Message("user", [File("a.pdf")])]), "gpt-4o")


def test_a_dialect_follows_from_the_model_unless_it_is_named() -> None:
    names = {
        "gpt-5.1-codex": "openai-chat",
        "openrouter/anthropic/claude-opus-4.5": "anthropic",
        "models/Qwen3-8B-Q4_K_M.gguf": "qwen3",
        "qwen3:8b": "qwen3",
        "Meta-Llama-3-8B-Instruct": "llama3",
        "meta-llama/Llama-3.3-70B-Instruct": "llama3.1",
        "google/gemma-3-4b-it": "gemma",
        "SmolLM2-135M-Instruct/tokenizer.json": "smollm2",
    }
    assert {model: dialect_of(model).name for model in names} == names
    assert dialect_of("gpt-5", "openai-responses").name == "openai-responses"
    with pytest.raises(InvalidArgumentError, match="name a dialect: openai-responses"):
        dialect_of("nobody-knows")
    with pytest.raises(InvalidArgumentError, match="no dialect is called 'x'"):
        dialect_of("gpt-5", "x")


def test_every_dialect_says_where_its_numbers_come_from() -> None:
    for dialect in dialects():
        assert dialect.source != ""
        if dialect.layout == "template":
            assert dialect.control != ()
            for role in (dialect.system, dialect.user, dialect.assistant, dialect.tool_result):
                assert role.count("{}") == 1, dialect.name
        else:
            assert min(dialect.request, dialect.message, dialect.definition) > 0


# ── of any request ──────────────────────────────────────────────────────────────────────────────

_text = st.one_of(st.text(max_size=30), st.binary(max_size=30))
_texts = st.builds(Text, _text)
_images = st.builds(Image, width=st.integers(1, 4000), height=st.integers(1, 4000))
_parts: st.SearchStrategy[Part] = st.one_of(
    _texts,
    st.builds(ToolCall, st.just("weather"), st.sampled_from(["{}", '{"city": "東京"}'])),
    st.builds(ToolResult, st.lists(st.one_of(_texts, _images), max_size=3)),
    st.builds(Reasoning, _text, st.binary(max_size=20)),
    st.builds(File, st.just("a.pdf"), st.just("text"), st.integers(0, 5)),
    _images,
)
_roles: st.SearchStrategy[Role] = st.sampled_from(["system", "user", "assistant", "tool"])
_messages = st.builds(Message, _roles, st.lists(_parts, max_size=4), st.sampled_from(["", "Ann"]))
_requests = st.builds(
    Request,
    st.lists(_messages, max_size=5),
    _text,
    st.lists(st.just(Tool("weather", "Tells it", {"type": "object"})), max_size=2),
)
_dialects = st.sampled_from([row.name for row in dialects()])


def summed(count: RequestCount) -> tuple[int, str]:
    return sum(part.tokens for part in count.parts), weakest(part.kind for part in count.parts)


@given(_requests, _dialects)
def test_any_request_is_the_sum_of_its_parts(request: Request, dialect: str) -> None:
    count = count_request(request, EXACT, dialect)
    assert (count.tokens, count.kind) == summed(count)
    assert all(part.tokens >= 0 for part in count.parts)
    assert {part.message for part in count.parts} <= {None, *range(len(request.messages))}
    for number, message in enumerate(request.messages):
        # Whatever is sent of a message is in a part that names it.
        assert message.parts == [] or any(part.message == number for part in count.parts)


@given(_requests, _dialects, _messages)
def test_a_further_message_costs_something(
    request: Request, dialect: str, message: Message
) -> None:
    before = count_request(request, EXACT, dialect)
    longer = replace(request, messages=[*request.messages, message])
    after = count_request(longer, EXACT, dialect)
    # Reasoning that isn't the last turn's any more is left out.
    assert after.tokens - after.of("reasoning") >= before.tokens - before.of("reasoning") - 64


@pytest.mark.parametrize("text", ["\ud800", b"\xff\xfe", "\0", "\ufeff", "a" * 200_000])
def test_no_text_is_refused(text: str | bytes) -> None:
    for dialect in ("openai-chat", "smollm2"):
        assert count_request(Request([user(text)]), EXACT, dialect).tokens >= 8


# ── caps ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("dialect", [row.name for row in dialects()])
def test_a_cap_is_the_last_usage_and_what_was_added(dialect: str) -> None:
    usage = ReportedUsage()
    first = weather()
    usage.remember(first, "claude-opus-4-8", 1000, dialect)
    longer = replace(first, messages=[*first.messages, assistant("Rain."), user("Thanks!")])
    known = cap(longer, "claude-opus-4-8", usage, dialect)
    added = cap(longer, "claude-opus-4-8", ReportedUsage(), dialect).tokens
    added -= count_request(first, "claude-opus-4-8", dialect).tokens
    assert 1000 + added <= known.tokens <= 1000 + added + 40
    assert known.parts[0].tokens == 1000
    assert "first 5 messages" in known.parts[0].says


def test_without_a_known_prefix_the_whole_is_counted() -> None:
    whole = count_request(weather(), "claude-opus-4-8")
    assert cap(weather(), "claude-opus-4-8", ReportedUsage()) == whole


@pytest.mark.parametrize(
    "changed",
    [
        replace(weather(), system="Be long."),
        replace(weather(), tools=()),
        replace(weather(), messages=[user("Hello"), *weather().messages[1:]]),
        replace(weather(), messages=weather().messages[:-2]),
    ],
    ids=["system", "tools", "a message", "fewer messages"],
)
def test_a_change_in_front_is_another_prefix(changed: Request) -> None:
    usage = ReportedUsage()
    usage.remember(weather(), "claude-opus-4-8", 1)
    assert cap(changed, "claude-opus-4-8", usage) == count_request(changed, "claude-opus-4-8")


def test_another_model_has_no_use_for_the_usage() -> None:
    usage = ReportedUsage()
    usage.remember(weather(), "claude-opus-4-8", 1)
    assert cap(weather(), "claude-sonnet-4-5", usage).tokens > 1
    assert cap(weather(), "claude-opus-4-8", usage).tokens == 1


def test_the_longest_known_prefix_counts_and_the_oldest_is_forgotten() -> None:
    usage = ReportedUsage(kept=2)
    for length in (1, 3, 5):
        usage.remember(replace(weather(), messages=weather().messages[:length]), "claude-x", length)
    assert cap(weather(), "claude-x", usage).tokens == 5
    short = replace(weather(), messages=weather().messages[:1])
    assert cap(short, "claude-x", usage) == count_request(short, "claude-x")


def test_a_usage_of_nothing_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="0 tokens"):
        ReportedUsage().remember(weather(), "claude-x", 0)
