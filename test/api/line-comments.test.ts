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
