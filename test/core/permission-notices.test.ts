import { describe, expect, it } from "vitest";
import { type InboxFact, reasonOf } from "../../core/model/inbox/inbox-entry.ts";

describe("The notice of a permission", () => {
  it("says what it is for, without the command and its arguments", () => {
    const permission = { tool: "Bash", command: "curl -H 'Authorization: abc'", path: null, diff: null };
    const fact = { kind: "permission", agentName: "Ada", detail: { permission } } as unknown as InboxFact;
    expect(reasonOf(fact)).toBe("Ada wants to run a command.");
  });
});
