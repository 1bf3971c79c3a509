import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { outputOf } from "../support/counted-output.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { type PullRequestHost, startPullRequestHost } from "../support/git-hosts/pull-request-host.ts";
import { type S3Server, startS3 } from "../support/s3-server.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

/** Hands the issue in for review, so that nothing continues it. */
const handIn = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

describe("Work that another service's disk has", () => {
  let host: GitHost;
  let pulls: PullRequestHost;
  let database: TestDatabase;
  let s3: S3Server;
  let directory: string;
  let sql: postgres.Sql;
  /** The one whose disk has the work, and the other, which has the bucket alone in common with it. */
  let worker: ServiceProgram;
  let other: ServiceProgram;
  let boards: { readonly worker: Client; readonly other: Client };
  let companyId: string;
  let projectId: string;

  const serve = (name: string, role: string) =>
    serveProgram(
      join(directory, name),
      {
        DATABASE_URL: database.url,
        SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
        SERVICE_SANDBOX: "auto",
        SERVICE_BLOB_STORE: "s3",
        SERVICE_S3_BUCKET: "boardroom",
        SERVICE_S3_ENDPOINT: s3.url,
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: "not a secret",
      },
      ["--role", role],
    );

  beforeAll(async () => {
    [host, database, s3, directory] = await Promise.all([
      startGitHost(),
      createDatabase(),
      startS3("boardroom"),
      mkdtemp(join(tmpdir(), "work-of-another-disk-")),
    ]);
    sql = postgres(database.url, { max: 1 });
    pulls = await startPullRequestHost(host, "gitea");
    worker = await serve("worker", "all");
    other = await serve("other", "api");
    boards = { worker: await worker.board(), other: await other.board() };
    const { worker: admin } = boards;
    companyId = (await admin.companies.create({ name: "Two Disks" })).id;
    projectId = (await admin.projects.create({ companyId, name: "Crane" })).id;
    const { id: credentialSecretId } = await admin.secrets.create({
      companyId,
      name: "host",
      value: host.token!,
    });
    await admin.repositories.create({ projectId, ...pulls.fields, credentialSecretId });
  });
  afterAll(async () => {
    await Promise.all([worker?.stop(), other?.stop()]);
    await sql?.end();
    await s3?.stop();
    await database?.drop();
    pulls?.close();
    host?.close();
    await rm(directory, { recursive: true, force: true });
  });

  /** An issue on which an agent of the worker has committed that file. */
  const workedOn = async (name: string) => {
    const { worker: admin } = boards;
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name,
      adapterType: "process",
      adapterConfig: {
        command: "/bin/sh",
        args: ["-euc", `echo work >${name}.txt; git add -A; git commit -qm work; ${handIn}`],
      },
    });
    const { id: issueId } = await admin.issues.create({
      companyId,
      projectId,
      title: name,
      assigneeAgentId,
    });
    await eventually(
      () => sql`select from run_works where issue_id = ${issueId} and blob_key is not null`,
      ({ length }) => length > 0,
    );
    return { issueId };
  };

  it("is shown from its pack", async () => {
    const [one, two] = [await workedOn("shown"), await workedOn("different")];
    const [changes] = await boards.other.issues.changes(one);
    expect(changes).toMatchObject({ problem: null, conflicts: null, files: [{ path: "shown.txt" }] });
    expect(await boards.other.issues.diff(two)).toContain("+++ b/different.txt");
  });

  it("is merged from its pack", async () => {
    const issue = await workedOn("merged");
    await boards.other.issues.merge({ ...issue, method: "squash" });
    expect(git(host.bare, ["show", "main:merged.txt"])).toBe("work");
  });

  it("is handed in as a pull request from its pack", async () => {
    const issue = await workedOn("pulled");
    expect(await boards.other.issues.openPullRequest(issue)).toMatchObject({ state: "open", problem: null });
  });

  it("is not merged where its pack is gone, and a sentence says so", async () => {
    const issue = await workedOn("lost");
    await sql`update run_works set blob_key = null where issue_id = ${issue.issueId}`;
    await expect(boards.other.issues.merge({ ...issue, method: "squash" })).rejects.toMatchObject({
      code: "repository_unusable",
      message: expect.stringMatching(
        /^The commit [0-9a-f]{40} is neither in the service's store nor in its files\.$/,
      ),
    });
    await boards.worker.issues.merge({ ...issue, method: "squash" });
  });

  describe("that is away", () => {
    let checked: { readonly issueId: string };
    let parent: { readonly issueId: string };
    let admin: Client;
    beforeAll(async () => {
      checked = await workedOn("checked");
      parent = await workedOn("parent");
      await worker.stop();
      await sql`update issues set status = 'done' where id not in (${checked.issueId}, ${parent.issueId})`;
      await other.stop();
      other = await serve("other", "all");
      admin = await other.board();
    });

    it("is where a sub-issue begins", async () => {
      const { id: assigneeAgentId } = await admin.agents.create({
        companyId,
        name: "part",
        adapterType: "process",
        adapterConfig: { command: "/bin/sh", args: ["-euc", `cat parent.txt; ${handIn}`] },
      });
      const { id: issueId } = await admin.issues.create({
        companyId,
        projectId,
        parentId: parent.issueId,
        title: "part",
        assigneeAgentId,
      });
      const [run] = await eventually(
        async () => (await admin.runs.ofIssue({ issueId })).items,
        ([first]) => first?.finishedAt != null,
      );
      expect(await outputOf(admin, run!.id)).toBe("work\n");
    });

    it("is checked by the command of a gate from its pack, once that disk counts as abandoned", async () => {
      await admin.projects.setGates({
        projectId,
        gates: [{ name: "there", kind: "command", command: "cat checked.txt" }],
      });
      await sql`
        update  volumes
        set     abandoned_at = now() - interval '1 minute'
        where   id = (select volume from issue_workspaces where issue_id = ${checked.issueId})
      `;
      const [gate] = await eventually(
        async () => (await admin.issues.gates(checked)).gates,
        ([only]) => only?.check != null && only.check.state !== "running",
      );
      expect(gate).toMatchObject({ reason: null, check: { state: "passed", log: "work\n" } });
    });
  });
});
