import { describe, expect, it } from "vitest";
import { differencesOf } from "../../core/model/activity/differences.ts";

describe("The differences of a change in the activity log", () => {
  it("are the short values of changed fields; texts, lists and objects have none", () => {
    const before = {
      title: "Old",
      priority: "low",
      cents: 0,
      description: "a",
      capabilities: "a",
      labels: ["a"],
      config: { key: "a" },
      leadId: null as string | null,
    };
    const after = {
      title: "New",
      priority: "low",
      cents: 700,
      description: "b",
      capabilities: "b",
      labels: ["b"],
      config: { key: "b" },
      leadId: "7",
    };
    expect(
      differencesOf(before, after, [
        "title",
        "cents",
        "description",
        "capabilities",
        "labels",
        "config",
        "leadId",
      ]),
    ).toEqual([
      { field: "title", from: "Old", to: "New" },
      { field: "cents", from: 0, to: 700 },
      { field: "leadId", from: null, to: "7" },
    ]);
  });
});
