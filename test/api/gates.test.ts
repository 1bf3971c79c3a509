import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { doneAsOf } from "../../adapters-infra/postgres/facts.ts";
import { doneAs } from "../../core/model/issues/done-as.ts";
import { issueStatuses } from "../../core/model/issues/issue-status.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { ApiService } from "../support/api-service.ts";
import type { GitHost } from "../support/git-host.ts";
import { type HostedApi, startHostedApi } from "../support/hosted-api.ts";
import { type IssueAtWork, issueAtWork } from "../support/issue-work.ts";

let hosted: HostedApi;
let api: ApiService;
let host: GitHost;
let companyId: string;
let reviewer: { readonly id: string };

beforeAll(async () => {
  hosted = await startHostedApi();
  ({ api, host, companyId } = hosted);
  reviewer = await api.agent(companyId);
});
afterAll(() => hosted?.stop());

/** A project with a repository and all kinds of gates, and an issue on which an agent is at work. */
const aGatedIssue = async () => {
  const repository = await hosted.repository();
  const { projectId, repositoryId } = repository;
  const gates = [
    { name: "nothing uncommitted", kind: "clean" },
    { name: "published", kind: "published" },
    { name: "reviewed", kind: "review", reviewerAgentId: reviewer.id },
  ];
  const { status, body } = await api.put(`/api/projects/${projectId}/gates`, { gates });
  expect([status, body]).toMatchObject([200, gates]);
  expect((await api.get(`/api/projects/${projectId}/gates`)).body).toMatchObject(gates);
  const issue = await issueAtWork(api, host, repository);
  return { issue, projectId, repositoryId };
};

/** Leaves a commit as the end of a run does, with files that are not committed where `isDirty`. */
const leave = async (issue: IssueAtWork, text: string, { isDirty = false, isPublished = true } = {}) => {
  const head = await issue.leave({ "work.txt": text });
  await api.sql`
    update  issue_branches
    set     published_at = ${isPublished ? new Date() : null}
    where   issue_id = ${issue.id}
  `;
  await api.sql`
    insert into run_works (run_id, repository_id, company_id, issue_id, workspace_id, head, files, left_out, captured_at)
    select  captured_run_id, repository_id, company_id, issue_id, gen_random_uuid(), head,
            ${isDirty ? "f".repeat(40) : head}, '[]', now()
    from    issue_branches
    where   issue_id = ${issue.id}
    on conflict (run_id, repository_id) do update
    set     head = excluded.head, files = excluded.files
  `;
  return head;
};

const unmetOf = async (issue: IssueAtWork) =>
  (await api.get(`/api/issues/${issue.id}/gates`)).body.gates.flatMap(
    ({ name, reason }: { name: string; reason: string | null }) => (reason === null ? [] : [name]),
  );
const finish = (issue: IssueAtWork, more = {}) =>
  api.patch(`/api/issues/${issue.id}`, { status: "done", ...more });
const review = (issue: IssueAtWork, commits: readonly string[], as: object, verdict = "approved") =>
  api.post(`/api/issues/${issue.id}/reviews`, { verdict, commits, note: "Mind the gap." }, as);

const progressOf = async (projectId: string) => {
  const { body } = await api.get(`/api/companies/${companyId}/issues/progress?by=project`);
  return body.find(({ id }: { id: string }) => id === projectId);
};
/** The sentence of the inbox about a watched issue that anybody has changed. */
const newsOf = async (issue: IssueAtWork) => {
  await api.sql`update activity set actor_id = ${issue.agentId} where entity_id = ${issue.id}`;
  const { body } = await api.get(`/api/companies/${companyId}/inbox`);
  return body.find(({ subject }: { subject: { id: string } }) => subject.id === issue.id)?.reason;
};

describe("An issue that is done", () => {
  it("is verified, reported or neither alike in the core and in the database", async () => {
    const { projectId: gated } = await aGatedIssue();
    const { projectId: open } = await hosted.repository();
    for (const status of issueStatuses)
      for (const verifiedAt of [null, "2026-01-01T00:00:00.000Z" as Instant])
        for (const projectId of [null, gated, open]) {
          const [row] = await api.sql`
            select  ${doneAsOf(api.sql, api.sql`one`)} as found
            from    (select gen_random_uuid(), ${status}::text, ${verifiedAt}::timestamptz, ${projectId}::uuid, false)
                    as one (id, status, verified_at, project_id, has_own_gates)
          `;
          expect([status, verifiedAt, row?.found]).toEqual([
            status,
            verifiedAt,
            doneAs({ status, verifiedAt }, projectId === gated),
          ]);
        }
  });

  it("reads as reported in lists as soon as its project has gates, and is found so", async () => {
    const { projectId } = await hosted.repository();
    const issue = await api.issue(companyId, { projectId, status: "todo" });
    await api.patch(`/api/issues/${issue.id}`, { status: "done" });
    const shown = async () =>
      (await api.get(`/api/companies/${companyId}/issues?projectId=${projectId}`)).body[0].doneAs;
    expect(await shown()).toBeNull();
    await api.put(`/api/projects/${projectId}/gates`, { gates: [{ name: "clean", kind: "clean" }] });
    expect(await shown()).toBe("reported");
    const found = async (query: string) => {
      const list = `/api/companies/${companyId}/issues`;
      const { body: rows } = await api.get(`${list}?projectId=${projectId}&${query}`);
      const { body: counted } = await api.get(
        `${list}/count?projectId=${projectId}&${query.replace(/&sort=\w+/, "")}`,
      );
      expect(counted.count).toBe(rows.length);
      return rows.map(({ id }: { id: string }) => id);
    };
    for (const sort of ["priority", "activity", "newest", "created"])
      expect(await found(`doneAs=reported&sort=${sort}`)).toEqual([issue.id]);
    expect(await found("doneAs=reported&status=todo")).toEqual([]);
    expect(await found("doneAs=verified")).toEqual([]);
    await api.sql`update issues set verified_at = now() where id = ${issue.id}`;
    expect(await found("doneAs=verified&status=done,todo")).toEqual([issue.id]);
    expect(await found("doneAs=reported")).toEqual([]);
    await api.sql`update issues set verified_at = null where id = ${issue.id}`;
    await api.put(`/api/projects/${projectId}/gates`, { gates: [] });
    expect(await shown()).toBeNull();
  });
});

describe("An issue of a project with gates", () => {
  it("is done when each is met, and is then told apart from one that is reported so", async () => {
    const { issue, projectId } = await aGatedIssue();
    await api.put(`/api/issues/${issue.id}/watchers/me`, {});
    const names = ["nothing uncommitted", "published", "reviewed"];
    const head = await leave(issue, "one\n", { isDirty: true, isPublished: false });
    expect(await unmetOf(issue)).toEqual(names);
    const refused = await finish(issue);
    expect([refused.status, refused.body.code]).toEqual([409, "gates_unmet"]);
    expect(refused.body.details.gates.map(({ name }: { name: string }) => name)).toEqual(names);
    for (const name of names) expect(refused.body.error).toContain(name);
    expect((await api.get(`/api/issues/${issue.id}`)).body.status).not.toBe("done");

    await leave(issue, "two\n");
    const { as } = await api.atWork(reviewer.id);
    // The one that was read first is not what is there now.
    expect((await review(issue, [head], as)).body.code).toBe("review_outdated");
    const [{ commit }] = (await api.get(`/api/issues/${issue.id}/gates`)).body.commits;
    expect((await review(issue, [commit], as, "changes_requested")).status).toBe(200);
    expect((await finish(issue)).body.details.gates).toMatchObject([
      { name: "reviewed", kind: "review", reason: expect.stringContaining("Mind the gap.") },
    ]);
    expect((await review(issue, [commit], as)).status).toBe(200);
    expect(await unmetOf(issue)).toEqual([]);

    // A later commit makes the review old.
    const later = await leave(issue, "three\n");
    expect(await unmetOf(issue)).toEqual(["reviewed"]);
    expect((await finish(issue)).body.details.gates[0].reason).toContain("older than the last commit");
    expect((await review(issue, [later], as)).status).toBe(200);
    expect((await finish(issue)).body).toMatchObject({ status: "done", verifiedAt: expect.any(String) });
    const { body: rows } = await api.get(`/api/companies/${companyId}/issues?status=done`);
    expect(rows.find(({ id }: { id: string }) => id === issue.id)).toMatchObject({
      verifiedAt: expect.any(String),
      doneAs: "verified",
    });
    expect(await progressOf(projectId)).toMatchObject({
      counts: { done: 1 },
      done: { verified: 1, reported: 0 },
    });
    // The request for changes is a comment.
    expect(await newsOf(issue)).toMatch(/ commented, and the issue is done and verified by its gates\.$/);
    expect((await api.patch(`/api/issues/${issue.id}`, { status: "todo" })).body.verifiedAt).toBeNull();
  });

  it("is made done by the board all the same, which is logged, and by no agent", async () => {
    const { issue, projectId } = await aGatedIssue();
    await leave(issue, "one\n");
    const { as } = await api.atWork(issue.agentId, issue.id);
    for (const change of [
      { status: "done", overrideGates: true },
      { status: "done", projectId: null },
      { projectId: null },
    ])
      expect((await api.patch(`/api/issues/${issue.id}`, change, as)).status).toBe(403);
    expect((await api.put(`/api/projects/${projectId}/gates`, { gates: [] }, as)).status).toBe(403);
    expect((await review(issue, [], as)).status).toBe(403);
    expect((await finish(issue, { overrideGates: true })).body).toMatchObject({
      status: "done",
      verifiedAt: null,
    });
    const row = async () => {
      const { body: rows } = await api.get(`/api/companies/${companyId}/issues?projectId=${projectId}`);
      return rows[0].doneAs;
    };
    expect(await row()).toBe("reported");
    expect(await progressOf(projectId)).toMatchObject({
      counts: { done: 1 },
      done: { verified: 0, reported: 1 },
    });
    const { body: log } = await api.get(`/api/companies/${companyId}/activity?entityId=${issue.id}`);
    expect(log).toContainEqual(
      expect.objectContaining({
        action: "issue.gates_overridden",
        details: expect.objectContaining({ gates: ["reviewed"] }),
      }),
    );
  });

  it("is not made done at once, and waits for a run that has its workspace", async () => {
    const { issue, projectId } = await aGatedIssue();
    const made = await api.post(`/api/companies/${companyId}/issues`, {
      title: "Done at once",
      status: "done",
      projectId,
    });
    expect([made.status, made.body.code]).toEqual([409, "gates_unmet"]);
    await leave(issue, "one\n");
    await api.sql`
      insert into issue_workspaces (id, company_id, issue_id, volume, run_id, uncaptured_run_id, clones, used_at, created_at)
      values (gen_random_uuid(), ${companyId}, ${issue.id}, 'v', gen_random_uuid(), gen_random_uuid(), '[]', now(), now())
      on conflict do nothing
    `;
    expect(await unmetOf(issue)).toContain("nothing uncommitted");
  });

  it("is reviewed by those that a gate names, and not by who worked on it", async () => {
    const { issue, projectId } = await aGatedIssue();
    const head = await leave(issue, "one\n");
    const gates = [{ name: "by itself", kind: "review", reviewerAgentId: issue.agentId }];
    await api.put(`/api/projects/${projectId}/gates`, { gates });
    const own = await api.atWork(issue.agentId);
    expect((await review(issue, [head], own.as)).body.error).toContain("own work");
    const other = await api.atWork(reviewer.id);
    expect((await review(issue, [head], other.as)).body.error).toContain("aren't a reviewer");
    expect((await review(issue, [head], {})).status).toBe(403);
  });
});

describe("An issue with gates of its own", () => {
  const reviewed = () => ({ name: "looked at", kind: "review", reviewerAgentId: reviewer.id });
  const set = (issue: { readonly id: string }, gates: readonly object[] | null, as = {}) =>
    api.put(`/api/issues/${issue.id}/gates`, { gates }, as);

  it("meets these in place of its project's, until they are taken back, and no agent changes them", async () => {
    const { issue, projectId } = await aGatedIssue();
    const head = await leave(issue, "one\n", { isDirty: true });
    const { status, body } = await set(issue, [reviewed()]);
    expect([status, body]).toMatchObject([200, { isOwn: true, gates: [{ name: "looked at" }] }]);
    expect(await unmetOf(issue)).toEqual(["looked at"]);
    const worker = await api.atWork(issue.agentId, issue.id);
    for (const gates of [[], null, [reviewed()]])
      expect((await set(issue, gates, worker.as)).status).toBe(403);
    // Neither a change of the project's gates nor another project changes it.
    await api.put(`/api/projects/${projectId}/gates`, { gates: [] });
    const other = await hosted.repository();
    expect((await api.patch(`/api/issues/${issue.id}`, { projectId: null }, worker.as)).status).toBe(403);
    await api.patch(`/api/issues/${issue.id}`, { projectId: other.projectId });
    expect((await finish(issue)).body.details.gates).toMatchObject([{ name: "looked at" }]);
    await api.patch(`/api/issues/${issue.id}`, { projectId });
    const { as } = await api.atWork(reviewer.id);
    expect((await review(issue, [head], as)).status).toBe(200);
    const gates = [{ name: "nothing uncommitted", kind: "clean" }];
    await api.put(`/api/projects/${projectId}/gates`, { gates });
    expect((await finish(issue)).body).toMatchObject({ status: "done", verifiedAt: expect.any(String) });
    await api.patch(`/api/issues/${issue.id}`, { status: "todo" });
    expect((await set(issue, null)).body).toMatchObject({ isOwn: false, gates });
    expect((await finish(issue)).body.details.gates).toMatchObject(gates);
    const { body: log } = await api.get(`/api/companies/${companyId}/activity?entityId=${issue.id}`);
    const setAs = log.filter(({ action }: { action: string }) => action === "issue.gates_set");
    expect(setAs.map(({ details }: { details: { gates: unknown } }) => details.gates)).toEqual([
      null,
      [{ name: "looked at", kind: "review" }],
    ]);
  });

  it("reads as reported where they are not met, and as neither where it has none", async () => {
    const { projectId } = await hosted.repository();
    await api.put(`/api/projects/${projectId}/gates`, { gates: [{ name: "clean", kind: "clean" }] });
    const shown = async () => {
      const { body: rows } = await api.get(`/api/companies/${companyId}/issues?projectId=${projectId}`);
      const { done } = await progressOf(projectId);
      return [rows[0].doneAs, done];
    };
    const issue = await api.issue(companyId, { projectId, status: "todo" });
    await set(issue, []);
    expect((await api.patch(`/api/issues/${issue.id}`, { status: "done" })).status).toBe(200);
    expect(await shown()).toEqual([null, { verified: 0, reported: 0 }]);
    await set(issue, [reviewed()]);
    expect(await shown()).toEqual(["reported", { verified: 0, reported: 1 }]);
  });
});

describe("A command as a gate", () => {
  const gates = [{ name: "tests", kind: "command", command: "make test" }];
  const put = (path: string) => api.put(`/api/${path}/gates`, { gates });

  it("is refused where nothing runs it: without a repository that gives each issue a workspace", async () => {
    const refused = { code: "gate_not_runnable", details: { path: ["gates", 0, "kind"] } };
    const { id: bare } = await api.make(`/api/companies/${companyId}/projects`, { name: "Bare" });
    const { projectId, repositoryId } = await hosted.repository();
    const issues = [];
    for (const of of [undefined, bare, projectId])
      issues.push((await api.issue(companyId, of === undefined ? {} : { projectId: of })).id);
    const paths = [`projects/${bare}`, `issues/${issues[0]}`, `issues/${issues[1]}`];
    for (const path of paths) {
      const { status, body } = await put(path);
      expect([status, body]).toMatchObject([422, refused]);
    }
    const own = [`projects/${projectId}`, `issues/${issues[2]}`];
    for (const path of own) expect((await put(path)).status).toBe(200);
    await api.patch(`/api/repositories/${repositoryId}`, { mode: "shared" });
    for (const path of own) expect((await put(path)).body).toMatchObject(refused);
  });

  it.each([
    ["share the agents' folders now", (path: string) => api.patch(path, { mode: "shared" }), true],
    ["are gone", (path: string) => api.delete(path), false],
  ])(
    "is not met where the repositories of its project %s, and says what to do",
    async (_, change, staysProven) => {
      const repository = await hosted.repository();
      const { projectId, repositoryId } = repository;
      await put(`projects/${projectId}`);
      const [checked, worked] = [
        await issueAtWork(api, host, repository),
        await issueAtWork(api, host, repository),
      ];
      const head = await leave(checked, "x");
      await leave(worked, "y");
      await api.sql`
      insert into gate_checks (issue_id, company_id, gate, command, commits, state, log, wakes, lease_until, started_at, finished_at)
      values (${checked.id}, ${companyId}, 'tests', 'make test', ${[head]}::text[], 'passed', '', 0, now(), now(), now())
    `;
      const { id: fresh } = await api.issue(companyId, { projectId });
      expect((await change(`/api/repositories/${repositoryId}`)).status).toBeLessThan(300);
      const nothing = expect.stringMatching(/^The command can't run: .* Add one, set a repository's mode /);
      for (const id of [worked.id, fresh]) {
        expect((await api.get(`/api/issues/${id}/gates`)).body.gates).toMatchObject([{ reason: nothing }]);
        expect(await api.patch(`/api/issues/${id}`, { status: "done" })).toMatchObject({
          status: 409,
          body: { code: "gates_unmet", details: { gates: [{ name: "tests", reason: nothing }] } },
        });
      }
      // The work of a removed repository is no work of the issue any more.
      const [gate] = (await api.get(`/api/issues/${checked.id}/gates`)).body.gates;
      expect(gate.reason).toEqual(staysProven ? null : nothing);
      await api.put(`/api/projects/${projectId}/gates`, { gates: [] });
      expect((await api.patch(`/api/issues/${fresh}`, { status: "done" })).status).toBe(200);
    },
  );
});

describe("The gates of a project", () => {
  it.each([
    ["a review without a reviewer", [{ name: "a", kind: "review" }], 400],
    [
      "a name twice",
      [
        { name: "a", kind: "clean" },
        { name: "a", kind: "published" },
      ],
      400,
    ],
    ["a kind that is not there", [{ name: "a", kind: "command" }], 400],
    [
      "a reviewer that is not there",
      [{ name: "a", kind: "review", reviewerAgentId: crypto.randomUUID() }],
      422,
    ],
  ])("refuse %s", async (_, gates, status) => {
    const { id } = await api.make(`/api/companies/${companyId}/projects`, { name: "Refusing" });
    expect((await api.put(`/api/projects/${id}/gates`, { gates })).status).toBe(status);
    expect((await api.get(`/api/projects/${id}/gates`)).body).toEqual([]);
  });
});
