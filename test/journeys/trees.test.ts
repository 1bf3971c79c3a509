import { existsSync, readdirSync } from "node:fs";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type GitHost, git, startGitHost } from "../support/git-host.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

let host: GitHost;
let service: TestService;
beforeAll(async () => {
  [host, service] = await Promise.all([startGitHost(), startService({ env: { SERVICE_SANDBOX: "auto" } })]);
});
afterAll(async () => {
  host.close();
  await service?.stop();
});

/** A company with a project whose repository has a workspace for each issue. */
const aProject = async (name: string, directory: string | null = null) => {
  const { admin } = service;
  const { id: companyId } = await admin.companies.create({ name });
  const { id: credentialSecretId } = await admin.secrets.create({
    companyId,
    name: "host",
    value: host.token!,
  });
  const { id: projectId } = await admin.projects.create({ companyId, name: "Crane" });
  const { id: repositoryId } = await admin.repositories.create({
    projectId,
    url: host.url,
    credentialSecretId,
    allowPrivateHost: true,
    directory,
  });
  const agent = (script: string, name = "Ada") =>
    admin.agents.create({
      companyId,
      name,
      adapterType: "process",
      adapterConfig: { command: "/bin/sh", args: ["-euc", script] },
    });
  return { companyId, projectId, repositoryId, agent };
};

/** The run that an agent's assignment starts, once it has ended. */
const runOf = async (issueId: string, assigneeAgentId: string) => {
  const { admin } = service;
  const { items: before } = await admin.runs.ofIssue({ issueId });
  await admin.issues.update({ issueId, assigneeAgentId: null });
  await admin.issues.update({ issueId, assigneeAgentId, status: "todo" });
  const run = await eventually(
    async () =>
      // The oldest of them: one that leaves the issue in progress is followed by another.
      (await admin.runs.ofIssue({ issueId })).items.findLast(
        ({ id }) => !before.some((one) => one.id === id),
      ),
    (found) => found !== undefined && found.finishedAt !== null,
  );
  const { content } = await admin.runs.log({ runId: run!.id });
  const lines = content.split("\n").filter((line) => line !== "");
  return { run: run!, content: lines.map((line) => (JSON.parse(line) as { chunk: string }).chunk).join("") };
};

/** A run on the issue that has ended. */
const ended = async (issueId: string, isIt: (run: { readonly agentId: string }) => boolean) => {
  const found = await eventually(
    async () => (await service.admin.runs.ofIssue({ issueId })).items.find(isIt),
    (run) => run !== undefined && run.finishedAt !== null,
  );
  return found!;
};

/** Ends its issue, so that nothing continues it. */
const done = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

it("A run begins in its issue's workspace, what it leaves is kept, and the next agent begins there", async () => {
  const { admin } = service;
  const { companyId, projectId, repositoryId, agent } = await aProject("Quay");
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: first } = await agent(`
    git status -sb
    git config --get-all remote.origin.url
    echo work > work.txt
    git add work.txt
    git commit -qm work
    git log -1 --format='%an <%ae> %(trailers:separator=%x2C)'
    echo more >> a.txt
    echo new > new.txt
    git fetch -q origin
    git push -q
    ${done}
  `);
  const one = await runOf(issue.id, first);
  expect(one.content).toContain(`## boardroom/${issue.identifier}`);
  expect(one.content).toContain(`/git/${repositoryId}/shared`);
  expect(one.content).toContain(
    `Ada <ada@agents.boardroom.invalid> Boardroom-Issue: ${issue.identifier},Boardroom-Agent: Ada,Boardroom-Run: ${one.run.id}`,
  );
  expect(one.run).toMatchObject({ status: "succeeded" });

  const { id: second } = await agent(
    `git log --format=%s; git status --porcelain; cat new.txt; ${done}`,
    "Bo",
  );
  const two = await runOf(issue.id, second);
  expect(two.run).toMatchObject({ status: "succeeded" });
  expect(two.content).toMatch(/work\none\n M a.txt\n\?\? new.txt\nnew/);
  // Its own push, and that of the step which captured its work.
  const sql = postgres(service.databaseUrl, { max: 1 });
  const pushed = await sql`select pushes from run_pushes where run_id = ${one.run.id}`.finally(() =>
    sql.end(),
  );
  expect(pushed).toEqual([{ pushes: 2 }]);
  // Each run shows its own part: the second changed nothing.
  const [changes] = await admin.runs.changes({ runId: one.run.id });
  expect(changes).toMatchObject({
    repositoryId,
    isCommitted: false,
    commits: [{ message: expect.stringMatching(/^work\n\nBoardroom-Issue: /) }],
    problem: null,
  });
  expect(changes!.files.map(({ path }) => path)).toEqual(["a.txt", "new.txt", "work.txt"]);
  expect(await admin.runs.diff({ runId: one.run.id, path: "new.txt" })).toContain("+new\n");
  expect(await admin.runs.changes({ runId: two.run.id })).toMatchObject([{ commits: [], files: [] }]);

  // A folder that is lost with the kept store is made again from the pack, with what was not committed.
  const trees = join(service.dataDir, "trees", companyId);
  const [tree = ""] = readdirSync(trees);
  await rename(join(trees, tree), join(service.dataDir, `lost-tree-${issue.id}`));
  const capturedStore = join(service.dataDir, "repositories", companyId, repositoryId, "kept.git");
  await rename(capturedStore, join(service.dataDir, `lost-kept-${issue.id}.git`));
  const three = await runOf(issue.id, first);
  expect(three.content, JSON.stringify(three.run)).toContain(`## boardroom/${issue.identifier}`);
  expect(existsSync(join(trees, tree, "work", "new.txt"))).toBe(true);
  // Published in the service, and not at the host.
  const shared = join(service.dataDir, "repositories", companyId, repositoryId, "shared.git");
  expect(git(shared, ["log", "--format=%s", `boardroom/${issue.identifier}`])).toBe("work\none");
  expect(git(host.bare, ["branch", "--list", "boardroom/*"])).toBe("");
});

it("A second agent gets a workspace of its own at the last kept state, which is kept and not published", async () => {
  const { admin } = service;
  const { companyId, projectId, agent } = await aProject("Mole");
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: holder } = await agent(`echo held >held.txt; ${done}`);
  await runOf(issue.id, holder);
  const { id: reviewer } = await agent(
    `cat held.txt; echo r >review.txt; git add review.txt; git commit -qm review`,
    "Bo",
  );
  await admin.issues.comment({ issueId: issue.id, body: "@bo please look" });
  const run = await ended(issue.id, ({ agentId }) => agentId === reviewer);
  expect(run.status).toBe("succeeded");
  const { items } = await admin.workspaces.list({ companyId, issueId: issue.id });
  expect(items).toHaveLength(2);
  const own = items.find(({ agentId }) => agentId === reviewer)!;
  expect(own).toMatchObject({ status: "kept", repositories: [{ head: expect.any(String) }] });
  expect(own.repositories[0]!.kept!.head).not.toBe(own.repositories[0]!.head);
  expect(own.repositories[0]!.kept!.isClean).toBe(false);
});

it("A sub-issue begins from its parent's branch, and a folder is respected", async () => {
  const { admin } = service;
  const { companyId, projectId, agent } = await aProject("Jetty", "apps/one");
  const parent = await admin.issues.create({ companyId, projectId, title: "Parent" });
  const { id: first } = await agent(
    `cd apps/one; echo p >parent.txt; git add .; git commit -qm parent; ${done}`,
  );
  await runOf(parent.id, first);
  const child = await admin.issues.create({ companyId, projectId, title: "Child", parentId: parent.id });
  const { id: second } = await agent(`cat apps/one/parent.txt; ${done}`, "Bo");
  const { run, content } = await runOf(child.id, second);
  expect(run.status).toBe("succeeded");
  expect(content).toContain("p\n");
  const { items } = await admin.workspaces.list({ companyId, issueId: child.id });
  expect(items[0]!.repositories[0]).toMatchObject({ baseBranch: `boardroom/${parent.identifier}` });
});

it("After a squash the branch continues at the merge, with what was not committed, and the same lines merge again", async () => {
  const { admin } = service;
  const { companyId, projectId, repositoryId, agent } = await aProject("Lock");
  const branch = `lock-${crypto.randomUUID()}`;
  host.commit({ "lock.txt": `${branch}\n` }, branch);
  await admin.repositories.update({ repositoryId, defaultBranch: branch });
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: agentId } = await agent(`
    n=$(cat work.txt 2>/dev/null || echo 0)
    git log --format=%s; echo "notes: $(cat notes.txt 2>/dev/null) from $(cat since.txt 2>/dev/null)"
    echo $((n + 1)) >work.txt; git add work.txt; git commit -qm "work $((n + 1))"
    echo $((n + 1)) >notes.txt
    ${done}
  `);
  const merge = () => admin.issues.merge({ issueId: issue.id, method: "squash" });
  const atHost = (file: string) => git(host.bare, ["show", `${branch}:${file}`]);
  await runOf(issue.id, agentId);
  // Others have merged meanwhile.
  host.commit({ "since.txt": "others\n" }, branch);
  const first = await merge();
  await expect(merge()).rejects.toMatchObject({
    code: "nothing_committed",
    message: "There are no new commits to merge. Not committed: notes.txt.",
    details: { files: ["notes.txt"] },
  });
  expect(await admin.issues.changes({ issueId: issue.id })).toMatchObject([
    { lastMerge: { commit: first.commit, commits: 1 }, uncommitted: ["notes.txt"] },
  ]);
  const two = await runOf(issue.id, agentId);
  expect(two.content.split("\n").slice(0, 2)).toEqual([`${issue.identifier}: Write it`, "m"]);
  expect(two.content).toContain("notes: 1 from others");
  const [changes] = await admin.issues.changes({ issueId: issue.id });
  expect(changes).toMatchObject({
    mergedAt: null,
    lastMerge: { commit: first.commit, commits: 1 },
    base: first.commit,
    conflicts: null,
    files: [{ path: "work.txt" }],
  });
  expect(changes!.commits.map(({ message }) => message.split("\n")[0])).toEqual(["work 2"]);
  // Of the second run alone: neither what was merged, nor what others did.
  const [ofRun] = await admin.runs.changes({ runId: two.run.id });
  expect(ofRun!.files.map(({ path }) => path)).toEqual(["notes.txt", "work.txt"]);
  await merge();
  expect(atHost("work.txt")).toBe("2");

  // A file that is not committed is not overwritten by the merge: the branch stays, and merges all the same.
  git(host.work, ["fetch", "-q", host.bare, branch]);
  git(host.work, ["checkout", "-q", "-B", branch, "FETCH_HEAD"]);
  host.commit({ "notes.txt": "of others\n" }, branch);
  const three = await runOf(issue.id, agentId);
  expect(three.content).toContain("notes: 2 from others");
  await merge();
  expect(atHost("work.txt")).toBe("3");
  const four = await runOf(issue.id, agentId);
  expect(four.content).toContain("notes: 3 from others");
  await merge();
  expect(atHost("work.txt")).toBe("4");
  expect(atHost("notes.txt")).toBe("of others");
  expect(git(host.bare, ["log", "--format=%s", branch]).match(/Write it/g)).toHaveLength(4);
});

it("Work that is not whole in a branch stays until a person abandons it, and is restored", async () => {
  const { admin } = service;
  const { companyId, projectId, agent } = await aProject("Basin");
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: agentId } = await agent(`ls; [ -e loose.txt ] || echo loose >loose.txt; ${done}`);
  await runOf(issue.id, agentId);
  const { id: workspaceId } = (await admin.workspaces.list({ companyId })).items[0]!;
  await expect(admin.workspaces.remove({ workspaceId })).rejects.toMatchObject({ code: "workspace_stays" });
  expect(await admin.workspaces.remove({ workspaceId, abandon: true })).toMatchObject({ status: "removed" });
  expect(existsSync(join(service.dataDir, "trees", companyId, workspaceId))).toBe(false);
  expect(await admin.workspaces.restore({ workspaceId })).toMatchObject({
    repositories: [{ givenUpAt: null }],
  });
  const { content } = await runOf(issue.id, agentId);
  expect(content).toContain("loose.txt");
});

it("A workspace whose .git is gone continues at the issue's commit, and files that could not be kept stay aside", async () => {
  const { admin } = service;
  const { companyId, projectId, agent } = await aProject("Wharf");
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: agentId } = await agent(`
    if [ -e gone.txt ]; then git log --format=%s; git status --porcelain; ls; ${done}; exit; fi
    if [ -e work.txt ]; then truncate -s 51M large; echo g >gone.txt; rm -rf .git; ${done}; exit; fi
    echo w >work.txt; git add work.txt; git commit -qm work; ${done}
  `);
  await runOf(issue.id, agentId);
  await runOf(issue.id, agentId);
  const { content } = await runOf(issue.id, agentId);
  expect(content).toMatch(/work\none\n\?\? gone.txt\na.txt/);
  expect(content).not.toMatch(/^large$/m);
  const aside = /stay in (\S+) for a while/.exec(content)?.[1] ?? "";
  expect(readdirSync(join(aside, "work"))).toContain("large");
});

it("Commands of a repository run in the workspace, with the agent's variables and ports, and print to a log of their own", async () => {
  const { admin } = service;
  const { companyId, projectId, repositoryId, agent } = await aProject("Boom");
  // Also where the test is tried again.
  const branch = `sparse-${crypto.randomUUID()}`;
  host.commit({ "apps/one/package-lock.json": "1\n", "apps/two/x.txt": "x\n" }, branch);
  await admin.repositories.update({
    repositoryId,
    defaultBranch: branch,
    sparseFolders: ["apps/one/"],
    setupCommand: 'echo "set up with $WORD at $SERVICE_PORT_BASE"; echo once >>"$HOME/count"; echo s >.setup',
    runCommand: "echo before; cat .setup",
    archiveCommand: 'echo "archived at $SERVICE_PORT_BASE [$WORD]"; exit 4',
  });
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const word = await admin.secrets.create({ companyId, name: "word", value: "a-word-of-the-agent" });
  const { id: agentId } = await agent(
    `ls . apps; echo "port $SERVICE_PORT_BASE"; echo m >>apps/one/m; git add -A; git commit -qm m; ${done}`,
  );
  await admin.agents.update({
    agentId,
    adapterConfig: { env: { WORD: { type: "secret_ref", secretId: word.id, version: "latest" } } },
  });
  const { run, content } = await runOf(issue.id, agentId);
  expect(run).toMatchObject({ status: "succeeded" });
  expect(content).toContain("apps:\none\n");
  const [{ id: workspaceId, firstPort, bytes } = { id: "", firstPort: 0, bytes: 0 }] = (
    await admin.workspaces.list({ companyId })
  ).items;
  expect(firstPort).toBeGreaterThanOrEqual(20_000);
  expect(content).toContain(`port ${firstPort}\n`);
  expect(bytes).toBeGreaterThan(1_000);
  const commands = async () => (await admin.workspaces.commands({ workspaceId })).items.toReversed();
  expect(await commands()).toMatchObject([
    { kind: "setup", exitCode: 0, problem: null, runId: run.id },
    { kind: "run", output: "before\ns\n" },
  ]);
  const [{ output } = { output: "" }] = await commands();
  expect(output).toMatch(new RegExp(`^set up with \\S+ at ${firstPort}\n$`));
  expect(output).not.toContain("a-word-of-the-agent");

  // Again only where a lock file has changed; what its HOME has is common to all workspaces of the company.
  await runOf(issue.id, agentId);
  expect((await commands()).map(({ kind }) => kind)).toEqual(["setup", "run", "run"]);
  await admin.repositories.update({ repositoryId, setupCommand: 'wc -l <"$HOME/count"; exit 3' });
  const failing = await runOf(issue.id, agentId);
  expect(failing.run).toMatchObject({ status: "failed", errorCode: "setup_failed" });
  expect((await commands()).at(-1)).toMatchObject({ kind: "setup", exitCode: 3, output: "1\n" });

  await admin.repositories.update({ repositoryId, setupCommand: null, runCommand: null });
  // No run that follows the failed one has it.
  await admin.agents.pause({ agentId });
  await eventually(
    async () => (await admin.runs.ofIssue({ issueId: issue.id })).items,
    (runs) => runs.every(({ finishedAt }) => finishedAt !== null),
  );
  expect(await admin.workspaces.remove({ workspaceId, abandon: true })).toMatchObject({
    status: "removing",
    stays: { code: "no_folder", message: "It is being removed." },
  });
  await eventually(
    () => admin.workspaces.get({ workspaceId }),
    ({ status }) => status === "removed",
  );
  expect((await commands()).at(-1)).toMatchObject({
    kind: "archive",
    problem: expect.stringContaining("4"),
    exitCode: 4,
    output: `archived at ${firstPort} []\n`,
    runId: null,
  });
});

it("An agent that is terminated while it works leaves nothing unkept", async () => {
  const { admin } = service;
  const { companyId, projectId, agent } = await aProject("Slip");
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const { id: agentId } = await agent("echo mine >mine.txt; echo ready; sleep 600");
  await admin.issues.update({ issueId: issue.id, assigneeAgentId: agentId, status: "todo" });
  await eventually(
    async () => {
      const [run] = (await admin.runs.ofIssue({ issueId: issue.id })).items;
      return run === undefined ? "" : (await admin.runs.log({ runId: run.id })).content;
    },
    (content) => content.includes("ready"),
  );
  await admin.agents.terminate({ agentId });
  await ended(issue.id, (run) => run.agentId === agentId);
  const [workspace] = (await admin.workspaces.list({ companyId })).items;
  expect(workspace).toMatchObject({ status: "kept", repositories: [{ kept: { isClean: false } }] });
});

it("A run that checks out another issue has no workspace of it, and a run follows that has", async () => {
  const { admin } = service;
  const { companyId, projectId, agent } = await aProject("Weir");
  const issue = await admin.issues.create({ companyId, projectId, title: "Write it" });
  const call = `curl -sf -X POST -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json'`;
  const { id: agentId } = await agent(`
    if [ "$SERVICE_TASK_ID" = ${issue.id} ]; then git branch --show-current; ${done}; exit; fi
    ${call} -d "{\\"agentId\\":\\"$SERVICE_AGENT_ID\\",\\"expectedStatuses\\":[\\"backlog\\"]}" "$SERVICE_API_URL/api/issues/${issue.id}/checkout" | grep -o '"tree":null'
  `);
  await admin.agents.invoke({ agentId });
  const run = await ended(issue.id, (one) => one.agentId === agentId);
  expect((await admin.runs.log({ runId: run.id })).content).toContain(`boardroom/${issue.identifier}`);
});

it("On a disk with too little room a run waits, and its agent's situation says so", async () => {
  const full = await startService({ env: { SERVICE_RUN_MIN_FREE_MB: "100000000" } });
  try {
    const { admin } = full;
    const { id: companyId } = await admin.companies.create({ name: "Silt" });
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: "Ada",
      adapterType: "process",
      adapterConfig: { command: "/bin/true" },
    });
    const { id: runId } = await admin.agents.invoke({ agentId });
    const { situation } = await eventually(
      () => admin.agents.explanation({ agentId }),
      ({ situation }) => situation.reasons.some(({ code }) => code === "disk_full"),
    );
    expect(situation).toMatchObject({ state: "waiting", reasons: [{ needsPerson: true }] });
    expect(await admin.runs.get({ runId: runId! })).toMatchObject({
      status: "queued",
      whatNext: expect.stringContaining("SERVICE_RUN_MIN_FREE_MB"),
    });
  } finally {
    await full.stop();
  }
});
