import { describe, expect, it } from "vitest";
import { assistantScopes } from "../../core/model/access/assistant-scope.ts";
import type { BoardCaller } from "../../core/model/access/caller.ts";
import { scopeOf } from "../../hosts/api/endpoint/scope.ts";
import { endpoints } from "../../hosts/api/index.ts";
import { scopesOf } from "../../hosts/mcp/tool-scopes.ts";
import { tools, toolsOf } from "../../hosts/mcp/tools.ts";

const admin = (scopes: readonly (typeof assistantScopes)[number][]): BoardCaller => ({
  kind: "board",
  userId: "u" as never,
  name: "Ada",
  admin: true,
  roles: new Map(),
  tokenId: "t" as never,
  session: false,
  assistant: { name: "Claude", scopes },
});

describe("The scope of", () => {
  it("each call is read where nothing changes, decide for a decision, else work", () => {
    const named = (scope: string) =>
      endpoints.filter(({ endpoint }) => scopeOf(endpoint) === scope).map(({ name }) => name);
    expect(named("read")).toEqual(
      endpoints.filter(({ endpoint }) => endpoint.method === "GET").map(({ name }) => name),
    );
    expect(named("decide").sort()).toEqual(
      [
        "approvals.approve",
        "approvals.reject",
        "approvals.requestRevision",
        "grants.create",
        "grants.revoke",
        "interactions.accept",
        "interactions.cancel",
        "interactions.reject",
        "interactions.respond",
        "issues.merge",
        "issues.openPullRequest",
        "issues.review",
        "issues.setGates",
        "members.invite",
        "members.remove",
        "members.set",
        "projects.setGates",
        "system.releaseAfterRestore",
        "users.create",
        "users.invite",
        "users.update",
      ].sort(),
    );
    // A call whose name says that somebody decides is a decision.
    const deciding = /approve|reject|respond|accept|\.review|merge|grant|member|gate/i;
    const works = named("work").filter((name) => deciding.test(name));
    expect(works).toEqual(["issues.rerunGates"]);
  });

  it("each tool is that of the calls that it makes", () => {
    const scopes = tools.map((tool) => [tool.name, scopesOf(tool, {}).join(" ")]);
    expect(Object.fromEntries(scopes)).toEqual({
      my_task: "read",
      my_issues: "read",
      search_issues: "read",
      check_out: "work",
      comment: "work",
      finish_task: "work",
      hand_over: "work",
      create_subtask: "work",
      ask_board: "work",
      read_document: "read",
      write_document: "work",
      read_file: "read",
      attach_file: "work",
      who_is_who: "read",
      propose_hire: "work",
      report_cost: "work",
      find_operation: "read",
      call_operation: "read",
    });
  });

  it("an operation is that of the call that it names", () => {
    const operate = tools.find(({ name }) => name === "call_operation")!;
    const offered = endpoints.filter(({ name }) => operate.called!({ name }).length > 0);
    expect(offered.length).toBeGreaterThan(100);
    for (const { name, endpoint } of offered)
      expect(scopesOf(operate, { name }), name).toEqual([scopeOf(endpoint)]);
    for (const args of [
      undefined,
      null,
      1,
      {},
      { name: "none" },
      { name: ["approvals.approve"] },
      { name: {} },
    ])
      expect(() => scopesOf(operate, args)).not.toThrow();
  });

  it("an assistant decides which tools it is offered", () => {
    const offered = (scopes: Parameters<typeof admin>[0]) => toolsOf(admin(scopes)).map(({ name }) => name);
    expect(offered(["read"])).toEqual([
      "my_task",
      "my_issues",
      "search_issues",
      "read_document",
      "read_file",
      "who_is_who",
      "find_operation",
      "call_operation",
    ]);
    expect(offered(["work"])).not.toContain("my_task");
    expect(offered([...assistantScopes])).toContain("comment");
  });
});
