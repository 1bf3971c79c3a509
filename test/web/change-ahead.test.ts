import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keysTouchedBy, keysTouchedByEvent } from "../../hosts/web/live/touched.ts";

// Not by name: the types of React's packages would stand in for those of a browser in all tests.
const queryPackage = "@tanstack/react-query";
const { QueryClient } = await import(queryPackage);
const { changeAhead } = await import(join(import.meta.dirname, "../../hosts/web/live/change-ahead.ts"));

const list = ["issues.list", { companyId: "c" }];
const one = ["issues.get", { issueId: "a" }];

/** A page's cache with an issue in a list of pages and by itself. */
const cacheOf = (issue: object) => {
  const queries = new QueryClient();
  queries.setQueryData(list, { pages: [{ items: [issue, { id: "b", status: "todo" }], next: null }] });
  queries.setQueryData(one, issue);
  return {
    queries,
    shown: () => {
      const pages = queries.getQueryData(list).pages;
      return [pages[0].items[0], queries.getQueryData(one)];
    },
  };
};

describe("A change that the board page shows ahead of the answer", () => {
  it("is shown wherever the thing is, and taken back where the service refuses", () => {
    const { queries, shown } = cacheOf({ id: "a", status: "todo", priority: "low" });
    const takeBack = changeAhead(queries, "issues", "a", { status: "done" });
    expect(shown()).toEqual(Array(2).fill({ id: "a", status: "done", priority: "low" }));
    takeBack();
    expect(shown()).toEqual(Array(2).fill({ id: "a", status: "todo", priority: "low" }));
  });

  it("is taken back without another change of the same thing that waits for its answer", () => {
    const { queries, shown } = cacheOf({ id: "a", status: "todo", priority: "low" });
    const takeBack = changeAhead(queries, "issues", "a", { status: "done" });
    changeAhead(queries, "issues", "a", { priority: "high" });
    takeBack();
    expect(shown()).toEqual(Array(2).fill({ id: "a", status: "todo", priority: "high" }));
  });

  it("is taken back without what was read meanwhile", () => {
    const { queries, shown } = cacheOf({ id: "a", status: "todo", title: "Tar" });
    const takeBack = changeAhead(queries, "issues", "a", { status: "done" });
    const read = { id: "a", status: "blocked", title: "Tar the planks" };
    queries.setQueryData(one, read);
    takeBack();
    expect(shown()).toEqual([{ id: "a", status: "todo", title: "Tar" }, read]);
  });
});

describe("A write on the board page", () => {
  it("of a project's budget reads again what the spend screen and the inbox show of it", () => {
    expect(keysTouchedBy("projects.update")).toEqual(expect.arrayContaining(["costs.byProject", "inbox"]));
  });
});

describe("An event on the board page", () => {
  it.each([
    [
      "company",
      ["agents.list", "issues.get", "interactions.list", "runs.get", "routines.list", "projects.get"],
    ],
    [
      "member",
      ["agents.list", "issues.get", "interactions.list", "runs.get", "routines.list", "projects.get"],
    ],
    ["budget", ["agents.get", "issues.get", "runs.get", "routines.get", "projects.get", "projects.list"]],
    ["project", ["routines.get", "runs.get"]],
    ["issue", ["runs.get"]],
    ["agent", ["approvals.get", "approvals.authority", "routines.get"]],
  ] as const)("of a %s reads again the records whose actions depend on it", (thing, calls) => {
    const keys = keysTouchedByEvent(thing);
    const isRead = (call: string) => keys.some((key) => call === key || call.startsWith(`${key}.`));
    expect(calls.filter((call) => !isRead(call))).toEqual([]);
  });
});
