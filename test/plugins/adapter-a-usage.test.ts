import { describe, expect, it } from "vitest";
import { usageOfTurns } from "../../plugins/adapter-a-local/src/prices.ts";
import { newStream, takeLine } from "../../plugins/adapter-a-local/src/stream.ts";

const answer = (id: string, model: string, usage: object, more: object = {}) =>
  JSON.stringify({ type: "assistant", message: { id, model, content: [], usage }, ...more });

const heard = (...lines: readonly string[]) => {
  const stream = newStream();
  for (const line of lines) takeLine(stream, line);
  return usageOfTurns(stream.turns.values());
};

describe("what claude has used so far", () => {
  it("counts each answer once, by its last part", () => {
    expect(
      heard(
        answer("m1", "claude-opus-4-5", { input_tokens: 10, output_tokens: 1 }),
        answer("m1", "claude-opus-4-5", { input_tokens: 10, output_tokens: 100 }),
        answer("m2", "claude-opus-4-5", { input_tokens: 5, output_tokens: 50 }),
      ).usage,
    ).toEqual({ inputTokens: 15, outputTokens: 150, cachedInputTokens: 0 });
  });

  it("counts the helpers of the agent, too", () => {
    const helper = { parent_tool_use_id: "t1" };
    expect(heard(answer("m1", "claude-haiku-4-5", { output_tokens: 1_000_000 }, helper))).toMatchObject({
      usage: { outputTokens: 1_000_000 },
      costUsd: 5,
      estimated: true,
    });
  });

  it.each([
    ["claude-opus-4-5-20251101", 5, 25],
    ["claude-opus-4-1-20250805", 15, 75],
    ["claude-opus-4-20250514", 15, 75],
    ["claude-sonnet-4-6", 3, 15],
    ["claude-haiku-4-5", 1, 5],
  ])("is priced by the list: %s for %d dollars in and %d out", (model, input, output) => {
    const usage = { input_tokens: 1_000_000, output_tokens: 1_000_000 };
    expect(heard(answer("m", model, usage)).costUsd).toBeCloseTo(input + output, 6);
    const cached = { cache_creation_input_tokens: 1_000_000, cache_read_input_tokens: 1_000_000 };
    expect(heard(answer("m", model, cached)).costUsd).toBeCloseTo(input * 1.35, 6);
  });

  it("has no price for a model of another family: its cost is unknown, not nothing", () => {
    const said = heard(answer("m", "someone-elses-model", { output_tokens: 7 }));
    expect(said).toEqual({ usage: { inputTokens: 0, outputTokens: 7, cachedInputTokens: 0 } });
  });
});
