import { expect } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { eventually } from "./eventually.ts";
import { type GitHost, git } from "./git-host.ts";
import type { PullRequestHost } from "./git-hosts/pull-request-host.ts";

/** A company whose agents work for a repository of a git host. */
export interface GettingIn {
  readonly host: GitHost;
  readonly pulls: PullRequestHost;
  readonly admin: Client;
  readonly companyId: string;
  /** Makes an issue of which an agent carries out the script each time that it is woken. */
  issueOf(projectId: string, title: string, script: string): Promise<{ readonly id: string }>;
}

/** Hands the issue in for review, so that nothing continues it. */
const handIn = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

/** Four issues: one merged after a gate failed once, one by a pull request, one in conflict, one abandoned and restored. */
export const getIn = async (scene: GettingIn): Promise<void> => {
  const { host, pulls, admin, companyId, issueOf: issueFor } = scene;
  const { id: credentialSecretId } = await admin.secrets.create({
    companyId,
    name: "host",
    value: host.token!,
  });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
  const { id: repositoryId } = await admin.repositories.create({
    projectId,
    ...pulls.fields,
    credentialSecretId,
    closesIssues: true,
  });
  await admin.projects.setGates({
    projectId,
    gates: [
      { name: "tidy", kind: "clean" },
      {
        name: "tests",
        kind: "command",
        command: "echo looks; test -f ok.txt || { echo no ok.txt; exit 3; }",
      },
    ],
  });
  const issueOf = (title: string, script: string) =>
    issueFor(projectId, title, `${script}; git add -A; git commit -qm work || true; ${handIn}`);
  const gatesOf = async (issueId: string) => (await admin.issues.gates({ issueId })).gates;
  const met = (issueId: string) =>
    eventually(
      () => admin.issues.gates({ issueId }),
      ({ gates, commits }) => commits.length > 0 && gates.every(({ reason }) => reason === null),
    );

  // One: its first work fails the command, whose log wakes the agent, which mends it.
  const one = await issueOf(
    "Fails once",
    `if [ -e one.txt ]; then echo ok >ok.txt; else echo one >one.txt; fi`,
  );
  const failed = await eventually(
    () => gatesOf(one.id),
    (gates) => gates.some(({ check }) => check?.state === "failed"),
  );
  expect(failed.find(({ kind }) => kind === "command")).toMatchObject({
    reason: "The command failed: the program ended with 3.",
    check: { log: expect.stringContaining("no ok.txt"), durationMs: expect.any(Number) },
  });
  // The gate that passes wakes it once more; while that run has the workspace, nothing is merged.
  await eventually(
    async () => (await admin.runs.ofIssue({ issueId: one.id })).items,
    (runs) => runs.length === 3 && runs.every(({ finishedAt }) => finishedAt !== null),
  );
  const after = await met(one.id);
  expect(after.gates.find(({ kind }) => kind === "command")?.check).toMatchObject({ state: "passed" });
  const { items: comments } = await admin.issues.comments({ issueId: one.id });
  expect(comments.map(({ body }) => body).join("\n")).toContain("no ok.txt");
  await admin.issues.update({ issueId: one.id, status: "done" });
  expect((await admin.issues.get({ issueId: one.id })).verifiedAt).not.toBeNull();
  await admin.issues.merge({ issueId: one.id, method: "squash" });
  expect(git(host.bare, ["show", "main:ok.txt"])).toBe("ok");

  // Two and three change the same line; both begin from what the first has brought. A gate that passes wakes them again.
  const two = await issueOf(
    "By a pull request",
    `grep -qx two a.txt || { git pull -q --rebase origin main; echo two >a.txt; }`,
  );
  const three = await issueOf(
    "In conflict",
    `grep -qx three a.txt || { git pull -q --rebase origin main; echo three >a.txt; }`,
  );
  await Promise.all([met(two.id), met(three.id)]);
  const pull = await admin.issues.openPullRequest({ issueId: two.id });
  expect(pull).toMatchObject({ state: "open", number: 1 });
  pulls.merge(1);
  // The service finds it by itself.
  const closed = await eventually(
    () => admin.issues.get({ issueId: two.id }),
    ({ status }) => status === "done",
  );
  expect(closed.verifiedAt).not.toBeNull();
  await expect(admin.issues.merge({ issueId: three.id, method: "merge" })).rejects.toMatchObject({
    code: "merge_conflict",
  });
  expect(git(host.bare, ["show", "main:a.txt"])).toBe("two");
  await eventually(
    async () => (await admin.runs.ofIssue({ issueId: three.id })).items,
    (runs) => runs.some(({ wakeReason }) => wakeReason === "issue_merge_conflicted"),
  );

  // Four is abandoned, its folder removed, and restored from what was kept.
  const four = await issueOf("Abandoned", `cat loose.txt 2>/dev/null || echo loose >loose.txt`);
  await eventually(
    async () => (await admin.issues.get({ issueId: four.id })).status,
    (status) => status === "in_review",
  );
  const find = async () => (await admin.workspaces.list({ companyId, issueId: four.id })).items[0];
  const captured = await eventually(find, (tree) => tree?.status === "kept");
  await admin.workspaces.remove({ workspaceId: captured!.id, abandon: true });
  await admin.workspaces.restore({ workspaceId: captured!.id });
  expect((await admin.issues.changes({ issueId: four.id }))[0]).toMatchObject({
    repositoryId,
    files: expect.arrayContaining([expect.objectContaining({ path: "loose.txt" })]),
  });
};
