import { describe, expect, it } from "vitest";
import { newStream, takeLine, usageSoFar } from "../../plugins/adapter-a-local/src/stream.ts";
import { processorTime } from "../support/processor-time.ts";

const answer = (id: string, model: string, usage: object, more: object = {}) =>
  JSON.stringify({ type: "assistant", message: { id, model, content: [], usage }, ...more });

const usageAfter = (...lines: readonly string[]) => {
  const stream = newStream();
  for (const line of lines) takeLine(stream, line);
  return usageSoFar(stream);
};

describe("the use that claude has reported so far", () => {
  it("counts each answer once, by its last part", () => {
    expect(
      usageAfter(
        answer("m1", "claude-opus-4-5", { input_tokens: 10, output_tokens: 1 }),
        answer("m1", "claude-opus-4-5", { input_tokens: 10, output_tokens: 100 }),
        answer("m2", "claude-opus-4-5", { input_tokens: 5, output_tokens: 50 }),
      ).usage,
    ).toEqual({ inputTokens: 15, outputTokens: 150, cachedInputTokens: 0 });
  });

  it("stores few of very many answers, and counts them all", () => {
    const stream = newStream();
    const took = processorTime();
    for (let n = 0; n < 20_000; n++) {
      takeLine(stream, answer(`m${n}`, "claude-opus-4-5", { input_tokens: 1, output_tokens: 2 }));
      usageSoFar(stream);
    }
    expect(took()).toBeLessThan(5_000);
    expect(stream.turns.size).toBeLessThan(100);
    expect(usageSoFar(stream).usage).toMatchObject({ inputTokens: 20_000, outputTokens: 40_000 });
    expect(usageSoFar(stream).costUsd).toBeCloseTo((20_000 * (5 + 2 * 25)) / 1e6);
  });

  it("counts the helpers of the agent, too", () => {
    const helper = { parent_tool_use_id: "t1" };
    expect(usageAfter(answer("m1", "claude-haiku-4-5", { output_tokens: 1_000_000 }, helper))).toMatchObject({
      usage: { outputTokens: 1_000_000 },
      costUsd: 5,
      estimated: true,
    });
  });

  it.each([
    ["claude-opus-5-5", 4, 20, 0.05],
    ["claude-opus-5", 5, 25, 0.1],
    ["claude-opus-4-8[1m]", 5, 25, 0.1],
    ["claude-opus-4-5-20251101", 5, 25, 0.1],
    ["claude-opus-4-5@20251101", 5, 25, 0.1],
    ["us.anthropic.claude-opus-4-1-20250805-v1:0", 15, 75, 0.1],
    ["claude-opus-4-1-20250805", 15, 75, 0.1],
    ["claude-opus-4-20250514", 15, 75, 0.1],
    ["claude-fable-5-1", 10, 50, 0.025],
    ["claude-sonnet-5-5", 2, 10, 0.05],
    ["claude-sonnet-5", 2, 10, 0.1],
    ["anthropic/claude-sonnet-4-6", 3, 15, 0.1],
    ["claude-3-7-sonnet-latest", 3, 15, 0.1],
    ["claude-haiku-4-5", 1, 5, 0.1],
    ["claude-3-5-haiku-20241022", 0.8, 4, 0.1],
  ])(
    "is priced by the list: %s for %d dollars in, %d out, and %d of it from the cache",
    (model, input, output, cached) => {
      const million = 1_000_000;
      const usd = (usage: object) => usageAfter(answer("m", model, usage)).costUsd;
      expect(usd({ input_tokens: million, output_tokens: million })).toBeCloseTo(input + output, 6);
      expect(usd({ cache_read_input_tokens: million })).toBeCloseTo(input * cached, 6);
      const hour = { ephemeral_5m_input_tokens: million, ephemeral_1h_input_tokens: million };
      expect(usd({ cache_creation_input_tokens: million })).toBeCloseTo(input * 1.25, 6);
      expect(usd({ cache_creation_input_tokens: 2 * million, cache_creation: hour })).toBeCloseTo(
        input * 3.25,
        6,
      );
    },
  );

  it("costs more in a request with a long prompt if the list says so, per request", () => {
    const short = { input_tokens: 60_000, cache_read_input_tokens: 40_000, output_tokens: 1_000 };
    const long = { ...short, input_tokens: 60_001 };
    const turn = (id: string, usage: object) => answer(id, "claude-haiku-5-5", usage);
    expect(usageAfter(turn("m1", short)).costUsd).toBeCloseTo(0.0069, 9);
    expect(usageAfter(turn("m1", long)).costUsd).toBeCloseTo(5 * 0.0069 + 0.5 / 1_000_000, 9);
    expect(usageAfter(turn("m1", short), turn("m2", long)).costUsd).toBeCloseTo(
      6 * 0.0069 + 0.5 / 1_000_000,
      9,
    );
  });

  it.each([
    "claude-opus-6",
    "claude-opus-5-6",
    "claude-opus-4-9-20270101",
    "opus",
    "my-claude-opus-5",
    "constructor",
  ])("has no price for %s: a model that is not on the list is unknown, not free", (model) => {
    expect(usageAfter(answer("m", model, { output_tokens: 7 }))).not.toHaveProperty("costUsd");
  });

  it("has no price for a model of another family: its cost is unknown, not zero", () => {
    const result = usageAfter(answer("m", "someone-elses-model", { output_tokens: 7 }));
    expect(result).toEqual({ usage: { inputTokens: 0, outputTokens: 7, cachedInputTokens: 0 } });
  });
});
