import { describe, expect, test } from "vitest";
import { namesMentioned } from "../../core/model/issues/comments/mentions.ts";
import { wokenByComment } from "../../core/model/issues/comments/woken-by-comment.ts";
import type { AgentId } from "../../core/model/shared/ids.ts";
import { aMentionable, id } from "../support/nouns.ts";

const [ada, bob] = [id<AgentId>(1), id<AgentId>(2)];
const mentionable = [
  aMentionable("Ada Lovelace", ada, "ada-lovelace"),
  aMentionable("Straße İx", bob, "bob"),
];

describe("A comment wakes", () => {
  const woken = (fields: Partial<Parameters<typeof wokenByComment<AgentId>>[0]>) =>
    wokenByComment({
      issue: { assigneeAgentId: ada, status: "todo" },
      body: "",
      authorAgentId: null,
      reopened: false,
      mentionable,
      ...fields,
    }).map(({ agentId, reason }) => [agentId, reason]);

  test("the assignee of an open issue, and whom it mentions", () => {
    expect(woken({ body: "@bob" })).toEqual([
      [ada, "issue_commented"],
      [bob, "issue_comment_mentioned"],
    ]);
  });
  test("nobody by its author, and only the mentioned on a closed issue", () => {
    expect(woken({ body: "@ada-lovelace", authorAgentId: ada })).toEqual([]);
    const done = { assigneeAgentId: ada, status: "done" } as const;
    expect(woken({ issue: done, body: "@bob" })).toEqual([[bob, "issue_comment_mentioned"]]);
  });
  test("the assignee of an issue that it reopens, for that reason", () => {
    expect(woken({ reopened: true })).toEqual([[ada, "issue_reopened_via_comment"]]);
  });
});

describe("Names mentioned", () => {
  const shown = (text: string) =>
    namesMentioned(text, mentionable).map(({ from, to }) => text.slice(from, to));
  test("are found whole where they stand, also after letters that get longer when folded", () => {
    expect(shown("ß İ ﬁ @ADA LOVELACE, @strasse İx! x@ada.com @nobody")).toEqual([
      "@ADA LOVELACE",
      "@strasse İx",
    ]);
  });
  test("are none where there is no sign", () => {
    expect(shown("Ada Lovelace")).toEqual([]);
  });
});
