import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { workLease } from "../../ports/stores/work-lease.ts";
import type { ApiService } from "../support/api-service.ts";
import { eventually } from "../support/eventually.ts";
import { type GitHost, git } from "../support/git-host.ts";
import { type HostedApi, startHostedApi } from "../support/hosted-api.ts";
import { type IssueAtWork, issueAtWork } from "../support/issue-work.ts";

let hosted: HostedApi;
let api: ApiService;
let host: GitHost;
let companyId: string;

beforeAll(async () => {
  hosted = await startHostedApi();
  ({ api, host, companyId } = hosted);
});
afterAll(() => hosted?.stop());

const aRepository = () => hosted.repository();
const merge = (issue: IssueAtWork, method: string, as = {}) =>
  api.post(`/api/issues/${issue.id}/merge`, { method }, as);
const atHost = (branch: string) => git(host.bare, ["rev-parse", branch]);
const mayMerge = async (issue: IssueAtWork, as = {}) =>
  (await api.get(`/api/issues/${issue.id}`, as)).body.callerMay.merge;

describe("A merge of an issue", () => {
  it.each(["merge", "squash"])(
    "by %s gets it in beside what the host has since, by its author and with trailers",
    async (method) => {
      const at = await aRepository();
      await api.patch(`/api/repositories/${at.repositoryId}`, {
        authorName: "{agent} (agents)",
        authorEmail: "agents+{agentKey}@example.com",
      });
      const issue = await issueAtWork(api, host, at);
      expect(await mayMerge(issue)).toMatchObject({ allowed: false, code: "nothing_to_merge" });
      const head = await issue.leave({ "work.txt": "work\n" });
      const onto = host.commit({ "since.txt": `${method}\n` }, at.defaultBranch);
      expect(await mayMerge(issue)).toEqual({ allowed: true });
      const { status, body } = await merge(issue, method);
      expect([status, body]).toMatchObject([200, { method, fromCommit: head, ontoCommit: onto }]);
      expect(atHost(at.defaultBranch)).toBe(body.commit);
      expect(git(host.bare, ["ls-tree", "--name-only", body.commit])).toEqual(
        expect.stringMatching(/a\.txt[\s\S]*since\.txt\nwork\.txt$/),
      );
      expect(git(host.bare, ["log", "-1", "--format=%P", body.commit])).toBe(
        method === "merge" ? `${onto} ${head}` : onto,
      );
      expect(git(host.bare, ["log", "-1", "--format=%an <%ae> %cn <%ce>", body.commit])).toMatch(
        /^(Agent \S+ \(agents\) <agents\+agent-\S+@example\.com>) \1$/,
      );
      const message = git(host.bare, ["log", "-1", "--format=%B", body.commit]);
      expect(message).toContain(`Boardroom-Issue: ${issue.identifier}\n`);
      expect(message).toContain("Boardroom-Agent: Agent ");
      expect(message).toContain(`Boardroom-Run: ${issue.runId}`);
      // Its changes are shown still, and it is not merged again.
      const [changes] = (await api.get(`/api/issues/${issue.id}/changes`)).body;
      expect(changes).toMatchObject({
        mergeCommit: body.commit,
        conflicts: null,
        files: [{ path: "work.txt" }],
      });
      expect((await merge(issue, method)).body.code).toBe("nothing_to_merge");
      expect(await mayMerge(issue)).toMatchObject({ allowed: false, code: "nothing_to_merge" });
      const { body: log } = await api.get(`/api/companies/${companyId}/activity?entityId=${issue.id}`);
      expect(log.filter(({ action }: { action: string }) => action === "issue.merged")).toHaveLength(1);
    },
  );

  it("by squash is not in the way of later work on the same lines, of the issue or of a sub-issue", async () => {
    const at = await aRepository();
    const commitOnTop = (files: Readonly<Record<string, string>>) => {
      git(host.work, ["fetch", "-q", host.bare, at.defaultBranch]);
      git(host.work, ["checkout", "-q", "-B", at.defaultBranch, "FETCH_HEAD"]);
      host.commit(files, at.defaultBranch);
      // Other tests commit there, too, and begin where they left it.
      git(host.work, ["checkout", "-q", "main"]);
    };
    const issue = await issueAtWork(api, host, at);
    const head = await issue.leave({ "work.txt": "one\ntwo\n" });
    expect((await merge(issue, "squash")).status).toBe(200);
    const part = await issueAtWork(api, host, { ...at, from: head, fields: { parentId: issue.id } });
    commitOnTop({ "since.txt": "x\n" });
    await issue.leave({ "work.txt": "1\ntwo\n" }, "second");
    const [changes] = (await api.get(`/api/issues/${issue.id}/changes`)).body;
    expect(changes).toMatchObject({
      conflicts: null,
      mergedAt: null,
      files: [{ path: "work.txt", added: 1 }],
    });
    expect(changes.commits.map(({ message }: { message: string }) => message.trim())).toEqual(["second"]);
    expect(await merge(issue, "squash")).toMatchObject({ status: 200 });
    expect(git(host.bare, ["show", `${at.defaultBranch}:work.txt`])).toBe("1\ntwo");
    await part.leave({ "work.txt": "one\ntwo\nthree\n" }, "part");
    const [ofPart] = (await api.get(`/api/issues/${part.id}/changes`)).body;
    expect(ofPart.commits.map(({ message }: { message: string }) => message.trim())).toEqual(["part"]);
    expect(await merge(part, "merge")).toMatchObject({ status: 200 });
    expect(git(host.bare, ["show", `${at.defaultBranch}:work.txt`])).toBe("1\ntwo\nthree");
    // Lines that really differ conflict still.
    commitOnTop({ "work.txt": "uno\ntwo\nthree\n" });
    await issue.leave({ "work.txt": "I\ntwo\n" }, "third");
    expect((await merge(issue, "squash")).body.code).toBe("merge_conflict");
  });

  it("moves the branch forward where nothing came between, and refuses to where something did", async () => {
    const at = await aRepository();
    const [one, other] = [await issueAtWork(api, host, at), await issueAtWork(api, host, at)];
    const head = await one.leave({ "one.txt": "x\n" });
    await other.leave({ "other.txt": "x\n" });
    expect((await merge(one, "fast_forward")).status).toBe(200);
    expect(atHost(at.defaultBranch)).toBe(head);
    expect((await merge(other, "fast_forward")).body.code).toBe("not_fast_forward");
    expect(atHost(at.defaultBranch)).toBe(head);
    // A refusal is not in the way of another method, and new work after a merge is merged again.
    expect((await merge(other, "merge")).status).toBe(200);
    await one.leave({ "one.txt": "y\n" });
    expect((await merge(one, "squash")).status).toBe(200);
    expect(git(host.bare, ["show", `${at.defaultBranch}:one.txt`])).toBe("y");
  });

  it("that conflicts names both sides, opens a done issue again and wakes its agent", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    const head = await issue.leave({ "a.txt": "ours\n" });
    await api.post(`/api/heartbeat-runs/${issue.runId}/cancel`);
    await api.patch(`/api/issues/${issue.id}`, { status: "done" });
    const onto = host.commit({ "a.txt": "theirs\n" }, at.defaultBranch);
    const { status, body } = await merge(issue, "merge");
    expect([status, body]).toMatchObject([
      409,
      {
        code: "merge_conflict",
        details: { from: head, onto, files: ["a.txt"], branch: `boardroom/${issue.identifier}` },
      },
    ]);
    expect(atHost(at.defaultBranch)).toBe(onto);
    expect((await api.get(`/api/issues/${issue.id}`)).body.status).toBe("todo");
    const [wake] = await api.sql`
      select payload from wakes where issue_id = ${issue.id} and reason = 'issue_merge_conflicted'
    `;
    for (const side of [head, onto, "a.txt"]) expect(wake?.payload.message).toContain(side);
    expect(await mayMerge(issue)).toEqual({ allowed: true });
  });

  it("of several issues at once, each asked for twice, gets all of them in, one after the other", async () => {
    const at = await aRepository();
    const issues: IssueAtWork[] = [];
    for (let n = 0; n < 6; n++) {
      const issue = await issueAtWork(api, host, at);
      await issue.leave({ [`${n}.txt`]: "x\n" });
      issues.push(issue);
    }
    // A merge that has waited for a minute is told to try again.
    const mergeInTurn = async (issue: IssueAtWork) => {
      for (;;) {
        const answer = await merge(issue, "squash");
        if (answer.body.code !== "repository_busy") return answer;
      }
    };
    const answers = await Promise.all([...issues, ...issues].map(mergeInTurn));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...issues.map(() => 200),
      ...issues.map(() => 409),
    ]);
    expect(git(host.bare, ["rev-list", "--count", `${at.first}..${at.defaultBranch}`])).toBe("6");
  });

  it("is tried again where the host moves on during it", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    await issue.leave({ "work.txt": "x\n" });
    let moved = "";
    host.before = (path) => {
      if (moved !== "" || !path.endsWith("/git-receive-pack")) return;
      moved = host.commit({ "since.txt": `${randomUUID()}\n` }, at.defaultBranch);
    };
    const { body } = await merge(issue, "squash").finally(() => {
      host.before = null;
    });
    expect(moved).not.toBe("");
    expect(body.ontoCommit).toBe(moved);
    expect(atHost(at.defaultBranch)).toBe(body.commit);
  });

  it("by an agent needs a grant for the repository", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    await issue.leave({ "work.txt": "x\n" });
    const merger = await api.agent(companyId);
    const { as } = await api.atWork(merger.id);
    expect(await merge(issue, "squash", as)).toMatchObject({ status: 403, body: { code: "forbidden" } });
    const grant = (classes: readonly string[], agentId = merger.id) =>
      api.make(`/api/companies/${companyId}/grants`, {
        agentId,
        permission: "code:merge",
        classes,
      });
    await grant([(await aRepository()).repositoryId]);
    expect((await merge(issue, "squash", as)).status).toBe(403);
    expect(await mayMerge(issue, as)).toMatchObject({ allowed: false });
    await grant([at.repositoryId]);
    expect(await mayMerge(issue, as)).toEqual({ allowed: true });
    const other = await api.agent(companyId);
    await grant([at.repositoryId], other.id);
    const ended = await api.atWork(other.id);
    await api.post(`/api/heartbeat-runs/${ended.runId}/cancel`);
    expect((await merge(issue, "squash", ended.as)).status).toBeGreaterThanOrEqual(401);
    expect((await merge(issue, "squash", as)).status).toBe(200);
  });

  it("waits for the gates of the project, which the board overrides", async () => {
    const at = await aRepository();
    const { id: reviewerUserId } = await api.user(companyId, "operator");
    await api.put(`/api/projects/${at.projectId}/gates`, {
      gates: [{ name: "Looked at", kind: "review", reviewerUserId }],
    });
    const issue = await issueAtWork(api, host, at);
    await issue.leave({ "work.txt": "x\n" });
    expect(await merge(issue, "squash")).toMatchObject({
      status: 409,
      body: { code: "gates_unmet", details: { gates: [{ name: "Looked at" }] } },
    });
    expect(atHost(at.defaultBranch)).toBe(at.first);
    const over = { method: "squash", overrideGates: true };
    const merger = await api.agent(companyId);
    const { as } = await api.atWork(merger.id);
    await api.make(`/api/companies/${companyId}/grants`, {
      agentId: merger.id,
      permission: "code:merge",
      classes: ["all"],
    });
    expect((await api.post(`/api/issues/${issue.id}/merge`, over, as)).status).toBe(403);
    expect((await api.post(`/api/issues/${issue.id}/merge`, over)).status).toBe(200);
    const { body: log } = await api.get(`/api/companies/${companyId}/activity?entityId=${issue.id}`);
    expect(log.filter(({ action }: { action: string }) => action === "issue.gates_overridden")).toHaveLength(
      1,
    );
  });

  it("that the host refuses or does not answer is a sentence, and changes nothing", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    await issue.leave({ "work.txt": "x\n" });
    await api.sql`update repositories set url = ${host.at("/gone.git")} where id = ${at.repositoryId}`;
    expect(await merge(issue, "squash")).toMatchObject({
      status: 422,
      body: { code: "repository_unusable" },
    });
    expect(await mayMerge(issue)).toEqual({ allowed: true });
    await api.sql`update repositories set url = ${host.url} where id = ${at.repositoryId}`;
    expect((await merge(issue, "squash")).status).toBe(200);
  });

  it.each([
    ["after the push is recorded by the next service", "after", "merged"],
    ["before the push is pushed by the next service", "before", "merged"],
    ["before the push, and after which the host went on, is given up", "passed by", "failed"],
  ])("whose service died %s, and the next one gets in", async (_, when, state) => {
    const at = await aRepository();
    const [issue, other] = [await issueAtWork(api, host, at), await issueAtWork(api, host, at)];
    const head = await issue.leave({ "work.txt": "x\n" });
    await other.leave({ "other.txt": "x\n" });
    // Its commit is in the shared store, from where it is pushed.
    if (when !== "passed by") await merge(issue, "fast_forward");
    if (when === "before") git(host.bare, ["update-ref", `refs/heads/${at.defaultBranch}`, at.first]);
    // As SIGKILL leaves it: the commit is noted, and nothing that follows is.
    await api.sql`delete from merges where issue_id = ${issue.id}`;
    await api.sql`update issue_branches set merged_at = null, merge_commit = null where issue_id = ${issue.id}`;
    await api.sql`
      insert into merges (
        id, company_id, issue_id, repository_id, method, from_commit, onto_commit, commit, state, by_kind, lease_until,
        lapsed_at, created_at
      )
      values (
        gen_random_uuid(), ${companyId}, ${issue.id}, ${at.repositoryId}, 'fast_forward', ${head}, ${at.first}, ${head},
        'running', 'system', now() - interval '1 minute', now() - interval '1 minute', now()
      )
    `;
    if (when === "passed by") host.commit({ "since.txt": "x\n" }, at.defaultBranch);
    expect((await merge(other, "merge")).status).toBe(200);
    const [row] = await api.sql`
      select state from merges where issue_id = ${issue.id}
    `;
    expect(row?.state).toBe(state);
    expect((await merge(issue, "merge")).status).toBe(state === "merged" ? 409 : 200);
    expect((await api.get(`/api/issues/${issue.id}/changes`)).body[0].mergeCommit).not.toBeNull();
    expect(
      git(host.bare, ["log", "--format=%s", at.defaultBranch, "--", "work.txt"]).split("\n"),
    ).toHaveLength(1);
  });

  it("is not taken from a service at once when its lease ends, as all leases do while the database answers nobody", async () => {
    const at = await aRepository();
    const [issue, other] = [await issueAtWork(api, host, at), await issueAtWork(api, host, at)];
    await issue.leave({ "work.txt": "x\n" });
    await other.leave({ "other.txt": "x\n" });
    const answers: number[] = [];
    await new Promise<void>((resolve, reject) => {
      const others = async () => {
        await api.sql`update merges set lease_until = now() - interval '1 second' where issue_id = ${issue.id}`;
        merge(other, "squash").then(({ status }) => {
          answers.push(status);
          resolve();
        }, reject);
        // It has looked at the lease.
        await eventually(
          async () =>
            (await api.sql`select from merges where issue_id = ${issue.id} and lapsed_at is not null`).length,
          (seen) => seen === 1,
        );
      };
      host.hold = (url) => {
        if (!url.endsWith("/git-receive-pack")) return;
        host.hold = null;
        return others();
      };
      merge(issue, "squash").then(({ status }) => answers.push(status), reject);
    });
    expect(answers).toEqual([200, 200]);
  });

  it("is merged although its lease comes up for renewal after it has ended", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    await issue.leave({ "work.txt": "x\n" });
    let isPushed = false;
    host.hold = (url) => {
      isPushed ||= url.endsWith("/git-receive-pack");
      if (!isPushed || !url.includes("git-upload-pack")) return;
      host.hold = null;
      return setTimeout((workLease.renewSec + 1) * 1_000);
    };
    expect((await merge(issue, "squash")).status).toBe(200);
  });

  it("that another service has ended meanwhile is not written again, and pushes nothing", async () => {
    const at = await aRepository();
    const issue = await issueAtWork(api, host, at);
    await issue.leave({ "work.txt": "x\n" });
    host.hold = (url) => {
      if (!url.includes("git-upload-pack")) return;
      host.hold = null;
      return api.sql`update merges set state = 'failed' where issue_id = ${issue.id}`.then(() => {});
    };
    expect(await merge(issue, "squash")).toMatchObject({ status: 409, body: { code: "repository_busy" } });
    expect(atHost(at.defaultBranch)).toBe(at.first);
    expect(await api.sql`select state from merges where issue_id = ${issue.id}`).toEqual([
      { state: "failed" },
    ]);
    expect((await merge(issue, "squash")).status).toBe(200);
  });
});
