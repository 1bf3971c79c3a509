import { describe, expect, it } from "vitest";
import { mentionedAgents } from "../../core/issues/comments/mentions.ts";
import { unifiedDiff } from "../../core/issues/documents/unified-diff.ts";
import { fillDescription, fillTitle } from "../../core/routines/routine-template.ts";
import { Masking } from "../../core/runs/masking/masking.ts";
import type { AgentId } from "../../core/shared/ids.ts";
import { hostileUnits, repeated } from "../support/hostile-texts.ts";
import { now } from "../support/nouns.ts";

const agents = [{ id: "a" as AgentId, name: "A a a a a", urlKey: "a-a" }];
const masking = new Masking([
  "correct horse battery staple",
  "-----BEGIN KEY-----\nMIIEpAIBAAKCAQEA\n",
  '{"a":"<secret>"}',
]);
const facts = { payload: { a: "b" }, at: now, timezone: "UTC" };

/** What reads texts that agents and strangers write. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  mentions: (text) => mentionedAgents(text, agents),
  masking: (text) => masking.text(text),
  "filling a title": (text) => fillTitle(text, facts),
  "filling a description": (text) => fillDescription(text, facts),
  "the difference of two texts": (text) =>
    unifiedDiff({ name: "a", text }, { name: "b", text: `${text.slice(9)}x` }),
};

/** The processor time of one call, the least of several: another load of the machine makes it longer. */
const costMs = (work: () => unknown): number =>
  Math.min(
    ...Array.from({ length: 3 }, () => {
      const before = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    }),
  );

const short = 32 * 1024;
const times = 8;
/** Below this, what a call costs says little about how it grows. */
const leastMs = 60;

describe.each(Object.entries(readers))("The cost of %s", (_, read) => {
  // With quadratic growth it is 64 times as much.
  it.each(hostileUnits)(`of %j grows by no more than thrice the text's growth`, (unit) => {
    const long = costMs(() => read(`x${repeated(unit, short * times)}!`));
    if (long < leastMs) return;
    const least = Math.max(
      leastMs / times,
      costMs(() => read(`x${repeated(unit, short)}!`)),
    );
    expect(long / least).toBeLessThan(3 * times);
  });
});
