import { describe, expect, it } from "vitest";
import { describePermission } from "../../core/model/issues/interactions/describe-permission.ts";
import { isAllowedBy, ruleOf, withRule } from "../../core/model/issues/interactions/permission-rule.ts";

const request = { tool: "Bash", command: "make", path: null, diff: null, repeatable: true };

describe("A permission for longer than once", () => {
  it.each([
    ["a part of the request that is not shown as it is", { repeatable: false }],
    ["a request of an earlier version", { repeatable: undefined }],
    ["a change of a file", { diff: "+all" }],
    ["a tool without a command", { command: null }],
    ["a very long command", { command: "x".repeat(2_001) }],
  ])("is not offered for %s", (_, more) => {
    expect(ruleOf({ ...request, ...more } as typeof request)).toBeNull();
  });

  it.each([
    ["the same", {}, true],
    ["another command", { command: "make clean" }, false],
    ["the command with more behind it", { command: "make; rm -r /" }, false],
    ["another tool", { tool: "shell" }, false],
    ["another place", { path: "/srv" }, false],
    ["the same, not shown as it is", { repeatable: false }, false],
  ])("covers %s: %s", (_, more, isCovered) => {
    expect(isAllowedBy([ruleOf(request)!], { ...request, ...more })).toBe(isCovered);
  });

  it("is stored once", () => {
    const rules = withRule([], ruleOf(request)!);
    expect(withRule(rules, ruleOf(request)!)).toBe(rules);
  });
});

describe("What a program wants, in words,", () => {
  it.each([
    [{ tool: "Bash", command: "make" }, "run a command"],
    [{ tool: "execute", command: "make", path: "/srv/quay" }, "run a command in /srv/quay"],
    [{ tool: "Edit", path: "a.ts", diff: "+a" }, "change a.ts"],
    [{ tool: "delete", path: "a.ts" }, "delete a.ts"],
    [{ tool: "WebFetch", command: "https://example.com" }, "open a web page"],
    [{ tool: "mcp__tides__forecast", command: "{}" }, "use the tool forecast of the MCP server tides"],
    [{ tool: "mcp__tides", command: "{}" }, "use a tool of the MCP server tides"],
    [{ tool: "Survey", path: "a" }, "use the tool Survey on a"],
  ])("is of %j: %s", (asked, description) => {
    expect(describePermission({ command: null, path: null, diff: null, ...asked })).toBe(description);
  });
});
