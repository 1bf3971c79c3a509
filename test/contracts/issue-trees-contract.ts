import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import type { Author } from "../../core/model/repositories/authorship.ts";
import type { AgentId, RunId, WorkspaceId } from "../../core/model/shared/ids.ts";
import type { Clone } from "../../core/model/workspaces/issue-workspace.ts";
import type {
  CapturedState,
  CapturedWork,
  CloneOrder,
  IssueWorkspaces,
  MergedWork,
} from "../../ports/issue-workspaces.ts";
import type { ProcessRunner } from "../../ports/process-runner.ts";
import type { Workspace } from "../../ports/workspaces.ts";
import { hostedBy, openCodeStores, outcomeOf } from "../support/code-stores.ts";
import { git, startGitHost } from "../support/git-host.ts";
import { serveStores } from "../support/git-server.ts";

/** A repository in the service's stores, which git in workspaces finds at `server`. */
export const openTreeStores = async (address = "127.0.0.1") => {
  const [opened, host] = await Promise.all([openCodeStores(), startGitHost()]);
  const { stores } = opened;
  host.commit({ ".gitignore": "ignored/\n", "c d/é.txt": "umlaut\n", "e.txt": "e\n" });
  host.commit({ "apps/one/x.txt": "x\n", "apps/two/y.txt": "y\n" });
  const hosted = hostedBy(host);
  await Effect.runPromise(stores.fetch(hosted));
  const server = await serveStores(stores, hosted, address);
  return {
    ...opened,
    host,
    hosted,
    server,
    capturedStore: join(opened.folder, hosted.companyId, hosted.repositoryId, "kept.git"),
    close: () => {
      server.close();
      opened.close();
      host.close();
    },
  };
};

export type TreeStores = Awaited<ReturnType<typeof openTreeStores>>;

/** Workspaces of issues on a runner, and what a test must see of them. */
export interface TestedTrees {
  readonly at: TreeStores;
  readonly processes: ProcessRunner;
  readonly trees: IssueWorkspaces;
}

const messages: string[] = [];
export const stepIn = (workspace: Workspace) => ({
  runId: randomUUID(),
  workspace,
  stop: new AbortController().signal,
  onOutput: (text: string) => Effect.sync(() => void messages.push(text)),
});

interface TreeOptions {
  readonly author?: Author;
  readonly sparseFolders?: readonly string[] | null;
  readonly from?: CapturedState | null;
  readonly directory?: string | null;
}

/** Makes a tree with one clone, in which commands of an agent run. */
export const makeTree = async (
  { at, trees, processes }: TestedTrees,
  {
    author = { name: "Bo", email: "bo@x" },
    from = null,
    directory = null,
    sparseFolders = null,
  }: TreeOptions = {},
) => {
  const { stores, hosted, server } = at;
  const folder = { companyId: hosted.companyId, id: randomUUID() as WorkspaceId };
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
  const keep = async (standIn: string = baseCommit) => {
    const runId = randomUUID() as RunId;
    const step = stepIn(await Effect.runPromise(trees.open(null, folder, [sharedObjects])));
    const outsideOf = directory === null ? [] : [directory];
    const left = await outcomeOf(
      trees.keep(step, { ...clone, ...address, trailers, runId, standIn, outsideOf }),
    );
    const refs = await Effect.runPromise(stores.capturedRefs(hosted, runId));
    return { runId, left: left as CapturedWork, refs };
  };
  const check = (change: Partial<CloneOrder> = {}) =>
    Effect.runPromise(trees.check(stepIn(workspace), { ...order, ...change }));
  const continueFrom = (merged: MergedWork) =>
    Effect.runPromise(trees.continueFrom(stepIn(workspace), order, merged));
  return { folder, sh, keep, check, continueFrom, baseCommit };
};

/** All files but git's own, with what they hold: a process for all of them. */
const listing =
  "{ find . -name .git -prune -o ! -type d -printf '%p %l\\n'; find . -name .git -prune -o -type f -exec sha1sum {} +; } | sort";

interface Row {
  readonly name: string;
  /** Done by the agent. */
  readonly deeds: string;
  readonly left?: Partial<CapturedWork>;
  readonly stashes?: number;
  /** The issue's branch has the commits. */
  readonly isBegun?: boolean;
  /** Removed before the two workspaces are compared: it is not kept. */
  readonly without?: string;
}

const conflict =
  "echo 1 >a.txt; git commit -qam 1; git checkout -q -b other HEAD~; echo 2 >a.txt; git commit -qam 2";
/** The states in which an agent may leave its workspace. */
const rows: readonly Row[] = [
  {
    name: "changes, deletions and new files",
    deeds: "echo x >>a.txt; rm b.txt; mkdir n; echo n >n/n; chmod +x e.txt; ln -s a.txt l",
  },
  {
    name: "odd names",
    deeds:
      "echo 1 >'two\nlines'; echo 2 >' q\"uote\\'; echo 3 >ü.txt; echo 4 >-n; echo 5 >':(exclude)x'; echo 6 >\"$(printf 'caf\\351')\"",
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
    name: "own branches and stashes",
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
    deeds: 'echo x >x; mv .git "$HOME/f-$$"; echo "gitdir: $HOME/f-$$" >.git',
    left: { hasHead: false, leftOut: [{ path: ".git", reason: "unknown" }] },
  },
  {
    name: "a linked .git",
    deeds: 'echo x >x; mv .git "$HOME/g-$$"; ln -s "$HOME/g-$$" .git',
    left: { hasHead: false, leftOut: [{ path: ".git", reason: "unknown" }] },
  },
  { name: "an index that is a pipe", deeds: "echo x >x; rm .git/index; mkfifo .git/index" },
  {
    name: "pipes in place of files that git opens",
    deeds: "echo x >x; mkdir n; echo n >n/n; mkfifo .gitattributes n/.gitattributes n/.gitignore",
    left: {
      leftOut: [".gitattributes", "n/.gitattributes", "n/.gitignore"].map((path) => ({
        path,
        reason: "unreadable",
      })),
    },
    without: "rm -f .gitattributes n/.git*",
  },
  { name: "an assume-unchanged file", deeds: "git update-index --assume-unchanged a.txt; echo x >>a.txt" },
  { name: "a skip-worktree file", deeds: "git update-index --skip-worktree a.txt; echo x >>a.txt" },
  {
    name: "settings that run programs",
    deeds:
      "git config core.fsmonitor 'touch ran;false'; git config core.hooksPath hooks; git config filter.x.clean 'touch ran;cat'; git config filter.x.required true; git config diff.external 'touch ran'; git config alias.add '!touch ran'; mkdir hooks; printf '#!/bin/sh\\ntouch ran' >hooks/pre-push; chmod +x hooks/pre-push; echo '* filter=x' >.gitattributes; echo x >x",
  },
  {
    name: "an included setting that cannot be read",
    deeds:
      "echo x >x; git add x; git commit -qm x; echo y >y; git config include.path /nowhere; printf '[core' >>.git/config",
  },
  {
    name: "a branch whose objects are missing",
    deeds: "printf '%040d\\n' 7 >.git/refs/heads/broken; echo x >x",
    left: { leftOut: [{ path: ".git/refs", reason: "unknown" }] },
  },
  {
    name: "300 branches, of which the first 150 are kept",
    deeds:
      'n=0; while [ $((n += 1)) -le 300 ]; do echo "create refs/heads/b$n HEAD"; done | git update-ref --stdin; echo x >x',
    left: { leftOut: [{ path: ".git/refs", reason: "unknown" }] },
  },
  {
    name: "41 stashes, of which the last 40 are kept",
    deeds: "n=0; while [ $((n += 1)) -le 41 ]; do echo $n >>a.txt; git stash -q; done; echo x >x",
    left: { leftOut: [{ path: ".git/refs", reason: "unknown" }] },
    stashes: 40,
  },
  {
    name: "a required filter that fails",
    deeds:
      "git config filter.x.clean false; git config filter.x.required true; echo '* filter=x' >.gitattributes; echo x >x",
  },
  {
    name: "something staged apart from the file, of which the file is kept",
    deeds: "echo staged >a.txt; git add a.txt; echo file >a.txt",
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
    name: "worktrees of its own, of which those with more than a branch are named",
    deeds: `
      git worktree add -q ignored/clean -b clean
      git worktree add -q ignored/committed -b committed
      (cd ignored/committed; echo c >c; git add c; git commit -qm c)
      git worktree add -q ignored/dirty -b dirty; echo d >ignored/dirty/d
      git worktree add -q --detach ignored/detached
      (cd ignored/detached; echo e >e; git add e; git commit -qm e)
      git worktree add -q plain -b plain; echo x >x`,
    left: {
      leftOut: [
        { path: "ignored/detached", reason: "inner_repository" },
        { path: "ignored/dirty", reason: "inner_repository" },
      ],
    },
    without: "rm -rf ignored plain",
  },
  {
    name: "clones in folders that git ignores, of which those with work of their own are named",
    deeds: `
      git init -q ignored/own; (cd ignored/own; git commit -q --allow-empty -m c)
      for each in clean dirty committed stashed; do
        git init -q ignored/$each
        (cd ignored/$each; echo f >f; git add f; git commit -qm f; git remote add o https://example.invalid/r
          git update-ref refs/remotes/o/main HEAD; echo f >f)
      done
      echo g >ignored/dirty/g
      (cd ignored/committed; git commit -q --allow-empty -m c; git checkout -q HEAD~)
      (cd ignored/stashed; echo s >f; git stash -q)
      cp -r ignored/clean ignored/local; git -C ignored/local config remote.o.url ../own
      echo x >x`,
    left: {
      leftOut: ["committed", "dirty", "local", "own", "stashed"].map((name) => ({
        path: `ignored/${name}`,
        reason: "inner_repository",
      })),
    },
    without: "rm -rf ignored",
  },
  {
    name: "a submodule that was added, one that is not laid out but has files, and a .git that is no repository",
    deeds: `
      git init -q in; (cd in; echo i >i; git add i; git commit -qm i)
      git update-index --add --cacheinfo "160000,$(git -C in rev-parse HEAD),in"
      git update-index --add --cacheinfo "160000,$(git -C in rev-parse HEAD),bare"
      git update-index --add --cacheinfo "160000,$(git -C in rev-parse HEAD),none"
      mkdir -p bare none odd/.git; echo b >bare/b; echo o >odd/o; echo g >odd/.git/g
      git commit -qm submodules; echo x >x`,
    left: {
      leftOut: ["bare", "in", "odd"].map((path) => ({ path, reason: "inner_repository" })),
    },
    without: "rm -rf bare/b in/* in/.git odd/.git",
  },
  {
    name: "line endings and encodings that .gitattributes gives",
    deeds: `
      printf '*.txt text\\n*.crlf eol=crlf\\n*.auto text=auto eol=crlf\\n*.u16 text working-tree-encoding=UTF-16LE-BOM eol=lf\\n*.sjis text working-tree-encoding=SHIFT-JIS\\n' >.gitattributes
      git add .; git commit -qm attributes
      printf 'a\\r\\nb\\r\\n' >w.crlf; cp w.crlf w.auto; printf 'a\\nb\\n' >u.txt
      printf '\\377\\376h\\0i\\0\\n\\0' >u.u16; printf '\\223\\372\\n' >j.sjis; printf '\\0\\r\\n\\n' >b.auto
      printf 'a\\r\\nb\\r\\n' >committed.crlf; cp u.u16 committed.u16; git add committed*; git commit -qm more; printf 'c\\r\\n' >>committed.crlf
      touch committed.u16`,
  },
  {
    name: "files whose content .gitattributes would change, or that do not have the encoding that it gives them",
    deeds: `
      printf '*.text text\\n*.u16 working-tree-encoding=UTF-16LE-BOM\\n*.any working-tree-encoding=UTF-16\\n*.no working-tree-encoding=NO-SUCH\\n' >.gitattributes
      printf '\\377\\376o\\0' >known.u16; git add .; git commit -qm attributes
      printf '\\0\\r\\n\\r' >binary.text; printf 'a\\r\\n' >mixed.text
      printf plain >known.u16; printf plain >'new
file.u16'; printf '\\376\\377\\0h' >big.any; printf x >x.no; echo x >x`,
    left: {
      leftOut: ["big.any", "binary.text", "known.u16", "new?file.u16", "x.no"].map((path) => ({
        path,
        reason: "encoding",
      })),
    },
    without: `printf 'a\\n' >mixed.text; rm binary.text big.any *file.u16 x.no; printf '\\377\\376o\\0' >known.u16`,
  },
  {
    name: "submodules inside of submodules, of which those with work of their own are named",
    deeds: `
      fetched() { git update-ref refs/remotes/o/main HEAD; git config remote.o.url https://example.invalid/r; }
      for each in clean dirty files new; do
        git init -q $each; (cd $each
          git init -q in; (cd in; echo i >i; git add i; git commit -qm i; fetched)
          git update-index --add --cacheinfo "160000,$(git -C in rev-parse HEAD),in"; git commit -qm in; fetched)
        git update-index --add --cacheinfo "160000,$(git -C $each rev-parse HEAD),$each"
      done
      git commit -qm submodules; echo x >x
      echo d >dirty/in/d; rm -rf files/in/.git; (cd new; git rm -q --cached in; git commit -qm out; fetched)`,
    isBegun: true,
    left: {
      leftOut: ["dirty/in", "files", "new", "new/in"].map((path) => ({ path, reason: "inner_repository" })),
    },
    without: "for each in clean dirty files new; do rm -rf $each/* $each/.git; done",
  },
  {
    name: "a HEAD whose objects are elsewhere",
    deeds: `
      git init -q ../scratch/o; echo x >x
      (cd ../scratch/o; echo o >o; git add o; git commit -qm o)
      echo "$PWD/../scratch/o/.git/objects" >>.git/objects/info/alternates
      git -C ../scratch/o rev-parse HEAD >.git/HEAD`,
    left: { hasHead: false, branch: null, leftOut: [{ path: ".git/HEAD", reason: "unknown" }] },
  },
  {
    name: "folders in more levels than a push may have",
    deeds: "echo x >x; n=0; while [ $((n += 1)) -le 260 ]; do mkdir d; cd d; done; echo y >y",
    left: { leftOut: [{ path: `./${"d/".repeat(260)}`.slice(0, 200), reason: "too_large" }] },
    without: "rm -rf d",
  },
  {
    name: "branches in a form that is not read",
    deeds: "mkdir .git/reftable; echo x >x",
    left: { leftOut: [{ path: ".git/reftable", reason: "unknown" }] },
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

const ofEngines = [
  "changes, deletions and new files",
  "an unborn branch",
  "own branches and stashes",
  "no HEAD",
  "no .git",
  "a linked .git",
  "files that cannot be read",
];

/** Those in which an engine, whose programs borrow no objects, differs from the own disk. */
export const rowsOfEngines = rows.filter(({ name }) => ofEngines.includes(name));

/** The promises of workspaces of issues on every runner. */
export const issueTreesContract = (tested: () => TestedTrees, chosen: readonly Row[] = rows) => {
  const aTree = (options: TreeOptions = {}) => makeTree(tested(), options);

  describe("The work of a run is kept and made again elsewhere", () => {
    it.each(chosen)("with $name", async ({ deeds, left = {}, without = "", stashes = 0, isBegun }) => {
      const tree = await aTree();
      const head = await tree.sh(`( ${deeds}\n) >/dev/null; git rev-parse HEAD 2>/dev/null || :`);
      const captured = await tree.keep(isBegun ? head : undefined);
      expect(captured.left).toMatchObject({ leftOut: [], ...left });
      const { refs } = captured;
      // Git of the agent may find none where the service does.
      if (captured.left.hasHead && head !== "") expect(refs.head).toBe(head);
      expect(await tree.sh("ls")).not.toMatch(/^ran$/m);
      const from = { runId: captured.runId, head: refs.head!, files: refs.tree! };
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
      expect(git(tested().at.capturedStore, ["diff", "--name-status", tree.baseCommit, refs.tree!])).toBe(
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
      expect(git(tested().at.capturedStore, ["show", `${refs.tree}:x`])).toBe("x");
    });
  });

  describe("A workspace that is used again", () => {
    it("has no locks of killed programs and finds the stores", async () => {
      const tree = await aTree();
      await tree.sh("touch .git/index.lock .git/refs/heads/x.lock; rm -f .git/objects/info/alternates");
      expect(await tree.check()).toBe(true);
      expect(await tree.sh("git add -A; git log -1 --format=%s; git config remote.origin.url")).toBe(
        `m\n${tested().at.server.url}/shared`,
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

  describe("A branch whose commits are merged", () => {
    it.each([{ sparseFolders: null }, { sparseFolders: ["apps/one"] }])(
      "continues at the commit of the merge, with its files and folders ($sparseFolders)",
      async ({ sparseFolders }) => {
        const { host, hosted, stores } = tested().at;
        const tree = await aTree({ sparseFolders });
        const head = await tree.sh(
          "echo w >w; git add w; git commit -qm w; git pack-refs --all; echo e >>e.txt; echo loose >loose; git rev-parse HEAD",
        );
        const branch = `merged-${randomUUID()}`;
        host.commit({ w: "w\n", "apps/one/x.txt": `${branch}\n`, "apps/two/y.txt": "new\n" }, branch);
        git(host.work, ["checkout", "-q", "main"]);
        await Effect.runPromise(stores.fetch(hosted, { maxAgeSec: 0 }));
        const commit = (await Effect.runPromise(stores.head(hosted, branch)))!;
        const merged = { fromCommit: head, commit, defaultBranch: "main" };
        const readState =
          "git status --short; git rev-parse HEAD origin/main; git symbolic-ref HEAD; cat apps/one/x.txt; ls apps";
        const before = await tree.sh(readState);
        expect(await tree.continueFrom({ ...merged, fromCommit: tree.baseCommit })).toBe(false);
        await tree.sh("touch .git/index.lock");
        expect(await tree.continueFrom(merged)).toBe(false);
        await tree.sh("rm .git/index.lock; git checkout -q -b other");
        expect(await tree.continueFrom(merged)).toBe(false);
        await tree.sh("git checkout -q -; echo mine >apps/one/x.txt");
        expect(await tree.continueFrom(merged)).toBe(false);
        await tree.sh("git checkout -q -- apps/one/x.txt");
        expect(await tree.sh(readState)).toBe(before);
        expect(await tree.continueFrom(merged), messages.join("")).toBe(true);
        const after = [
          ...[" M e.txt", "?? loose", commit, commit, "refs/heads/boardroom/T-1", branch, "one"],
          ...(sparseFolders === null ? ["two"] : []),
        ].join("\n");
        expect(await tree.sh(readState)).toBe(after);
        expect(await tree.continueFrom(merged)).toBe(true);
        expect(await tree.sh(`${readState}; git fsck --connectivity-only --no-dangling`)).toBe(after);
      },
    );
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
          await tree.sh(
            `${unset}; git commit -q --amend --allow-empty -m "$(git log -1 --format=%B)"; ${show}`,
          )
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

    it.each(["mkfifo", "mkdir", "ln -s /dev/full"])(
      "names them where a run left %s in their place",
      async (make) => {
        const tree = await aTree();
        await tree.sh(`rm .git/boardroom-trailers; ${make} .git/boardroom-trailers`);
        expect(await tree.check()).toBe(true);
        expect(await tree.sh(`git commit -q --allow-empty -m x; ${show}`)).toContain("Boardroom-Issue: T-1");
      },
    );

    it("with the files that a run left names them, too", async () => {
      const tree = await aTree();
      await tree.sh("echo x >x");
      const { runId, refs } = await tree.keep();
      expect(git(tested().at.capturedStore, ["log", "-1", "--format=%B", refs.tree!])).toBe(
        `Files at the end of run ${runId}\n\nBoardroom-Issue: T-1\nBoardroom-Agent: Bo 'x' $(id)`,
      );
    });
  });

  describe("An agent in its workspace", () => {
    it("has no credential in a file", async () => {
      const tree = await aTree();
      expect(await tree.sh("grep -rl token . || echo none")).toBe("none");
    });
  });
};
