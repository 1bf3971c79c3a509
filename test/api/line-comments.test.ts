import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { type IssueAtWork, issueAtWork } from "../support/issue-work.ts";

let api: ApiService;
let host: GitHost;
let companyId: string;
let credentialSecretId: string;

beforeAll(async () => {
  [api, host] = await Promise.all([startApi({ env: { SERVICE_SANDBOX: "auto" } }), startGitHost()]);
  companyId = (await api.company()).id;
  credentialSecretId = (
    await api.make(`/api/companies/${companyId}/secrets`, { name: "host", value: host.token })
  ).id;
});
afterAll(async () => {
  host.close();
  await api.stop();
});

let branches = 0;
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `line ${from + n}\n`).join("");

const anIssue = async () => {
  const defaultBranch = `lines-${branches++}`;
  host.commit(
    { "a.txt": numbered(1, 30), "b.txt": `${defaultBranch}\n`, "c.bin": "\0\u0001" },
    defaultBranch,
  );
  const { id: projectId } = await api.make(`/api/companies/${companyId}/projects`, { name: defaultBranch });
  const { id: repositoryId } = await api.make(`/api/projects/${projectId}/repositories`, {
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
    defaultBranch,
  });
  const issue = await issueAtWork(api, host, { companyId, projectId, repositoryId, defaultBranch });
  return { issue, repositoryId, defaultBranch };
};

const comment = (issue: IssueAtWork, location: object) =>
  api.post(`/api/issues/${issue.id}/comments`, { body: "Why?", ...location });
const onLines = async (issue: IssueAtWork) => (await api.get(`/api/issues/${issue.id}/line-comments`)).body;

describe("A comment on lines of an issue's changes", () => {
  it("has its location in the thread, moves with the code, and is outdated once its lines change", async () => {
    const { issue, repositoryId } = await anIssue();
    const head = await issue.leave({ "a.txt": `${numbered(1, 20)}new\n${numbered(21, 30)}` });
    const { status, body: made } = await comment(issue, { path: "a.txt", line: 20, endLine: 21 });
    expect(status).toBe(201);
    const location = {
      repositoryId,
      path: "a.txt",
      side: "new",
      startLine: 20,
      endLine: 21,
      commit: head,
      lines: ["line 20", "new"],
    };
    expect(made.location).toEqual(location);
    const { body: thread } = await api.get(`/api/issues/${issue.id}/comments`);
    expect(thread).toMatchObject([{ id: made.id, body: "Why?", location }]);
    expect(await onLines(issue)).toMatchObject([
      { id: made.id, now: { path: "a.txt", startLine: 20, endLine: 21 }, isOutdated: false },
    ]);

    await issue.leave({ "a.txt": `top\ntop\n${numbered(3, 20)}new\n${numbered(21, 29)}`, "d.txt": "d\n" });
    expect(await onLines(issue)).toMatchObject([
      { now: { path: "a.txt", startLine: 20, endLine: 21 }, location, isOutdated: false },
    ]);
    await issue.leave({ "a.txt": `${numbered(10, 20)}new\n${numbered(21, 30)}` });
    expect(await onLines(issue)).toMatchObject([{ now: { startLine: 11, endLine: 12 }, location }]);
    await issue.leave({ "a.txt": `${numbered(10, 20)}newer\n${numbered(21, 30)}` });
    expect(await onLines(issue)).toMatchObject([{ now: null, isOutdated: true, location }]);

    await api.delete(`/api/issues/${issue.id}/comments/${made.id}`);
    expect(await onLines(issue)).toEqual([]);
  });

  it("follows a renamed file, may be about removed lines, and names the commit that it was read at", async () => {
    const { issue } = await anIssue();
    const first = await issue.leave({ "a.txt": numbered(1, 28), "n.txt": numbered(101, 140) });
    expect((await comment(issue, { path: "a.txt", line: 29, side: "old" })).body.location).toMatchObject({
      side: "old",
      lines: ["line 29"],
    });
    await issue.leave({ "n.txt": null, "moved.txt": `${numbered(100, 140)}` });
    expect((await comment(issue, { path: "n.txt", line: 5, commit: first })).body.location).toMatchObject({
      commit: first,
      lines: ["line 105"],
    });
    expect(await onLines(issue)).toMatchObject([
      { location: { path: "n.txt" }, now: { path: "moved.txt", startLine: 6, endLine: 6 } },
      { location: { path: "a.txt" }, now: { path: "a.txt", startLine: 29, endLine: 29 } },
    ]);
  });

  /** The issue of all refusals: each leaves it as it is. */
  let refusing: Promise<IssueAtWork> | null = null;
  const refusingIssue = () => {
    refusing ??= anIssue().then(async ({ issue }) => {
      await issue.leave({ "a.txt": numbered(2, 30), "c.bin": "\0\u0002" });
      return issue;
    });
    return refusing;
  };

  it.each([
    ["no file", { line: 1 }, "path required"],
    ["no line", { path: "a.txt" }, "line required"],
    ["a line that the file does not have", { path: "a.txt", line: 99 }, "line out_of_range"],
    ["lines the wrong way round", { path: "a.txt", line: 3, endLine: 2 }, "endLine out_of_range"],
    ["too many lines", { path: "a.txt", line: 1, endLine: 101 }, "endLine out_of_range"],
    ["a file that it does not change", { path: "b.txt", line: 1 }, "path unknown"],
    ["a binary file", { path: "c.bin", line: 1 }, "path unknown"],
    ["a folder above", { path: "../../etc/passwd", line: 1 }, "path unknown"],
    ["an option", { path: "--output=/tmp/x", line: 1 }, "path unknown"],
    ["a commit of nobody", { path: "a.txt", line: 1, commit: "a".repeat(40) }, null],
    ["what is no commit", { path: "a.txt", line: 1, commit: "HEAD" }, "commit"],
    ["a text that PostgreSQL cannot hold", { path: "a\0b", line: 1 }, "path"],
  ])("is refused for %s", async (_, location, problem) => {
    const issue = await refusingIssue();
    const { status, body } = await comment(issue, location);
    if (problem === null) expect([status, body.code]).toEqual([409, "changes_unavailable"]);
    else {
      expect([status, body.code]).toEqual([400, "validation_error"]);
      const [{ path, code }] = body.details;
      expect(`${path[0]} ${code}`).toContain(problem);
    }
    expect(await onLines(issue)).toEqual([]);
  });

  it("is refused for a commit before the issue's own, and where the issue has changed nothing", async () => {
    const { issue, defaultBranch } = await anIssue();
    expect((await comment(issue, { path: "a.txt", line: 1 })).body.code).toBe("changes_unavailable");
    await issue.leave({ "a.txt": "x\n" });
    const before = host.commit({ "e.txt": "e\n" }, defaultBranch);
    for (const commit of [before, await issue.leave({ "a.txt": "y\n" }).then(() => before)])
      expect((await comment(issue, { path: "a.txt", line: 1, commit })).status).toBeGreaterThanOrEqual(400);
  });
});

describe("A review with comments on lines", () => {
  /** An issue whose gate names the board's own user, and whose agent has ended its run. */
  const aReviewableIssue = async () => {
    const { issue } = await anIssue();
    const earlier = await issue.leave({ "a.txt": numbered(3, 30) });
    const head = await issue.leave({ "a.txt": numbered(2, 30) });
    const { body: session } = await api.get("/api/session");
    const gates = [{ name: "read", kind: "review", reviewerUserId: session.userId }];
    expect((await api.put(`/api/issues/${issue.id}/gates`, { gates })).status).toBe(200);
    await api.sql`update wakes set status = 'started', ended_at = now() where run_id = ${issue.runId}`;
    await api.sql`
      update  runs
      set     status = 'succeeded', started_at = now(), finished_at = now()
      where   id = ${issue.runId}
    `;
    return { issue, earlier, head };
  };
  const review = (issue: IssueAtWork, commits: readonly string[], more: object, raw = {}) =>
    api.post(
      `/api/issues/${issue.id}/reviews`,
      { verdict: "changes_requested", commits, note: "Mind the gap.", ...more },
      raw,
    );
  const comments = [
    { body: "Why?", path: "a.txt", line: 1 },
    { body: "And here?", path: "a.txt", line: 2, endLine: 3 },
    { body: "Nearly there." },
  ];
  const gateOf = async (issue: IssueAtWork) =>
    (await api.get(`/api/issues/${issue.id}/gates`)).body.gates[0].reason;
  const thread = async (issue: IssueAtWork) =>
    (await api.get(`/api/issues/${issue.id}/comments?order=asc`)).body.map(
      ({ body }: { body: string }) => body,
    );
  const runsSince = async (issue: IssueAtWork) =>
    api.sql<{ id: string }[]>`select id from runs where agent_id = ${issue.agentId} and id <> ${issue.runId}`;

  it("is stored in one request, and wakes the agent once, for all of them", async () => {
    const { issue, head } = await aReviewableIssue();
    const raw = { headers: { "idempotency-key": crypto.randomUUID() } };
    const first = await review(issue, [head], { comments }, raw);
    expect([first.status, first.body]).toMatchObject([
      200,
      { verdict: "changes_requested", commits: [head] },
    ]);
    expect((await review(issue, [head], { comments }, raw)).body).toEqual(first.body);
    expect(await thread(issue)).toEqual([
      expect.stringMatching(/ requested changes\.\n\nMind the gap\.$/),
      ...comments.map(({ body }) => body),
    ]);
    expect(await onLines(issue)).toMatchObject([
      { location: { startLine: 2, endLine: 3, lines: ["line 3", "line 4"] } },
      { location: { startLine: 1 } },
    ]);
    expect(await gateOf(issue)).toContain("Mind the gap.");
    const runs = await runsSince(issue);
    expect(runs).toHaveLength(1);
    expect((await api.get(`/api/heartbeat-runs/${runs[0]!.id}`)).body.wakes).toHaveLength(4);
  });

  it("is not stored again where the service died between its commit and its answer", async () => {
    const { issue, head } = await aReviewableIssue();
    const raw = { headers: { "idempotency-key": crypto.randomUUID() } };
    expect((await review(issue, [head], { comments }, raw)).status).toBe(200);
    const before = await thread(issue);
    await api.sql`update idempotency_keys set status = null, lease_until = now() - interval '1 minute'`;
    const again = await review(issue, [head], { comments }, raw);
    expect([again.status, again.body.code]).toEqual([409, "idempotency_result_not_repeatable"]);
    expect(await thread(issue)).toEqual(before);
    expect(await gateOf(issue)).toContain("Mind the gap.");
    expect(await runsSince(issue)).toHaveLength(1);
  });

  it("that requests changes without a comment wakes the agent with its note", async () => {
    const { issue, head } = await aReviewableIssue();
    expect((await review(issue, [head], { verdict: "approved" })).status).toBe(200);
    expect([await thread(issue), await runsSince(issue)]).toEqual([[], []]);
    expect((await review(issue, [head], {})).status).toBe(200);
    expect(await thread(issue)).toEqual([expect.stringMatching(/ requested changes\.\n\nMind the gap\.$/)]);
    const runs = await runsSince(issue);
    expect(runs).toHaveLength(1);
    expect((await api.get(`/api/heartbeat-runs/${runs[0]!.id}`)).body.wakes).toMatchObject([
      { reason: "issue_feedback" },
    ]);
  });

  it("stores nothing where one line is refused, whose comment the refusal names", async () => {
    const { issue, head } = await aReviewableIssue();
    const before = await gateOf(issue);
    const wrong = [...comments.slice(0, 2), { body: "Where?", path: "a.txt", line: 99 }];
    const { status, body } = await review(issue, [head], { comments: wrong });
    expect([status, body.code]).toEqual([400, "validation_error"]);
    expect(body.details).toMatchObject([{ code: "out_of_range" }]);
    expect(body.details[0].path.join(".")).toBe("comments.2.line");
    const alone = await api.post(`/api/issues/${issue.id}/line-comments`, { comments: wrong });
    expect(alone.body.details[0].path.join(".")).toBe("comments.2.line");
    expect([await thread(issue), await gateOf(issue), await runsSince(issue)]).toEqual([[], before, []]);
  });

  it("stores nothing where the commits have changed since they were read, or where somebody else reviews", async () => {
    const { issue, earlier, head } = await aReviewableIssue();
    const outdated = await review(issue, [earlier], { comments });
    expect([outdated.status, outdated.body.code]).toEqual([409, "review_outdated"]);
    const { as } = await api.atWork((await api.agent(companyId)).id);
    expect((await review(issue, [head], { comments }, as)).status).toBe(403);
    expect([await thread(issue), await runsSince(issue)]).toEqual([[], []]);
  });
});
