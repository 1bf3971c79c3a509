import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ApiService } from "../support/api-service.ts";
import type { GitHost } from "../support/git-host.ts";
import { type HostedApi, startHostedApi } from "../support/hosted-api.ts";
import { type IssueAtWork, issueAtWork } from "../support/issue-work.ts";

let hosted: HostedApi;
let api: ApiService;
let host: GitHost;

beforeAll(async () => {
  hosted = await startHostedApi();
  ({ api, host } = hosted);
});
afterAll(() => hosted?.stop());

const aRepository = () => hosted.repository("one\ntwo\n");
const changesOf = async (issue: IssueAtWork) => (await api.get(`/api/issues/${issue.id}/changes`)).body;
const diffOf = (issue: IssueAtWork, query: Record<string, string> = {}) =>
  api.get(`/api/issues/${issue.id}/diff?${new URLSearchParams(query)}`);

describe("The changes of an issue", () => {
  it("are its commits and files against the merge base, and not what the host has since", async () => {
    const at = await aRepository();
    host.commit({ "elsewhere.txt": "x\n" }, at.defaultBranch);
    const issue = await issueAtWork(api, host, { ...at, from: at.first });
    expect(await changesOf(issue)).toEqual([]);
    const head = await issue.leave({ "a.txt": "zero\none\n", "dir/new.txt": "new\n" });
    const [changes] = await changesOf(issue);
    expect(changes).toMatchObject({
      repositoryId: at.repositoryId,
      branch: `boardroom/${issue.identifier}`,
      defaultBranch: at.defaultBranch,
      head,
      commits: [{ commit: head, message: "work of the agent" }],
      isCut: false,
      conflicts: null,
      problem: null,
    });
    expect(
      changes.files.map(({ path, status, added }: Record<string, unknown>) => [path, status, added]),
    ).toEqual([
      ["a.txt", "modified", 1],
      ["dir/new.txt", "added", 1],
    ]);
    const { body: whole } = await diffOf(issue);
    expect(whole).toContain("+zero\n");
    expect(whole).toContain("+new\n");
    const one = await diffOf(issue, { repositoryId: at.repositoryId, path: "dir/new.txt" });
    expect(one.body).toContain("+new\n");
    expect(one.body).not.toContain("+zero");
  });

  it("name the files that conflict with the default branch", async () => {
    const at = await aRepository();
    host.commit({ "a.txt": "theirs\n" }, at.defaultBranch);
    const issue = await issueAtWork(api, host, { ...at, from: at.first });
    await issue.leave({ "a.txt": "ours\n" });
    expect((await changesOf(issue))[0]).toMatchObject({
      conflicts: { files: ["a.txt"], messages: expect.stringContaining("a.txt") },
    });
  });

  it("say why they cannot be shown, and leave the other facts", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    const head = await issue.leave({ "a.txt": "x\n" });
    await api.sql`update repositories set default_branch = 'gone' where id = ${at.repositoryId}`;
    expect((await changesOf(issue))[0]).toMatchObject({
      head,
      files: [],
      problem: "The repository had no branch gone when it was last fetched.",
    });
    expect(await diffOf(issue)).toMatchObject({ status: 409, body: { code: "changes_unavailable" } });
  });

  it("stay within limits: 5,000 files are listed, and a file of a large difference is read alone", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    const lines = `${"a line of the file\n".repeat(60)}`;
    const many = Array.from({ length: 5_001 }, (_, n) => [`many/${n}.txt`, lines] as const);
    await issue.leave({ ...Object.fromEntries(many), "z.txt": lines.repeat(2_000) });
    const [changes] = await changesOf(issue);
    expect(changes.files).toHaveLength(5_000);
    expect(changes.isCut).toBe(true);
    expect(await diffOf(issue)).toMatchObject({ status: 422, body: { code: "diff_too_large" } });
    expect((await diffOf(issue, { path: "many/4999.txt" })).body).toContain("+a line of the file\n");
    expect(await diffOf(issue, { path: "z.txt" })).toMatchObject({
      status: 422,
      body: { error: expect.stringContaining("diff is too large to show") },
    });
  });

  it("read a pattern, an option and a folder above as the name of a file, which is not there", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    await issue.leave({ "a.txt": "x\n" });
    for (const path of [":(top)*", "--output=/tmp/written", "../../etc/passwd"])
      expect([path, await diffOf(issue, { path })]).toMatchObject([path, { status: 200, body: "" }]);
  });

  it("are not those of another issue's repository", async () => {
    const [one, other] = [await aRepository(), await aRepository()];
    const issue = await issueAtWork(api, host, one);
    await issue.leave({ "a.txt": "x\n" });
    const answer = await diffOf(issue, { repositoryId: other.repositoryId });
    expect(answer).toMatchObject({ status: 404, body: { code: "repository_not_found" } });
  });
});
