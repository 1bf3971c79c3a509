import { describe, expect, it } from "vitest";
import { lastSentence } from "../../hosts/web/nouns/runs/last-sentence.ts";
import { editsOf, filesOf, stepsOf } from "../../hosts/web/screens/run/steps.ts";

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, "0")}.000Z`;
const call = (id: string, second: number, name: string, input: unknown) =>
  ({ kind: "tool_call", ts: at(second), name, input, toolUseId: id }) as const;
const result = (id: string, second: number, isError = false) =>
  ({ kind: "tool_result", ts: at(second), toolUseId: id, content: "x", isError }) as const;

describe("The result of a run", () => {
  it.each([
    ["I read the plan. The hook is replaced.", "The hook is replaced."],
    [
      "Done:\n\n- measured the hook\n- **ordered** the `forging` from [Lübeck](https://luebeck.example)\n",
      "ordered the forging from Lübeck",
    ],
    [
      "The hook of crane 4 holds\nits load again.\n\n```sh\nnpm test\n```\n",
      "The hook of crane 4 holds its load again.",
    ],
    ["Version 2.1 is out. See it?! \n\n---\n", "See it?!"],
    ["", ""],
    ["```\nonly code\n```", ""],
  ])("is the last sentence of what its agent wrote: %j", (text, sentence) => {
    expect(lastSentence(text)).toBe(sentence);
  });
});

describe("The rows of a transcript", () => {
  it("hold a call with its result and its time, also where another call stands between", () => {
    const steps = stepsOf(
      [call("a", 1, "Read", {}), call("b", 2, "Read", {}), result("a", 4), result("b", 9), result("c", 9)],
      -7,
    );
    expect(steps.map(({ key, result: came, tookMs }) => [key, came?.toolUseId, tookMs])).toEqual([
      [-7, "a", 3_000],
      [-6, "b", 7_000],
      [-3, undefined, null],
    ]);
  });

  it("tell the use of a message once, though each of its blocks repeats it", () => {
    const assistant = (messageId: string, outputTokens: number) =>
      ({
        kind: "assistant",
        ts: at(1),
        text: "x",
        messageId,
        usage: { inputTokens: 5, outputTokens },
      }) as const;
    const steps = stepsOf([assistant("m1", 1), assistant("m1", 9), assistant("m2", 3)], 0);
    expect(steps.map(({ usage }) => usage?.outputTokens)).toEqual([undefined, 9, 3]);
  });

  it("hold replacements in files as each program names them, unless they are too long to compare", () => {
    const edits = (input: unknown) => editsOf(call("a", 1, "edit", input));
    expect(edits({ file_path: "f", old_string: "1", new_string: "2" })).toEqual([
      { path: "f", before: "1", after: "2" },
    ]);
    expect(edits({ filePath: "f", oldString: "1", newString: "2" })).toHaveLength(1);
    expect(edits({ file_path: "f", edits: [{ old_string: "1", new_string: "2" }, null, 7] })).toHaveLength(1);
    expect(edits({ path: "f", content: "new" })).toEqual([{ path: "f", before: "", after: "new" }]);
    for (const other of [
      null,
      7,
      "f",
      [],
      { path: "f" },
      { content: "x".repeat(9) },
      { path: "f", content: "x".repeat(30_000) },
    ])
      expect(edits(other)).toEqual([]);
  });

  it("name the files that were written, each with the last of its rows, without refused and unknown ones", () => {
    const steps = stepsOf(
      [
        call("a", 1, "Write", { file_path: "one" }),
        result("a", 1),
        call("b", 1, "Edit", { file_path: "two" }),
        result("b", 1, true),
        call("c", 1, "Read", { file_path: "three" }),
        call("d", 1, "file_change", { changes: [{ kind: "add", path: "four" }, null] }),
        call("e", 1, "Edit", { file_path: "one" }),
      ],
      0,
    );
    expect([...filesOf(steps)]).toEqual([
      ["one", 4],
      ["four", 3],
    ]);
  });
});
