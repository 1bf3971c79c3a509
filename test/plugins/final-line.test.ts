import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { finalLine, type Progress } from "../../plugins/kit/final-line.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Whether each "done" was the last word, where the lines follow each other after so many milliseconds. */
const judged = async (lines: readonly (readonly [afterMs: number, progress: Progress])[]) => {
  const isLastWord = finalLine();
  const answers: Promise<boolean>[] = [];
  for (const [afterMs, progress] of lines) {
    await vi.advanceTimersByTimeAsync(afterMs);
    const answer = isLastWord(progress);
    if (answer !== undefined) answers.push(answer);
  }
  await vi.advanceTimersByTimeAsync(60_000);
  return Promise.all(answers);
};

it("A last word is one that no sign of work follows", async () => {
  expect(
    await judged([
      [0, "working"],
      [10, "done"],
    ]),
  ).toEqual([true]);
});

it("A word that work follows soon is not the last one, however final it looked", async () => {
  expect(
    await judged([
      [0, "done"],
      [2_900, "working"],
      [60_000, "done"],
    ]),
  ).toEqual([false, true]);
});

it("Lines that show neither work nor an end change nothing", async () => {
  expect(
    await judged([
      [0, "done"],
      [1_000, null],
      [1_000, null],
    ]),
  ).toEqual([true]);
});
