import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";

let host: GitHost;
let database: Awaited<ReturnType<typeof createDatabase>>;
let dataDir: string;
let service: ServiceProgram;

const start = async () => {
  service = await serveProgram(dataDir, {
    DATABASE_URL: database.url,
    SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
    SERVICE_LOG_LEVEL: "error",
    SERVICE_LEASE_SEC: "6",
    SERVICE_SANDBOX: "auto",
  });
};

beforeAll(async () => {
  [host, database] = await Promise.all([startGitHost(), createDatabase()]);
  dataDir = mkdtempSync(join(tmpdir(), "tree-kills-"));
  await start();
});
afterAll(async () => {
  await service?.stop();
  host.close();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const done = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

/** The first run leaves work, commits included; one that finds it ends the issue. */
const script = (then: string) => `
if [ -e loose.txt ]; then git log -1 --format=%s; ${done}; exit; fi
echo c >committed.txt; git add committed.txt; git commit -qm committed
echo l >loose.txt; echo ready; ${then}
`;

const isAnywhere = (folder: string, isIt: (path: string) => boolean): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => isIt(join(folder, name)));

it.each([
  ["fetches from the host", "repositories", ":", (store: string) => existsSync(join(store, "shared.git"))],
  ["prepares a workspace", "trees", ":", (tree: string) => existsSync(join(tree, "work", ".git"))],
  ["sets it up", "trees", ":", (tree: string) => existsSync(join(tree, "work", "ignored", "set-up"))],
  [
    "runs an agent in it",
    "trees",
    "sleep 600",
    (tree: string) => existsSync(join(tree, "work", "loose.txt")),
  ],
  [
    "keeps what the run left",
    "trees",
    ":",
    (tree: string) => isAnywhere(join(tree, "scratch"), (path) => path.includes("keep-")),
  ],
])(
  "A service that is killed while it %s loses nothing, and the next run begins there",
  async (_, below, then, isReached) => {
    const admin = await service.board();
    const { id: companyId } = await admin.companies.create({ name: "Lock" });
    const { id: credentialSecretId } = await admin.secrets.create({
      companyId,
      name: "h",
      value: host.token!,
    });
    const { id: projectId } = await admin.projects.create({ companyId, name: "Gate" });
    const { id: repositoryId } = await admin.repositories.create({
      projectId,
      url: host.url,
      credentialSecretId,
      allowPrivateHost: true,
      setupCommand: "mkdir -p ignored; echo ignored >.git/info/exclude; echo s >ignored/set-up; sleep 1",
    });
    const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "/bin/sh", args: ["-euc", script(then)] },
    });
    await admin.issues.update({ issueId: issue.id, assigneeAgentId, status: "todo" });
    await eventually(
      async () => isAnywhere(join(dataDir, below, companyId), isReached),
      (isThere) => isThere,
    );
    await service.stop("SIGKILL");
    await start();
    const again = await service.board();
    await eventually(
      async () => (await again.issues.get({ issueId: issue.id })).status,
      (status) => status === "in_review",
    );
    const [workspace] = await eventually(
      async () => (await again.workspaces.list({ companyId })).items,
      ([only]) => only?.status === "kept",
    );
    expect(workspace!.repositories[0]).toMatchObject({ kept: { isClean: false, leftOut: [] } });
    const stores = join(dataDir, "repositories", companyId, repositoryId);
    const { head } = workspace!.repositories[0]!;
    expect(git(join(stores, "shared.git"), ["log", "--format=%s", `boardroom/${issue.identifier}`])).toBe(
      "committed\none",
    );
    expect(git(join(stores, "shared.git"), ["rev-parse", `boardroom/${issue.identifier}`])).toBe(head);
    git(join(stores, "kept.git"), ["fsck", "--connectivity-only"]);
  },
);

it("What could not be kept is named, is kept by the next start without a run, and a removal that was begun is finished", async () => {
  const admin = await service.board();
  const { id: companyId } = await admin.companies.create({ name: "Sill" });
  const { id: credentialSecretId } = await admin.secrets.create({ companyId, name: "h", value: host.token! });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Gate" });
  const { id: repositoryId } = await admin.repositories.create({
    projectId,
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
  });
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: {
      command: "/bin/sh",
      args: ["-euc", `echo l >loose.txt; until [ -e go ]; do sleep 0.1; done; ${done}`],
    },
  });
  await admin.issues.update({ issueId: issue.id, assigneeAgentId, status: "todo" });
  const trees = join(dataDir, "trees", companyId);
  const isWritten = (tree: string) => existsSync(join(tree, "work", "loose.txt"));
  await eventually(
    async () => isAnywhere(trees, isWritten),
    (isThere) => isThere,
  );
  const [treeId = ""] = readdirSync(trees);
  const capturedStore = join(dataDir, "repositories", companyId, repositoryId, "kept.git");
  renameSync(capturedStore, `${capturedStore}.away`);
  writeFileSync(capturedStore, "");
  writeFileSync(join(trees, treeId, "work", "go"), "");
  const [unkept] = await eventually(
    async () => (await admin.workspaces.list({ companyId })).items,
    ([only]) => only?.status === "unkept",
  );
  expect(unkept!.problem).toMatch(/./);
  expect((await admin.system.health({})).workspacesNotKept).toEqual([
    {
      workspaceId: treeId,
      companyName: "Sill",
      branch: `boardroom/${issue.identifier}`,
      problem: unkept!.problem,
    },
  ]);

  await service.stop();
  rmSync(capturedStore, { recursive: true });
  renameSync(`${capturedStore}.away`, capturedStore);
  await start();
  const again = await service.board();
  const [workspace] = await eventually(
    async () => (await again.workspaces.list({ companyId })).items,
    ([only]) => only?.status === "kept",
  );
  expect(workspace!.repositories[0]).toMatchObject({ kept: { isClean: false } });
  expect((await again.runs.ofIssue({ issueId: issue.id })).items).toHaveLength(1);
  expect((await again.system.health({})).workspacesNotKept).toEqual([]);

  // As a service leaves it that is killed once it has recorded a removal.
  await service.stop();
  const sql = postgres(database.url, { max: 1 });
  await sql`update issue_workspaces set made_at = null, removal_id = gen_random_uuid() where id = ${treeId}`;
  await start();
  await eventually(
    async () => existsSync(join(trees, treeId)),
    (isThere) => !isThere,
  );
  await eventually(
    async () => (await sql`select from issue_workspaces where removal_id is not null`).length,
    (begun) => begun === 0,
  );
  await sql.end();
});

it("A service that is killed while an archive command runs removes the workspace at its next start, and its issue continues", async () => {
  const admin = await service.board();
  const { id: companyId } = await admin.companies.create({ name: "Weir" });
  const { id: credentialSecretId } = await admin.secrets.create({ companyId, name: "h", value: host.token! });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Gate" });
  await admin.repositories.create({
    projectId,
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
    archiveCommand: "[ -e begun.txt ] || { echo b >begun.txt; exec sleep 987654; }; echo archived",
  });
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: { command: "/bin/sh", args: ["-euc", `echo l >>loose.txt; ${done}`] },
  });
  await admin.issues.update({ issueId: issue.id, assigneeAgentId, status: "todo" });
  const [workspace] = await eventually(
    async () => (await admin.workspaces.list({ companyId })).items,
    ([only]) => only?.status === "kept",
  );
  const workspaceId = workspace!.id;
  const folder = join(dataDir, "trees", companyId, workspaceId);
  expect((await admin.workspaces.remove({ workspaceId, abandon: true })).status).toBe("removing");
  await eventually(
    async () => existsSync(join(folder, "work", "begun.txt")),
    (isThere) => isThere,
  );
  await service.stop("SIGKILL");
  // Otherwise the next service waits for half a minute.
  const sql = postgres(database.url, { max: 1 });
  await sql`update issue_workspaces set tried_at = now() - interval '1 hour' where id = ${workspaceId}`;
  await sql.end();
  await start();
  const again = await service.board();
  await again.workspaces.restore({ workspaceId });
  await again.issues.update({ issueId: issue.id, status: "todo" });
  const [next] = await eventually(
    async () => (await again.workspaces.list({ companyId })).items,
    ([only]) => only?.status === "kept" && only.runId !== workspace!.runId,
  );
  expect(next!.repositories[0]).toMatchObject({ kept: { leftOut: [] } });
  const { items: commands } = await again.workspaces.commands({ workspaceId });
  expect(commands).toMatchObject([{ kind: "archive", exitCode: 0, output: "archived\n", runId: null }]);
  // The command of the killed service is ended before its folder goes.
  expect(spawnSync("pgrep", ["-fx", "sleep 987654"], { encoding: "utf8" }).stdout).toBe("");
  // Made anew from what was kept.
  expect(existsSync(join(folder, "work", "begun.txt"))).toBe(false);
  expect(readFileSync(join(folder, "work", "loose.txt"), "utf8")).toBe("l\nl\n");
});

it("The command of a gate that a killed service has left is ended before it runs again, also that of a merge", async () => {
  let asked = 0;
  let isOpen = false;
  const door = createServer((_, response) => {
    asked++;
    response.writeHead(isOpen ? 200 : 503).end();
  });
  await new Promise<void>((resolve) => door.listen(0, "127.0.0.1", resolve));
  const { port } = door.address() as AddressInfo;
  const left = () => spawnSync("pgrep", ["-fx", "sleep 987653"], { encoding: "utf8" }).stdout;
  const sql = postgres(database.url, { max: 1 });
  /** Kills the service while the command waits, and starts the next, which else waits for half a minute. */
  const killedMeanwhile = async () => {
    await eventually(
      async () => left(),
      (found) => found !== "",
    );
    await service.stop("SIGKILL");
    expect(left()).not.toBe("");
    isOpen = true;
    for (const table of ["gate_checks", "merges"])
      await sql`
        update  ${sql(table)}
        set     lease_until = now() - interval '1 hour', lapsed_at = now() - interval '1 hour'
        where   state = 'running'
      `;
    await start();
    return service.board();
  };

  const admin = await service.board();
  const { id: companyId } = await admin.companies.create({ name: "Lock" });
  const { id: credentialSecretId } = await admin.secrets.create({ companyId, name: "h", value: host.token! });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Gate" });
  await admin.repositories.create({ projectId, url: host.url, credentialSecretId, allowPrivateHost: true });
  const command = `curl -sf http://127.0.0.1:${port}/ || exec sleep 987653`;
  await admin.projects.setGates({ projectId, gates: [{ name: "the door", kind: "command", command }] });
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: {
      command: "/bin/sh",
      args: ["-euc", `echo g >gate.txt; git add -A; git commit -qm work; ${done}`],
    },
  });
  const { id: issueId } = await admin.issues.create({
    companyId,
    projectId,
    title: "Write it",
    assigneeAgentId,
  });

  const second = await killedMeanwhile();
  await eventually(
    async () => (await second.issues.gates({ issueId })).gates,
    ([gate]) => gate?.check?.state === "passed",
  );
  expect([asked, left()]).toEqual([2, ""]);

  isOpen = false;
  const lost = second.issues.merge({ issueId, method: "squash" }).catch(() => null);
  const third = await killedMeanwhile();
  await lost;
  await eventually(
    () => sql`select state from merges where issue_id = ${issueId}`,
    ([merge]) => merge?.state === "failed",
  );
  expect(left()).toBe("");
  await third.issues.merge({ issueId, method: "squash" });
  expect(git(host.bare, ["show", "main:gate.txt"])).toBe("g");
  await sql.end();
  door.close();
});

it("A pack of a run that an earlier version has cut is written anew by the next start, or named where its work is lost", async () => {
  const admin = await service.board();
  const { id: companyId } = await admin.companies.create({ name: "Mole" });
  const { id: credentialSecretId } = await admin.secrets.create({ companyId, name: "h", value: host.token! });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Gate" });
  const { id: repositoryId } = await admin.repositories.create({
    projectId,
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
  });
  const captures = [];
  for (const name of ["Ada", "Bea"]) {
    const issue = await admin.issues.create({ companyId, projectId, title: name });
    const { id: assigneeAgentId } = await admin.agents.create({
      companyId,
      name,
      adapterType: "process",
      adapterConfig: { command: "/bin/sh", args: ["-euc", `echo ${name} >loose.txt; ${done}`] },
    });
    await admin.issues.update({ issueId: issue.id, assigneeAgentId, status: "todo" });
    const [workspace] = await eventually(
      async () => (await admin.workspaces.list({ companyId, issueId: issue.id })).items,
      ([only]) => only?.status === "kept",
    );
    captures.push({ runId: workspace!.runId, branch: `boardroom/${issue.identifier}` });
  }
  const [one, other] = captures as [(typeof captures)[0], (typeof captures)[0]];
  await service.stop();
  const sql = postgres(database.url, { max: 1 });
  const packs =
    await sql`select run_id, blob_key, pack_bytes::int from run_works where company_id = ${companyId}`;
  const fileOf = ({ runId }: { readonly runId: string }) =>
    execFileSync("find", [dataDir, "-path", `*${packs.find((pack) => pack.run_id === runId)?.blob_key}`], {
      encoding: "utf8",
    }).trim();
  const whole = readFileSync(fileOf(one));
  for (const each of [one, other]) {
    const bytes = readFileSync(fileOf(each));
    writeFileSync(fileOf(each), bytes.subarray(0, bytes.indexOf(10) + 1));
  }
  await sql`update run_works set pack_checked_at = null where company_id = ${companyId}`;
  const store = join(dataDir, "repositories", companyId, repositoryId, "kept.git");
  for (const ref of git(store, [
    "for-each-ref",
    "--format=%(refname)",
    `refs/boardroom/runs/${other.runId}`,
  ]).split("\n"))
    git(store, ["update-ref", "-d", ref]);
  await start();
  const again = await service.board();
  const named = await eventually(
    async () => (await again.system.health({})).packsNotWhole,
    (found) => found?.length === 1,
  );
  expect(named).toEqual([
    {
      runId: other.runId,
      companyName: "Mole",
      branch: other.branch,
      problem:
        "Its pack in the blob store is truncated, and the repository store doesn't have the work: The run has left nothing in the repository.",
    },
  ]);
  await eventually(
    async () =>
      (await sql`select from run_works where company_id = ${companyId} and pack_checked_at is null`).length,
    (unchecked) => unchecked === 0,
  );
  expect(readFileSync(fileOf(one)).subarray(0, whole.indexOf(10))).toEqual(
    whole.subarray(0, whole.indexOf(10)),
  );
  expect(readFileSync(fileOf(one)).length).toBeGreaterThan(whole.indexOf(10) + 21);
  await sql.end();
});
