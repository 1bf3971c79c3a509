import { execFileSync, spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { agentUsers, companyHomes } from "../../adapters-infra/local/agent-users.ts";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { issueTrees } from "../../adapters-infra/local/issue-trees.ts";
import { uuidIds } from "../../adapters-infra/local/uuid-ids.ts";
import type { Author } from "../../core/repositories/authorship.ts";
import type { AgentId, RunId, TreeId } from "../../core/shared/ids.ts";
import { runAtCommit } from "../../core/trees/run-at-commit.ts";
import type { Clone } from "../../core/trees/tree.ts";
import type { HostedRepository } from "../../ports/code-stores.ts";
import type { CloneOrder, IssueTrees, KeptState, LeftWork } from "../../ports/issue-trees.ts";
import type { LocalProcessRunner } from "../../ports/process-runner.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { hostedBy, openCodeStores, outcomeOf } from "../support/code-stores.ts";
import { type GitHost, git, gitEnv, startGitHost } from "../support/git-host.ts";
import { serveStores } from "../support/git-server.ts";
import {
  foreign,
  forged,
  gitAttacks,
  inspectAsUsual,
  openAskingHost,
  plainRepository,
} from "../support/hostile-git.ts";

let opened: Awaited<ReturnType<typeof openCodeStores>>;
let host: GitHost;
let hosted: HostedRepository;
let server: Awaited<ReturnType<typeof serveStores>>;
let processes: LocalProcessRunner;
let trees: IssueTrees;

beforeAll(async () => {
  [opened, host] = await Promise.all([openCodeStores(), startGitHost()]);
  const { stores, dataDir, sandbox, users, views } = opened;
  host.commit({ ".gitignore": "ignored/\n", "c d/é.txt": "umlaut\n", "e.txt": "e\n" });
  host.commit({ "apps/one/x.txt": "x\n", "apps/two/y.txt": "y\n" });
  hosted = hostedBy(host);
  await Effect.runPromise(stores.fetch(hosted));
  server = await serveStores(stores, hosted);
  processes = childProcessRunner({ sandbox, views });
  const homes = join(dataDir, "homes");
  trees = issueTrees(
    {
      folder: join(dataDir, "trees"),
      workspaces: join(dataDir, "workspaces"),
      homes,
      files: join(dataDir, "files"),
      env: { PATH: "/usr/bin:/bin" },
      processes,
    },
    users === null
      ? companyHomes(homes)
      : agentUsers(users, { homes, serviceHome: undefined, claims: null }, () => Effect.succeed(1)),
  );
});
afterAll(() => {
  server.close();
  opened.close();
  host.close();
});

const said: string[] = [];
const stepIn = (workspace: Workspace) => ({
  runId: randomUUID(),
  workspace,
  stop: new AbortController().signal,
  onOutput: (text: string) => Effect.sync(() => void said.push(text)),
});

/** Makes a tree with one clone, in which commands of an agent run. */
const aTree = async ({
  author = { name: "Bo", email: "bo@x" },
  from = null,
  directory = null,
  sparseFolders = null,
}: {
  author?: Author;
  sparseFolders?: readonly string[] | null;
  from?: KeptState | null;
  directory?: string | null;
} = {}) => {
  const { stores } = opened;
  const folder = { companyId: hosted.companyId, id: randomUUID() as TreeId };
  const sharedObjects = stores.sharedObjects(hosted);
  const address = { url: server.url, token: "token", sharedObjects };
  const clone: Clone = {
    repositoryId: hosted.repositoryId,
    directory,
    ...(sparseFolders === null ? {} : { sparseFolders }),
  };
  const baseCommit = (await Effect.runPromise(stores.head(hosted, "main")))!;
  const agent = { id: randomUUID() as AgentId, grantedPaths: [] };
  const workspace = await Effect.runPromise(trees.open(agent, folder, [sharedObjects]));
  const trailers = ["Boardroom-Issue: T-1", "Boardroom-Agent: Bo 'x' $(id)"];
  const order: CloneOrder = {
    ...clone,
    ...address,
    author,
    trailers,
    branch: "boardroom/T-1",
    baseBranch: "main",
    baseCommit,
    from,
  };
  await Effect.runPromise(trees.make(stepIn(workspace), order));
  /** Runs a script as the agent does, and returns what it prints. */
  const sh = async (script: string) => {
    const lines: string[] = [];
    const { runId, ...step } = stepIn(workspace);
    const outcome = await Effect.runPromise(
      processes.run(
        {
          command: "/bin/sh",
          args: ["-euc", script],
          timeoutSec: 60,
          graceSec: 1,
          onStdoutLine: (line) => {
            lines.push(line);
            return undefined;
          },
        },
        {
          ...step,
          runId,
          env: {
            ...workspace.env,
            SERVICE_RUN_ID: runId,
            LC_ALL: "C.UTF-8",
            GIT_AUTHOR_NAME: "Ada",
            GIT_AUTHOR_EMAIL: "ada@x",
            GIT_COMMITTER_NAME: "Ada",
            GIT_COMMITTER_EMAIL: "ada@x",
          },
          onStarted: () => Effect.void,
          onOutput: () => Effect.void,
        },
      ),
    );
    expect(outcome, outcome.stderrTail).toMatchObject({ exitCode: 0 });
    return lines.join("\n");
  };
  const keep = async () => {
    const runId = randomUUID() as RunId;
    const step = stepIn(await Effect.runPromise(trees.open(null, folder, [sharedObjects])));
    const outsideOf = directory === null ? [] : [directory];
    const left = await outcomeOf(
      trees.keep(step, { ...clone, ...address, trailers, runId, standIn: baseCommit, outsideOf }),
    );
    const refs = await Effect.runPromise(stores.keptRefs(hosted, runId));
    return { runId, left: left as LeftWork, refs };
  };
  const check = (change: Partial<CloneOrder> = {}) =>
    Effect.runPromise(trees.check(stepIn(workspace), { ...order, ...change }));
  return { folder, sh, keep, check, baseCommit };
};

/** All files but git's own, with what they hold. */
const listing =
  "find . -name .git -prune -o ! -type d -printf '%p %l ' -exec sh -c '[ -h \"$1\" ] && echo || sha1sum <\"$1\"' _ {} \\; | sort";

interface Row {
  readonly name: string;
  /** Done by the agent. */
  readonly deeds: string;
  readonly left?: Partial<LeftWork>;
  readonly stashes?: number;
  /** Removed before the two workspaces are compared: it is not kept. */
  readonly without?: string;
}

const conflict =
  "echo 1 >a.txt; git commit -qam 1; git checkout -q -b other HEAD~; echo 2 >a.txt; git commit -qam 2";
const rows: readonly Row[] = [
  {
    name: "changes, deletions and new files",
    deeds: "echo x >>a.txt; rm b.txt; mkdir n; echo n >n/n; chmod +x e.txt; ln -s a.txt l",
  },
  {
    name: "odd names",
    deeds: "echo 1 >'two\nlines'; echo 2 >' q\"uote\\'; echo 3 >ü.txt; echo 4 >-n; echo 5 >':(exclude)x'",
  },
  {
    name: "commits and something staged",
    deeds: "echo x >x; git add x; git commit -qm x; echo y >y; git add y",
  },
  {
    name: "a conflict in a merge",
    deeds: `${conflict}; git merge -q boardroom/T-1 || :`,
    left: { state: "MERGE_HEAD" },
  },
  {
    name: "a stopped rebase",
    deeds: `${conflict}; git rebase -q boardroom/T-1 || :`,
    left: { state: "rebase-merge", branch: null },
  },
  {
    name: "a detached HEAD",
    deeds: "echo x >x; git add x; git commit -qm x; git checkout -q --detach; echo y >y",
    left: { branch: null },
  },
  { name: "an unborn branch", deeds: "git checkout -q --orphan new; echo z >z", left: { hasHead: false } },
  {
    name: "a stash and branches",
    deeds: "git branch one; echo s >>a.txt; git stash -q; echo t >>b.txt; git stash -q",
    stashes: 2,
  },
  { name: "a corrupt index", deeds: "echo x >x; echo broken >.git/index" },
  { name: "no index", deeds: "echo x >x; rm .git/index" },
  { name: "a left index.lock", deeds: "echo x >x; touch .git/index.lock", left: { state: "index.lock" } },
  { name: "no HEAD", deeds: "echo x >x; rm .git/HEAD", left: { hasHead: false } },
  { name: "no .git", deeds: "echo x >x; rm -rf .git", left: { hasHead: false } },
  {
    name: "a .git file that leads elsewhere",
    deeds: "echo x >x; mv .git /tmp/g; echo 'gitdir: /tmp/g' >.git",
    left: { hasHead: false },
  },
  {
    name: "a linked .git",
    deeds: 'echo x >x; mv .git "$HOME/g-$$"; ln -s "$HOME/g-$$" .git',
    left: { hasHead: false },
  },
  { name: "an index that is a pipe", deeds: "echo x >x; rm .git/index; mkfifo .git/index" },
  { name: "an assume-unchanged file", deeds: "git update-index --assume-unchanged a.txt; echo x >>a.txt" },
  { name: "a skip-worktree file", deeds: "git update-index --skip-worktree a.txt; echo x >>a.txt" },
  {
    name: "settings that run programs",
    deeds:
      "git config core.fsmonitor 'touch ran;false'; git config core.hooksPath hooks; git config filter.x.clean 'touch ran;cat'; git config filter.x.required true; git config diff.external 'touch ran'; git config alias.add '!touch ran'; mkdir hooks; printf '#!/bin/sh\\ntouch ran' >hooks/pre-push; chmod +x hooks/pre-push; echo '* filter=x' >.gitattributes; echo x >x",
  },
  {
    name: "an included setting that cannot be read",
    deeds: "git config include.path /nowhere; printf '[core' >>.git/config; echo x >x",
    left: { hasHead: false },
  },
  {
    name: "a branch whose objects are missing",
    deeds: "printf '%040d\\n' 7 >.git/refs/heads/broken; echo x >x",
    left: { leftOut: [{ path: ".git/refs", reason: "unknown" }] },
  },
  {
    name: "repositories inside",
    deeds:
      "git init -q in; echo i >in/i; git -C in add .; git -C in commit -qm i; git init -q empty; echo x >x",
    left: {
      leftOut: [
        { path: "empty", reason: "inner_repository" },
        { path: "in", reason: "inner_repository" },
      ],
    },
    without: "rm -rf in empty",
  },
  {
    name: "files that cannot be read",
    deeds: "echo x >x; echo s >secret; chmod 0 secret; mkdir closed; echo c >closed/c; chmod 0 closed",
    left: {
      leftOut: [
        { path: "closed/", reason: "unreadable" },
        { path: "secret", reason: "unreadable" },
      ],
    },
    without: "chmod 700 closed; rm -rf closed secret",
  },
  {
    name: "a large new file",
    deeds: "echo x >x; truncate -s 51M 'large file'",
    left: { leftOut: [{ path: "large file", reason: "too_large" }] },
    without: "rm -f 'large file'",
  },
  {
    name: "ignored files and pipes",
    deeds: "mkdir ignored; echo i >ignored/i; mkfifo pipe; echo x >x",
    without: "rm -rf ignored pipe",
  },
];

describe("The work of a run is kept and made again elsewhere", () => {
  it.each(rows)("with $name", async ({ deeds, left = {}, without = "", stashes = 0 }) => {
    const tree = await aTree();
    const head = await tree.sh(`( ${deeds}\n) >/dev/null; git rev-parse HEAD 2>/dev/null || :`);
    const kept = await tree.keep();
    expect(kept.left).toMatchObject({ leftOut: [], ...left });
    const { refs } = kept;
    if (kept.left.hasHead) expect(refs.head).toBe(head);
    expect(existsSync(join(opened.dataDir, "trees", hosted.companyId, tree.folder.id, "work", "ran"))).toBe(
      false,
    );
    const from = { runId: kept.runId, head: refs.head!, files: refs.tree! };
    const again = await aTree({ from });
    const was = await tree.sh(`${without === "" ? ":" : without}; ${listing}`);
    const branch = "git rev-parse HEAD; git rev-parse --abbrev-ref HEAD; git stash list | wc -l";
    expect(await again.sh(`${listing}; ${branch}`)).toBe(
      [was, refs.head, "boardroom/T-1", `${stashes}`].join("\n"),
    );
  });

  it("while the agent's HEAD, index and operation stay as they are", async () => {
    const tree = await aTree();
    await tree.sh(`${conflict}; git merge -q boardroom/T-1 || :; echo new >new`);
    const inspect = "git status --porcelain=2 --branch; ls .git; sha1sum .git/index; git for-each-ref";
    const before = await tree.sh(inspect);
    await tree.keep();
    expect(await tree.sh(inspect)).toBe(before);
  });

  it.each([
    ["with its index", ":"],
    ["without an index", "rm .git/index"],
    ["without .git", "rm -rf .git"],
  ])("of some folders %s, where what is not laid out is not deleted", async (_, deeds) => {
    const tree = await aTree({ sparseFolders: ["apps/one"] });
    expect(await tree.sh("ls apps")).toBe("one");
    await tree.sh(`echo new >apps/one/new; rm apps/one/x.txt; ${deeds}`);
    const { refs } = await tree.keep();
    const kept = join(opened.folder, hosted.companyId, hosted.repositoryId, "kept.git");
    expect(git(kept, ["diff", "--name-status", tree.baseCommit, refs.tree!])).toBe(
      "A\tapps/one/new\nD\tapps/one/x.txt",
    );
  });

  it("and names files outside of a clone in a folder", async () => {
    const tree = await aTree({ directory: "apps/one" });
    await tree.sh("echo n >notes; echo m >apps/other; echo x >apps/one/x");
    const { left, refs } = await tree.keep();
    expect(left.leftOut).toEqual([
      { path: "./apps/other", reason: "outside_clones" },
      { path: "./notes", reason: "outside_clones" },
    ]);
    const kept = join(opened.folder, hosted.companyId, hosted.repositoryId, "kept.git");
    expect(git(kept, ["show", `${refs.tree}:x`])).toBe("x");
  });
});

describe("A workspace that is used again", () => {
  it("has no locks of killed programs and finds the stores", async () => {
    const tree = await aTree();
    await tree.sh("touch .git/index.lock .git/refs/heads/x.lock; rm .git/objects/info/alternates");
    expect(await tree.check()).toBe(true);
    expect(await tree.sh("git add -A; git log -1 --format=%s; git config remote.origin.url")).toBe(
      `m\n${server.url}/shared`,
    );
  });

  it.each([
    ["its .git is gone", "rm -rf .git"],
    ["its HEAD is gone", "rm .git/HEAD"],
    ["its settings cannot be read", "printf '[core' >.git/config"],
  ])("is none where %s", async (_, deeds) => {
    const tree = await aTree();
    await tree.sh(deeds);
    expect(await tree.check()).toBe(false);
  });
});

describe("A commit in a workspace", () => {
  const unset = "unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL";
  const show = "git log -1 --format='%an <%ae> %cn <%ce>%n%(trailers:only)'";

  it("is by the author of its repository, and names the issue, the agent and each run in its message", async () => {
    const tree = await aTree({ author: { name: "Bo (agents)", email: "bo+agents@x" } });
    const first = await tree.sh(`
      ${unset}
      git commit -q --allow-empty -m "$(printf 'x\n\n---\nmore')"
      ${show}
      git init -q in && cd in && git commit -q --allow-empty -m in && ${show}
    `);
    expect(first.split("\n").filter((line) => line !== "")).toEqual([
      "Bo (agents) <bo+agents@x> Bo (agents) <bo+agents@x>",
      "Boardroom-Issue: T-1",
      "Boardroom-Agent: Bo 'x' $(id)",
      "Bo (agents) <bo+agents@x> Bo (agents) <bo+agents@x>",
    ]);
    await tree.check({
      author: { name: "Cy", email: "cy@x" },
      trailers: ["Boardroom-Issue: T-1", "Boardroom-Agent: Cy"],
    });
    expect(
      (
        await tree.sh(`${unset}; git commit -q --amend --allow-empty -m "$(git log -1 --format=%B)"; ${show}`)
      ).trim(),
    ).toBe(
      "Bo (agents) <bo+agents@x> Cy <cy@x>\nBoardroom-Issue: T-1\nBoardroom-Agent: Bo 'x' $(id)\nBoardroom-Agent: Cy",
    );
  });

  it("passes the repository's own hook instead, which stays", async () => {
    const tree = await aTree();
    await tree.sh("printf '#!/bin/sh\\necho own >>\"$1\"\\n' >.git/hooks/commit-msg");
    expect(await tree.check()).toBe(true);
    expect(await tree.sh("git commit -q --allow-empty -m x; git log -1 --format=%B")).toBe("x\nown\n");
  });

  it("with the files that a run left names them, too", async () => {
    const tree = await aTree();
    await tree.sh("echo x >x");
    const { runId, refs } = await tree.keep();
    const kept = join(opened.folder, hosted.companyId, hosted.repositoryId, "kept.git");
    expect(git(kept, ["log", "-1", "--format=%B", refs.tree!])).toBe(
      `Files at the end of run ${runId}\n\nBoardroom-Issue: T-1\nBoardroom-Agent: Bo 'x' $(id)`,
    );
  });
});

describe("An agent in its workspace", () => {
  it("cannot write what it borrows, and sees nothing else of the service's stores", async () => {
    const tree = await aTree();
    const objects = opened.stores.sharedObjects(hosted);
    const looked = await tree.sh(
      `touch ${objects}/x 2>/dev/null && echo wrote; ls ${objects}/.. ${objects}/../..; :`,
    );
    expect(looked).not.toContain("wrote");
    expect(looked).not.toMatch(/kept.git|HEAD|refs/);
  });

  it("has no credential in a file", async () => {
    const tree = await aTree();
    expect(await tree.sh("grep -rl token . || echo none")).toBe("none");
  });
});

describe("A repository of a hostile agent", () => {
  let lab: string;
  let plain: string;
  let closeHost: () => void;
  beforeAll(async () => {
    lab = mkdtempSync(join(tmpdir(), "hostile-git-"));
    plain = join(lab, "plain");
    plainRepository(plain);
    closeHost = await openAskingHost();
  });
  afterAll(() => {
    closeHost();
    rmSync(lab, { recursive: true, force: true });
  });

  it.each(gitAttacks)(
    "with $name harms who looks into it, and is kept without harm",
    async ({ make, naive, name }) => {
      const own = mkdtempSync(join(lab, "attack-"));
      const payload = join(own, "payload");
      writeFileSync(payload, `#!/bin/sh\ntouch ${own}/mark-$(cat ${own}/current)\nexit 0\n`, { mode: 0o755 });
      const marks = () => readdirSync(own).filter((each) => /^mark-(?!making)/.test(each));
      const current = (step: string) => writeFileSync(join(own, "current"), step);
      current("making");
      const made = join(own, "made");
      cpSync(plain, made, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
      make(made, payload, own);

      const folder = { companyId: hosted.companyId, id: randomUUID() as TreeId };
      const sharedObjects = opened.stores.sharedObjects(hosted);
      const workspace = await Effect.runPromise(trees.open(null, folder, [sharedObjects]));
      cpSync(made, workspace.cwd, { recursive: true, verbatimSymlinks: true });
      if (workspace.user !== null)
        execFileSync("chown", ["-Rh", `${workspace.user.uid}:${workspace.user.gid}`, workspace.cwd]);
      const runId = randomUUID() as RunId;
      const standIn = (await Effect.runPromise(opened.stores.head(hosted, "main")))!;
      const order = {
        repositoryId: hosted.repositoryId,
        directory: null,
        url: server.url,
        token: "token",
        trailers: [],
      };
      current("kept");
      await Effect.runPromise(
        trees.keep(stepIn(workspace), { ...order, sharedObjects, runId, standIn, outsideOf: [] }),
      );
      expect(marks()).toEqual([]);
      const { tree } = await Effect.runPromise(opened.stores.keptRefs(hosted, runId));
      const kept = join(opened.folder, hosted.companyId, hosted.repositoryId, "kept.git");
      const shown = git(kept, [
        "--no-replace-objects",
        "show",
        `${tree}:new.txt`,
        `${tree}:a.txt`,
        `${tree}:b.txt`,
      ]);
      expect(shown).toBe("untracked\ntwo\ndirty");
      const found = spawnSync("git", ["--git-dir", kept, "grep", "-e", foreign, "-e", forged, tree!], {
        env: gitEnv,
      });
      expect({ status: found.status, text: `${found.stdout}${found.stderr}` }).toEqual({
        status: 1,
        text: "",
      });

      // The control: the same repository, looked into in the usual way.
      current("naive");
      const said = inspectAsUsual(made);
      const harm =
        marks().length > 0
          ? "runs"
          : said.includes(foreign)
            ? "leaks"
            : said.includes(forged)
              ? "forges"
              : "nothing";
      expect(harm, name).toBe(naive);
    },
  );
});

describe("A command of a person", () => {
  const runAt = async (command: string, timeoutSec = 60) => {
    let printed = "";
    const at = runAtCommit({
      codeStores: opened.stores,
      ids: uuidIds,
      trees: () => trees,
      apiUrl: () => "http://x",
    });
    const { repositoryId, companyId } = hosted;
    const outcome = await outcomeOf(
      at({
        companyId,
        clones: [{ repositoryId, directory: "apps/one", commit: host.first }],
        command,
        timeoutSec,
        stop: new AbortController().signal,
        onOutput: (text) =>
          Effect.sync(() => {
            printed += text;
          }),
      }),
    );
    return { outcome, printed };
  };
  const left = () => {
    const folder = join(opened.dataDir, "trees", ".temporary", hosted.companyId);
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  it("runs at a commit, in a workspace that is discarded, without a credential", async () => {
    const before = left();
    const { outcome, printed } = await runAt(
      "cd apps/one; ls; git rev-parse HEAD; git status --porcelain; env | grep -ci -e token -e bearer; echo no >&2",
    );
    expect(printed).toBe(`a.txt\nb.txt\n${host.first}\n0\nno\n`);
    expect(outcome).toMatchObject({ exitCode: 0, problem: null, durationMs: expect.any(Number) });
    expect(left()).toEqual(before);
  });

  it.each([
    ["that fails", "echo é; exit 3", 60, { exitCode: 3, problem: "the program ended with 3." }],
    ["without an end", "sleep 600", 1, { exitCode: null, problem: "it took longer than its time limit." }],
    ["that is no command", "(", 60, { exitCode: 2 }],
  ])("%s has that outcome, and leaves nothing", async (_, command, timeoutSec, outcome) => {
    const before = left();
    expect((await runAt(command, timeoutSec)).outcome).toMatchObject(outcome);
    expect(left()).toEqual(before);
  });
});

it("What a killed service has left of a command, and what has been aside for long, goes; the rest stays", async () => {
  const root = join(opened.dataDir, "trees");
  const day = 24 * 3_600_000;
  const aside = [`a-${Date.now() - 29 * day}`, `b-${Date.now() - 31 * day}`];
  for (const path of [...aside.map((name) => join(".aside", name)), ".temporary/c/new", ".temporary/c/old"])
    mkdirSync(join(root, path, "work"), { recursive: true });
  utimesSync(join(root, ".temporary/c/old"), new Date(0), new Date(0));
  await Effect.runPromise(trees.emptyTrash());
  expect(readdirSync(join(root, ".aside"))).toEqual([aside[0]]);
  expect(readdirSync(join(root, ".temporary/c"))).toEqual(["new"]);
  expect(readdirSync(join(root, ".trash"))).toEqual([]);
});

it("A discarded workspace is gone at once, and deleted from the trash with all that an agent has closed", async () => {
  const tree = await aTree();
  await tree.sh("mkdir -p closed/in; echo x >closed/in/x; chmod 0 closed");
  await Effect.runPromise(trees.discard(tree.folder));
  expect(await Effect.runPromise(trees.isThere(tree.folder))).toBe(false);
  await Effect.runPromise(trees.emptyTrash());
  expect(readdirSync(join(opened.dataDir, "trees", ".trash"))).toEqual([]);
});
