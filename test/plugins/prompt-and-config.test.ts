import { describe, expect, it } from "vitest";
import { ConfigRefusal, seconds } from "../../plugins/kit/config.ts";
import { fillPrompt, joinPrompt, promptValues } from "../../plugins/kit/prompt.ts";
import { resetTime } from "../../plugins/kit/reset-time.ts";

const values = promptValues({
  agentId: "a1",
  agentName: "Ada",
  companyId: "c1",
  runId: "r1",
  taskId: "t1",
  taskTitle: "Mind the {{agentId}} $& gap",
});

describe("prompt substitution", () => {
  it.each([
    [
      "every name of the contract",
      "{{agentId}} {{agentName}} {{companyId}} {{runId}} {{taskId}}",
      "a1 Ada c1 r1 t1",
    ],
    ["spaces within the braces", "{{ agentName }} and {{\tagentName\n}}", "Ada and Ada"],
    ["dotted names", "{{agent.name}} {{company.id}} {{run.id}} {{task.id}}", "Ada c1 r1 t1"],
    ["unknown names", "[{{nobody}}] [{{agent.nothing}}] [{{agentName.x}}]", "[] [] []"],
    ["inherited names", "[{{constructor}}] [{{__proto__}}] [{{agentName.length}}]", "[] [] []"],
    ["objects", "{{company}}", '{"id":"c1"}'],
    ["a value with braces and dollars, which stays text", "{{taskTitle}}", "Mind the {{agentId}} $& gap"],
    [
      "braces that name nothing",
      "{{}} {{ two words }} {x} {{{agentName}}}",
      "{{}} {{ two words }} {x} {Ada}",
    ],
  ])("%s", (_title, template, expected) => {
    expect(fillPrompt(template, values)).toBe(expected);
  });
  it("writes numbers, booleans and lists as JSON", () => {
    expect(fillPrompt("{{n}} {{b}} {{l}} {{z}}", { n: 1, b: false, l: [1, "x"], z: null })).toBe(
      '1 false [1,"x"] ',
    );
  });
  it("joins parts by blank lines and drops empty ones", () => {
    expect(joinPrompt("a", "", null, " \n", "b")).toBe("a\n\nb");
  });
});

describe("a time limit", () => {
  it.each([0, -1, "none", "300", Number.NaN, Number.POSITIVE_INFINITY, true, 1e9])(
    "%j is refused",
    (value) => {
      expect(() => seconds({ timeoutSec: value }, "timeoutSec", 300)).toThrow(ConfigRefusal);
      expect(() => seconds({ timeoutSec: value }, "timeoutSec", 300)).toThrow(
        /timeoutSec must be a number of seconds/,
      );
    },
  );
  it.each([
    [undefined, 300],
    [null, 300],
    [0.5, 0.5],
    [7200, 7200],
  ])("%j means %d", (value, expected) => {
    expect(seconds({ timeoutSec: value }, "timeoutSec", 300)).toBe(expected);
  });
});

describe("the reset time of a limit", () => {
  const now = new Date("2026-11-21T12:00:00Z");
  it.each([
    ["Claude AI usage limit reached|1795305600", "2026-11-22T00:00:00.000Z"],
    ["You've hit your session limit · resets 3pm (UTC)", "2026-11-21T15:00:00.000Z"],
    ["You've hit your limit · resets 3:30pm (Europe/Berlin)", "2026-11-21T14:30:00.000Z"],
    ["5-hour limit reached ∙ resets 11am (UTC)", "2026-11-22T11:00:00.000Z"],
    ["limit · resets 12am (America/New_York)", "2026-11-22T05:00:00.000Z"],
    ["limit · resets 12pm (America/New_York)", "2026-11-21T17:00:00.000Z"],
    ["You've hit your weekly limit · resets Nov 24, 10am (UTC)", "2026-11-24T10:00:00.000Z"],
    ["resets Nov 24 at 10:05am (UTC)", "2026-11-24T10:05:00.000Z"],
    ["resets January 2nd, 2027, 9am (UTC)", "2027-01-02T09:00:00.000Z"],
    ["resets Jan 2, 9am (UTC)", "2027-01-02T09:00:00.000Z"],
    ["resets at 18:45 (UTC)", "2026-11-21T18:45:00.000Z"],
    ["try again at 6:45 PM (UTC)", "2026-11-21T18:45:00.000Z"],
    ["try again in 2 hours 5 minutes", "2026-11-21T14:05:00.000Z"],
    ["try again in 1 day, 2 hours and 3 minutes.", "2026-11-22T14:03:00.000Z"],
    ["resets in 45s", "2026-11-21T12:00:45.000Z"],
    ["resets 11:55am (UTC), said a moment before", "2026-11-21T11:55:00.000Z"],
    ["resets Nov 18, 10am (UTC), which has passed", "2026-11-18T10:00:00.000Z"],
  ])("%s", (text, expected) => {
    expect(resetTime(text, now)?.toISOString()).toBe(expected);
  });
  it("on this machine's clock, if the following words resemble a half of the day", () => {
    const found = resetTime("resets Nov 24, 2026 15:00 and stays", now);
    expect(found).toEqual(new Date(2026, 10, 24, 15, 0));
  });
  it("on the day the clocks change to summer time", () => {
    const eve = new Date("2027-03-28T00:30:00Z");
    expect(resetTime("resets 3am (Europe/Berlin)", eve)?.toISOString()).toBe("2027-03-28T01:00:00.000Z");
  });
  it.each([
    "Credit balance is too low",
    "resets soon",
    "limit 5 reached",
    "resets 42",
    "resets 99pm (UTC)",
    "try again in 99999999999999999999 days",
    "",
  ])("is not invented from %j", (text) => {
    expect(resetTime(text, now)).toBeNull();
  });
  it("takes an unknown zone for the machine's own", () => {
    expect(resetTime("resets 3pm (Nowhere/Land)", now)).not.toBeNull();
  });
});
