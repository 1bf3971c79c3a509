import { describe, expect, it } from "vitest";
import {
  endsInDoubt,
  isAskedFor,
  isReturned,
  maxMessage,
  type ResumedMessage,
  textInPrompt,
} from "../../core/model/runs/messages/run-message.ts";
import { type RunEnd, runMoves } from "../../core/model/runs/run-status.ts";
import type { RunMessageId } from "../../core/model/shared/ids.ts";

describe("what a run took up of people's messages", () => {
  it("is the next run's again only where nobody had the prompt of a run that did not succeed", () => {
    const ends = Object.keys(runMoves.running) as RunEnd[];
    const again = ends.flatMap((end) =>
      [true, false].filter((prompted) => isReturned(end, prompted)).map((prompted) => [end, prompted]),
    );
    expect(again).toEqual([
      ["failed", false],
      ["timed_out", false],
      ["cancelled", false],
    ]);
    expect(endsInDoubt).toEqual(["interrupted"]);
  });

  const left: ResumedMessage = {
    id: "m" as RunMessageId,
    commentId: null,
    authorName: "Ada",
    body: "Mend the net.",
    location: null,
    wasSent: false,
    mayBeRepeated: true,
    adapterAsks: true,
  };

  it("says that it may be repeated where no session can be asked for it", () => {
    const comment = { ...left, commentId: "c" as ResumedMessage["commentId"] };
    const long = { ...left, body: "x".repeat(maxMessage) };
    const asked = [left, { ...comment, wasSent: true }, { ...long, wasSent: true }];
    expect(asked.map(isAskedFor)).toEqual([true, true, true]);
    // A prompt has a comment in other words, and of a long message only the beginning.
    const unasked = [{ ...left, adapterAsks: false }, comment, long];
    expect(unasked.map(isAskedFor)).toEqual([false, false, false]);
    for (const message of unasked)
      expect(textInPrompt(message)).toMatch(/^You may have received this message already/);
    const once = { ...left, mayBeRepeated: false };
    expect([isAskedFor(once), textInPrompt(once)]).toEqual([false, "Ada says:\n\nMend the net."]);
  });
});
