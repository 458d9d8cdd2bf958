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

show vox import claude-code --root tests/data/claude_code
show vox import codex --root tests/data/codex
show vox ls --count 12

# The window with the most items that are part of the conversation.
window=$(vox ls --jsonl --count 10000 | python -c '
import json, sys
print(max(map(json.loads, sys.stdin), key=lambda window: window["items"])["id"])')
show vox show "${window:0:8}" --count 15
item=$(vox show "$window" --jsonl --role assistant --kind message --count 1 | python -c '
import json, sys
print(json.loads(sys.stdin.readline())["item"])')
show vox cat "$item"

printf '\nA second import reads only what changed:\n'
show vox import claude-code --root tests/data/claude_code
show vox archive stats
show vox archive verify
