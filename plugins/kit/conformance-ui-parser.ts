import { createContext, runInContext } from "node:vm";
import { asList, asObject } from "./json.ts";

const kinds = [
  "assistant",
  "thinking",
  "user",
  "tool_call",
  "tool_result",
  "init",
  "result",
  "stderr",
  "system",
  "stdout",
  "diff",
  "provider_activity",
  "workspace_change",
  "workspace_file_reference",
];

const hostileLines = [
  "",
  "plain",
  "{",
  "[]",
  "null",
  "7",
  '{"type":null}',
  '{"type":{"a":[1]}}',
  '{"type":"assistant","message":{"content":[null,7,{"type":"text","text":{}}]}}',
  '{"type":"item.completed","item":{"type":"command_execution","command":{},"aggregated_output":7}}',
  '{"type":"tool_use","part":{"state":null,"tool":[]}}',
  '{"__proto__":{"kind":"result"},"constructor":{"prototype":{}}}',
  "\u0000\u2028",
  "\ud800",
  "x".repeat(100_000),
  `${"[".repeat(5_000)}${"]".repeat(5_000)}`,
];

const at = "2026-01-01T00:00:00.000Z";

/** Returns a sentence about a problem of the parser, or null. Runs it as the service does: with the language alone. */
export const uiParserProblem = (text: string): string | null => {
  if (/\brequire\s*\(|^[ \t]*import\b|\bimport\s*\(/m.test(text)) return "it imports";
  const realm = createContext({ lines: hostileLines, at, said: null });
  runInContext(
    `(function (exports, module) { "use strict"; ${text}\n
      globalThis.made = module.exports;
    })(...(({ exports }) => [exports, { exports }])({ exports: {} }))`,
    realm,
    { timeout: 5_000 },
  );
  const answer = runInContext(
    `const { parseStdoutLine, createStdoutParser } = made;
    const parser = typeof createStdoutParser === "function" ? createStdoutParser() : null;
    const parse = parser ? (line, ts) => parser.parseLine(line, ts) : parseStdoutLine;
    typeof parse !== "function" ? null : JSON.stringify(lines.map((line) => {
      try { return JSON.parse(JSON.stringify(parse(line, at))); } catch (error) { return "it throws " + error + " at " + JSON.stringify(line).slice(0, 60); }
    }))`,
    realm,
    { timeout: 5_000 },
  );
  if (typeof answer !== "string") return "it exports neither parseStdoutLine nor createStdoutParser";
  for (const entries of JSON.parse(answer) as unknown[]) {
    if (typeof entries === "string") return entries;
    if (!Array.isArray(entries)) return "a line gave no list of entries";
    for (const entry of asList(entries).map(asObject)) {
      if (!kinds.includes(String(entry?.kind))) return `an entry has kind ${JSON.stringify(entry?.kind)}`;
      if (entry?.ts !== at) return "an entry has not the ts of its line";
    }
  }
  return null;
};
