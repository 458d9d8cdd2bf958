"""How the page of a projection looks, in the light and in the dark."""

from __future__ import annotations

STYLE = """
:root { --page: #fff; --ink: #1d2228; --faint: #5c6570; --line: #d9dee4;
  --included: #2f8f4e; --summarized: #d59a12; --on_demand: #2386b8; --dropped: #c3c9d1;
  --conversation: #4a6fd0; --tool_results: #a05cc0; --system: #c25b57; --tools: #b07c30;
  --framing: #6b7480; --free: #e9ecf0; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171b; --ink: #e2e6ea; --faint: #96a0ab; --line: #2d343c;
    --included: #4fb870; --summarized: #e0b040; --on_demand: #4aa8d8; --dropped: #454d57;
    --conversation: #7f9cea; --tool_results: #c08ada; --system: #de827e; --tools: #d0a060;
    --framing: #96a0ab; --free: #262c33; } }
body { background: var(--page); color: var(--ink); margin: 2rem auto; max-width: 76rem;
  padding: 0 1rem; font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.6rem 0 .5rem; }
p, li { color: var(--faint); }
.bar { display: flex; height: 1.25rem; border-radius: .2rem; overflow: hidden; }
.bar i { display: block; min-width: 1px; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; list-style: none; padding: 0;
  margin: .4rem 0; }
.legend i, td > i { display: inline-block; width: .7rem; height: .7rem; border-radius: .15rem;
  margin-right: .4rem; }
.squares { display: flex; flex-wrap: wrap; gap: 2px; margin-bottom: 1rem; }
.squares a { width: .7rem; height: .7rem; border-radius: .15rem; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .2rem .8rem .2rem 0; }
tr { border-bottom: 1px solid var(--line); }
.bars tr { border: 0; }
.bars th, .bars .number { width: 1%; white-space: nowrap; font-weight: normal; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.begins { font: 12px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; color: var(--faint); }
:target { background: var(--free); }
.included { background: var(--included); } .summarized { background: var(--summarized); }
.on_demand { background: var(--on_demand); } .dropped { background: var(--dropped); }
.conversation { background: var(--conversation); } .system:not(td) { background: var(--system); }
.tool_results { background: var(--tool_results); } .tools { background: var(--tools); }
.framing { background: var(--framing); } .free { background: var(--free); }
td.user { color: var(--included); } td.assistant { color: var(--conversation); }
td.tool { color: var(--tool_results); } td.system { color: var(--system); }
"""
