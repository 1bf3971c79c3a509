import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type GitHost, startGitHost } from "../support/git-host.ts";
import { startService, type TestService } from "../support/service.ts";

let host: GitHost;
let service: TestService;
let companyId: string;
let credentialSecretId: string;
beforeAll(async () => {
  [host, service] = await Promise.all([startGitHost(), startService({ env: { SERVICE_SANDBOX: "auto" } })]);
  const { admin } = service;
  companyId = (await admin.companies.create({ name: "Harbour" })).id;
  credentialSecretId = (await admin.secrets.create({ companyId, name: "host", value: host.token! })).id;
});
afterAll(async () => {
  await service?.stop();
  host?.close();
});

const patch = (body: object) =>
  `curl -s -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '${JSON.stringify(body)}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" || true`;
const commitWork = `git add -A; git commit -qm work || true`;

let agents = 0;
/** An agent whose program does that in each of its runs, on an issue of a project with these gates. */
const anIssue = async (script: string, gates: readonly object[]) => {
  const { admin } = service;
  const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
  await admin.repositories.create({ projectId, url: host.url, credentialSecretId, allowPrivateHost: true });
  await admin.projects.setGates({ projectId, gates: gates as never });
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: `Ada ${++agents}`,
    adapterType: "process",
    adapterConfig: { command: "/bin/sh", args: ["-euc", script] },
  });
  return admin.issues.create({ companyId, projectId, title: "Write it", assigneeAgentId });
};
const command = (script: string, more = {}) => ({ name: "tests", kind: "command", command: script, ...more });
const runsOf = async (issueId: string) => (await service.admin.runs.ofIssue({ issueId })).items;
/** Waits until the issue has that status and no run is live. */
const finished = (issueId: string, status: string) =>
  eventually(
    async () => ({ issue: await service.admin.issues.get({ issueId }), runs: await runsOf(issueId) }),
    ({ issue, runs }) => issue.status === status && runs.every(({ finishedAt }) => finishedAt !== null),
  );

describe("An issue whose run asked that it be done", () => {
  it.each([
    ["a command", [command("test -f work.txt")]],
    ["nothing uncommitted", [{ name: "tidy", kind: "clean" }]],
    [
      "both, and two commands",
      [{ name: "tidy", kind: "clean" }, command("true"), command("test -f work.txt", { name: "b" })],
    ],
  ])("is done after that one run where its gates pass: %s", async (_, gates) => {
    const { id } = await anIssue(`echo work >work.txt; ${commitWork}; ${patch({ status: "done" })}`, gates);
    const { issue, runs } = await finished(id, "done");
    expect(runs.map(({ status, wakeReason }) => [status, wakeReason])).toEqual([
      ["succeeded", "issue_assigned"],
    ]);
    expect(issue.verifiedAt).not.toBeNull();
  });

  it("keeps the comment of that request, and tells the agent so", async () => {
    const asked = patch({ status: "done", comment: "It is written." });
    const { id } = await anIssue(`echo work >work.txt; ${commitWork}; ${asked}`, [command("true")]);
    const { runs } = await finished(id, "done");
    const { items } = await service.admin.issues.comments({ issueId: id });
    expect(items.map(({ body }) => body)).toEqual(["It is written."]);
    const { content } = await service.admin.runs.log({ runId: runs[0]!.id });
    expect(content).toContain("gates_unmet");
    expect(content).toContain("Boardroom marks it done with this request's comment once the gates pass");
  });

  it("wakes its agent once where a gate fails, and is done after the run that mends it", async () => {
    const mend = `if [ -e work.txt ]; then echo ok >ok.txt; else echo work >work.txt; fi`;
    const { id } = await anIssue(`${mend}; ${commitWork}; ${patch({ status: "done" })}`, [
      command("test -f ok.txt"),
    ]);
    const { runs } = await finished(id, "done");
    expect(runs.map(({ wakeReason }) => wakeReason)).toEqual(["issue_feedback", "issue_assigned"]);
  });

  it("goes to a person where its gate has failed as often as it may, and starts no run then", async () => {
    const { id } = await anIssue(`date +%N >work.txt; ${commitWork}; ${patch({ status: "done" })}`, [
      command("false", { maxWakes: 1 }),
    ]);
    await eventually(
      async () => (await service.admin.issues.comments({ issueId: id })).items,
      (comments) => comments.some(({ body }) => body.includes("Please take a look.")),
    );
    const { runs } = await finished(id, "in_progress");
    expect(runs.map(({ wakeReason }) => wakeReason)).toEqual(["issue_feedback", "issue_assigned"]);
  });

  it("answers a person who comments while its gate runs, and is done after that run", async () => {
    const { id } = await anIssue(
      `[ -e work.txt ] || echo work >work.txt; ${commitWork}; ${patch({ status: "done" })}`,
      // Until the comment's run has been claimed, which is within the command's time limit.
      [command("sleep 4")],
    );
    await eventually(
      async () => (await service.admin.issues.gates({ issueId: id })).gates,
      ([gate]) => gate?.check?.state === "running",
    );
    await service.admin.issues.comment({ issueId: id, body: "Mind the title, too." });
    const { runs } = await finished(id, "done");
    expect(runs.map(({ wakeReason }) => wakeReason)).toEqual(["issue_commented", "issue_assigned"]);
  });
});

describe("An issue whose run ended without a word about it", () => {
  it("starts no run while its gates are judged, and one with their verdict", async () => {
    const { id } = await anIssue(
      `if [ -e work.txt ]; then ${patch({ status: "done" })}; else echo work >work.txt; ${commitWork}; fi`,
      [command("true")],
    );
    const { runs } = await finished(id, "done");
    expect(runs.map(({ wakeReason }) => wakeReason)).toEqual(["issue_feedback", "issue_assigned"]);
  });
});
