import { describe, expect, it } from "vitest";
import { planInDescription } from "../../core/model/issues/documents/document.ts";
import { processorTime } from "../support/processor-time.ts";

describe("A plan in a description", () => {
  it.each([
    [null, null],
    ["no plan", null],
    ["<plan>open for ever", null],
    ["</plan> before <plan>", null],
    ["<plan>  </plan>", null],
    ["See <PLAN>\n do it \n</Plan> and <plan>no</plan>", "do it"],
    ["<plan>one <plan>two</plan>", "one <plan>two"],
  ])("of %j is %j", (description, plan) => {
    expect(planInDescription(description)).toBe(plan);
  });

  it("is found, or found missing, quickly in the longest text", () => {
    const took = processorTime();
    expect(planInDescription("<plan>".repeat(85_000))).toBeNull();
    expect(took()).toBeLessThan(2_000);
  });
});
