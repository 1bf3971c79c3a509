import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { commitFiles, type GitHost, git, startGitHost } from "../support/git-host.ts";
import { eventually, startService, type TestService } from "../support/service.ts";

let host: GitHost;
let service: TestService;
let companyId: string;
let credentialSecretId: string;

beforeAll(async () => {
  [host, service] = await Promise.all([startGitHost(), startService({ env: { SERVICE_SANDBOX: "auto" } })]);
  ({ id: companyId } = await service.admin.companies.create({ name: "Wild" }));
  ({ id: credentialSecretId } = await service.admin.secrets.create({
    companyId,
    name: "host",
    value: host.token!,
  }));
});
afterAll(async () => {
  host.close();
  await service?.stop();
});

/** A repository at the host, and a folder to commit to it from. */
const atHost = (name: string) => {
  const bare = join(host.folder, `${name}.git`);
  git(host.folder, ["init", "-q", "--bare", bare]);
  git(bare, ["config", "http.receivepack", "true"]);
  const work = mkdtempSync(join(host.folder, "work-"));
  git(work, ["init", "-q", "."]);
  const publish = () => git(work, ["push", "-q", bare, "HEAD:refs/heads/main"]);
  return { bare, work, publish, url: host.at(`/${name}.git`) };
};

const aProject = async (url: string, fields: object = {}) => {
  const { admin } = service;
  const { id: projectId } = await admin.projects.create({ companyId, name: `Of ${url}` });
  await admin.repositories.create({ projectId, url, credentialSecretId, allowPrivateHost: true, ...fields });
  return projectId;
};

/** Ends its issue, so that nothing continues it. */
const done = `curl -sf -X PATCH -H "Authorization: Bearer $SERVICE_API_KEY" -H 'content-type: application/json' -d '{"status":"in_review"}' "$SERVICE_API_URL/api/issues/$SERVICE_TASK_ID" >/dev/null`;

let agents = 0;
/** An issue whose agent runs a script. */
const anIssue = async (projectId: string, script: string) => {
  const { admin } = service;
  const { id: assigneeAgentId } = await admin.agents.create({
    companyId,
    name: `Agent ${agents++}`,
    adapterType: "process",
    adapterConfig: { command: "/bin/sh", args: ["-euc", `${script}\n${done}`] },
  });
  return admin.issues.create({ companyId, projectId, title: "Work", assigneeAgentId, status: "todo" });
};

/** The first run of an issue once it has ended, with its log. */
const runOf = async (issueId: string) => {
  const { admin } = service;
  const run = await eventually(
    async () => (await admin.runs.ofIssue({ issueId })).items.at(-1),
    (found) => found !== undefined && found.finishedAt !== null,
  );
  const { content } = await admin.runs.log({ runId: run!.id });
  const lines = content.split("\n").filter((line) => line !== "");
  return { run: run!, log: lines.map((line) => (JSON.parse(line) as { chunk: string }).chunk).join("") };
};

/** Prints the folders of a run, for a look into them after the steps of the service. */
const printFolders = 'echo "home=$HOME"; echo "cwd=$PWD"';
const foldersOf = (log: string) => {
  const [, home = ""] = /^home=(.*)$/m.exec(log) ?? [];
  const [, cwd = ""] = /^cwd=(.*)$/m.exec(log) ?? [];
  expect([home, cwd].map((folder) => existsSync(folder))).toEqual([true, true]);
  return { home, cwd };
};

it("An empty repository gets its first commit from the first of two runs that need it, and then their work", async () => {
  const { bare, url } = atHost("empty");
  const projectId = await aProject(url);
  expect(git(bare, ["for-each-ref"])).toBe("");
  const issues = await Promise.all(
    ["one", "two"].map((name) =>
      anIssue(projectId, `git log --format=%s; echo x >${name}.txt; git add .; git commit -qm ${name}`),
    ),
  );
  for (const issue of issues) {
    const { run, log } = await runOf(issue.id);
    expect(run, log).toMatchObject({ status: "succeeded" });
    expect(log).toContain("Begin the repository");
  }
  expect(git(bare, ["rev-list", "--count", "--all"])).toBe("1");
  expect(git(bare, ["log", "-1", "--format=%B", "main"])).toMatch(
    /^Begin the repository\n\nBoardroom-Issue: \S+\nBoardroom-Agent: Agent \d+\nBoardroom-Run: \S+$/,
  );
  for (const issue of issues) await service.admin.issues.merge({ issueId: issue.id, method: "squash" });
  expect(git(bare, ["ls-tree", "--name-only", "main"])).toBe("one.txt\ntwo.txt");
});

it("An empty repository to which the service may not push is refused, as it is added and by a run", async () => {
  const { bare, url } = atHost("empty-read-only");
  const projectId = await aProject(url);
  git(bare, ["config", "http.receivepack", "false"]);
  const refusal = /The repository is empty.*couldn't push a first commit.*\(403\)/;
  await expect(aProject(url)).rejects.toMatchObject({
    code: "repository_unusable",
    message: expect.stringMatching(refusal),
    details: { path: ["credentialSecretId"], reason: "credential_refused" },
  });
  const { run } = await runOf((await anIssue(projectId, "true")).id);
  expect(run).toMatchObject({ status: "failed", errorCode: "workspace_unusable" });
  expect(run.error).toMatch(refusal);
  expect(git(bare, ["for-each-ref"])).toBe("");
});

it("An issue whose commit a hook of the repository has refused has nothing to merge, and no step of the service runs a hook", async () => {
  const { bare, work, publish, url } = atHost("husky");
  const hooks = [
    "pre-commit",
    "post-checkout",
    "post-merge",
    "pre-push",
    "reference-transaction",
    "post-index-change",
  ];
  mkdirSync(join(work, ".husky"));
  const script = `#!/bin/sh\necho "$0" >>"\${0%/*}/ran"\n`;
  commitFiles(
    work,
    Object.fromEntries(hooks.map((name) => [`.husky/${name}`, `${script}[ "\${0##*/}" != pre-commit ]\n`])),
  );
  git(work, ["update-index", "--chmod=+x", ...hooks.map((name) => `.husky/${name}`)]);
  git(work, ["commit", "-qm", "hooks"]);
  publish();
  const before = git(bare, ["rev-parse", "main"]);
  const projectId = await aProject(url, { setupCommand: "git config core.hooksPath .husky" });
  const issue = await anIssue(
    projectId,
    `${printFolders}; echo more >a.txt; git add a.txt; ! git commit -qm work; sort .husky/ran; echo end of hooks; cp .husky/ran hooks-seen`,
  );
  const { log } = await runOf(issue.id);
  expect(log).toMatch(/\.husky\/pre-commit\n[\s\S]*end of hooks/);
  await expect(service.admin.issues.merge({ issueId: issue.id, method: "squash" })).rejects.toMatchObject({
    code: "nothing_committed",
  });
  expect(git(bare, ["rev-parse", "main"])).toBe(before);
  const [changes] = await service.admin.issues.changes({ issueId: issue.id });
  expect(changes).toMatchObject({ commits: [], mergedAt: null });
  const { cwd } = foldersOf(log);
  expect(readFileSync(join(cwd, ".husky", "ran"), "utf8")).toBe(
    readFileSync(join(cwd, "hooks-seen"), "utf8"),
  );
});

it("A submodule of the project's repositories comes from the service, also by a relative address, and each is named", async () => {
  const lib = atHost("lib");
  commitFiles(lib.work, { "lib.txt": "lib\n" });
  lib.publish();
  const { work, publish, url } = atHost("super");
  commitFiles(work, {
    ".gitmodules": [
      '[submodule "lib/relative"]\n\tpath = lib/relative\n\turl = ../lib.git\n',
      `[submodule "lib/absolute"]\n\tpath = lib/absolute\n\turl = ${lib.url}\n`,
      '[submodule "elsewhere"]\n\tpath = elsewhere\n\turl = ../elsewhere.git\n',
    ].join(""),
  });
  const commit = git(lib.bare, ["rev-parse", "main"]);
  for (const path of ["lib/relative", "lib/absolute", "elsewhere"])
    git(work, ["update-index", "--add", "--cacheinfo", `160000,${commit},${path}`]);
  git(work, ["commit", "-qm", "submodules"]);
  publish();
  const projectId = await aProject(url, { directory: "super" });
  await service.admin.repositories.create({
    projectId,
    url: lib.url,
    credentialSecretId,
    allowPrivateHost: true,
    directory: "lib",
  });
  const issue = await anIssue(
    projectId,
    "cd super; git config submodule.elsewhere.url; git submodule update -q --init lib/relative lib/absolute; cat lib/*/lib.txt; git status --short; echo end",
  );
  const { run, log } = await runOf(issue.id);
  expect(run, log).toMatchObject({ status: "succeeded" });
  expect(log).toContain(`${host.at("/elsewhere.git")}\nlib\nlib\nend`);
  for (const name of ["lib/relative", "lib/absolute"])
    expect(log).toContain(
      `The submodule ${name} is not laid out. git submodule update --init ${name} fetches it from the service. Submodules inside of it whose addresses are relative are not found there: set their addresses first (git -C ${name} config submodule.NAME.url).`,
    );
  expect(log).toContain("The submodule elsewhere is not laid out: its repository is not one of the project.");
  const [workspace] = (await service.admin.workspaces.list({ companyId })).items.filter(
    ({ issueId }) => issueId === issue.id,
  );
  for (const { kept } of workspace!.repositories) expect(kept).toMatchObject({ isClean: true, leftOut: [] });
});

it("A repository with files in Git LFS is worked on and merged without starting Git LFS, and says what is not captured", async () => {
  const { bare, work, publish, url } = atHost("lfs");
  const pointer = (oid: string) =>
    `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize 12345\n`;
  commitFiles(work, {
    ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
    "a.bin": pointer("a".repeat(64)),
    "raw-before.bin": "raw",
    "media/.gitattributes": "*.mp4 filter=lfs\n*.txt -filter\n",
  });
  publish();
  const projectId = await aProject(url);
  const mine = "b".repeat(64);
  const theirs = "c".repeat(64);
  // As Git LFS leaves it: content next to the commits, and filters in the settings.
  const issue = await anIssue(
    projectId,
    `${printFolders}; head -n 1 a.bin
     printf '${pointer(mine).replaceAll("\n", "\\n")}' >mine.bin
     printf '${pointer(theirs).replaceAll("\n", "\\n")}' >theirs.bin
     git add .; git commit -qm work
     mkdir -p .git/lfs/objects/bb/bb; echo content >.git/lfs/objects/bb/bb/${mine}
     printf 'raw\\0' >raw.bin; printf x >"$(printf 'media/\\303\\244\\377.mp4')"; head -c 5000 /dev/zero >media/large.mp4
     : >empty.bin; echo x >media/note.txt; ln -s a.bin link.bin; git add .; git commit -qm raw
     for each in smudge clean process; do git config filter.lfs.$each "touch $HOME/ran-$each $PWD/ran-$each;"; done
     git config filter.lfs.required true
     printf 'more\\0' >left.bin; git hash-object --path left.bin left.bin || :
     ls ran-process "$HOME/ran-process"; rm ran-* "$HOME"/ran-*; touch a.bin theirs.bin`,
  );
  const { run, log } = await runOf(issue.id);
  expect(run, log).toMatchObject({ status: "succeeded" });
  expect(log).toContain("Files of the repository are in Git LFS, as .gitattributes says");
  expect(log).toContain("version https://git-lfs.github.com/spec/v1\n");
  const [workspace] = (await service.admin.workspaces.list({ companyId })).items.filter(
    ({ issueId }) => issueId === issue.id,
  );
  expect(workspace!.repositories[0]!.kept).toMatchObject({
    leftOut: [{ path: "mine.bin", reason: "lfs_content" }],
  });
  expect(workspace!.callerMay.remove.allowed).toBe(false);
  const [changes] = await service.admin.runs.changes({ runId: run.id });
  expect(changes!.files.map(({ path }) => path)).toContain("left.bin");
  const rawLfsFiles = { files: ["media/large.mp4", "media/ä\ufffd.mp4", "raw.bin"], count: 3, isCut: false };
  const merged = await service.admin.issues.merge({ issueId: issue.id, method: "merge" });
  expect(merged.rawLfsFiles).toEqual(rawLfsFiles);
  const { items: activity } = await service.admin.activity.list({ companyId, entityId: issue.id });
  expect(activity.find(({ action }) => action === "issue.merged")!.details).toMatchObject({ rawLfsFiles });
  expect(git(bare, ["show", "main:mine.bin"])).toBe(pointer(mine).trimEnd());
  const { home, cwd } = foldersOf(log);
  for (const folder of [home, cwd])
    expect(readdirSync(folder).filter((name) => name.startsWith("ran-"))).toEqual([]);
});

it("A run on a repository of the mode shared has no workspace, as its story says, and loses nothing that it pushes", async () => {
  const { admin } = service;
  const { work, publish, url } = atHost("shared");
  commitFiles(work, { "a.txt": "a\n" });
  publish();
  const projectId = await aProject(url, { mode: "shared" });
  const [repository] = await admin.repositories.list({ projectId });
  const issue = await anIssue(
    projectId,
    `${printFolders}; [ "$(ls)" = "" ] || exit 3
     export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.$SERVICE_API_URL/.extraHeader" GIT_CONFIG_VALUE_0="Authorization: Bearer $SERVICE_API_KEY"
     git clone -q "$SERVICE_API_URL/git/${repository!.id}/shared" clone; cd clone; echo b >b.txt; git add .
     git -c user.name=a -c user.email=a@x commit -qm b
     git push -q "$SERVICE_API_URL/git/${repository!.id}/kept" "HEAD:refs/boardroom/runs/$SERVICE_RUN_ID/heads/b"; echo u >unpushed`,
  );
  const { run, log } = await runOf(issue.id);
  expect(run, log).toMatchObject({ status: "succeeded" });
  const { items: events } = await admin.runs.events({ runId: run.id });
  expect(events.map(({ message }) => message)).toContain(
    `Repositories of the mode shared are in no workspace, and the service captures no work on them: ${url}. Push what must not be lost with the agent's folder.`,
  );
  const { items: workspaces } = await admin.workspaces.list({ companyId });
  expect(workspaces.filter(({ issueId }) => issueId === issue.id)).toEqual([]);
  expect(readFileSync(join(foldersOf(log).cwd, "clone", "unpushed"), "utf8")).toBe("u\n");
});
