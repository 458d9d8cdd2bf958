#!/usr/bin/env bash
# Imports the example transcripts into an archive of its own and shows what vox can tell of it.
set -euo pipefail
cd "$(dirname "$0")/.."

VOX_HOME=$(mktemp -d)
export VOX_HOME
trap 'rm -rf "$VOX_HOME"' EXIT

show() {
  printf '\n$ %s\n' "$*"
  "$@"
}

say() {
  printf '\n%s\n' "$*"
}

show vox import claude-code --root tests/data/claude_code
show vox import codex --root tests/data/codex

say 'Windows (conversations), the latest of a while ago, with their sub-agents and branches:'
show vox ls --tree --until 2026-02-01 --count 8
say 'One of them, and one of its items in full:'
show vox show b5cc2934 --count 15
show vox cat b5cc2934@12

say 'Whatever was said, found again: words, filters, how many of what; the third hit where it stands:'
show vox search 'write file -kind:tool_result' --all --limit 5
show vox search '/[Ee]rror: \w+/ since:2020-01-01' --all --limit 3 --sort newest
show vox search 'file OR error' --all --facets
show vox search 'write file' --all -o 3
say 'A question instead of a query: references for a model, within a budget of its tokens:'
show vox search 'how do I create three simple files' --model gpt-5 --budget 800 --limit 5 --all

say 'Long output out of sight, first only counted, and a way back; a fork that shares all but what follows:'
show vox window trim b5cc2934 --kind tool_result
show vox window trim b5cc2934 --kind tool_result --yes
show vox window restore b5cc2934 --kind tool_result --yes
show vox window fork b5cc2934@12 --title 'Another way'
show vox window tag b5cc2934 demo
show vox ls --tag demo

say 'How many tokens it has: exact where a tokenizer is at hand, bounds and ratios for the rest:'
show vox tokens b5cc2934 --model gpt-5 --model claude-opus-5
show vox tokens README.md tools/demo.sh --model gpt-5
show vox tokens --learn

say 'What two models would be given of it, and why; what a small one is given, item by item:'
show vox context project b5cc2934 --model claude-opus-5 --model qwen3:8b --budget 3000 --count 5
show vox context show b5cc2934 --model qwen3:8b --budget 3000 --count 10 --html "$VOX_HOME/window.html"
show vox context show b5cc2934 --model qwen3:8b --budget 3000 --count 10

say 'It becomes what reaches the model, is changed by hand, and says whose each token is:'
show vox context route b5cc2934 qwen3:8b
show vox context commit b5cc2934 --budget 3000
show vox context drop b5cc2934@2
show vox context meter b5cc2934

say 'A session of your own agents, event by event, stands beside the imported ones:'
printf '%s\n' \
  '{"session": "demo", "event": "created", "kind": "task", "title": "Repair the build"}' \
  '{"session": "demo", "event": "turn_added", "role": "user", "items": [{"content": "It fails"}]}' \
  '{"session": "demo", "event": "compacted", "dropped": [{"content": "It fails"}], "summary": "A build failed"}' \
  > "$VOX_HOME/events.jsonl"
show vox session append "$VOX_HOME/events.jsonl"
show vox show vox-session:demo
show vox history add 'make all' --kind command
show vox archive refold

say 'A second import reads only what changed:'
show vox import claude-code --root tests/data/claude_code
show vox archive stats
show vox archive verify

say 'A copy while it is in use, and the archive written anew:'
show vox archive backup "$VOX_HOME/backup"
show vox ls --archive "$VOX_HOME/backup" --count 2
show vox archive compact

say 'The transcript that a window was read from, byte for byte:'
show vox export --raw b5cc2934 -o "$VOX_HOME/back.jsonl" --json

say 'All of it as lines of JSON, and an equal archive made of them:'
show vox export --jsonl -o "$VOX_HOME/all.jsonl"
show vox import --jsonl "$VOX_HOME/all.jsonl" --archive "$VOX_HOME/copy"
show vox archive verify --archive "$VOX_HOME/copy"

say 'What was trimmed goes for good only when you say so, and then no file holds its bytes:'
show vox window trim b5cc2934@14
show vox archive purge b5cc2934 --now
show vox archive purge b5cc2934 --now --erase --yes
show vox archive gc
show vox show b5cc2934 --trimmed only

say 'All that is readable of a damaged archive, as a new one; nothing was wrong with this one:'
show vox archive salvage "$VOX_HOME/backup" "$VOX_HOME/saved"
