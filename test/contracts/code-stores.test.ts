import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pktLine } from "../../adapters-infra/git/pushed-refs.ts";
import { showsInTurn } from "../../adapters-infra/git/shows-in-turn.ts";
import { refsOfRun } from "../../core/model/repositories/repository.ts";
import type { CompanyId, RunId } from "../../core/model/shared/ids.ts";
import { type CodeStores, type HostedRepository, StoreFailed } from "../../ports/code-stores.ts";
import { hostedBy, openCodeStores, outcomeOf } from "../support/code-stores.ts";
import { eventually } from "../support/eventually.ts";
import { commitFiles, type GitHost, git, startGitHost } from "../support/git-host.ts";
import { isAlive, treeOf } from "../support/processes.ts";
import { isDeep } from "../support/sample.ts";

const run = Effect.runPromise;
const runId = "0198c1de-0000-7000-8000-000000000001" as RunId;

let opened: Awaited<ReturnType<typeof openCodeStores>>;
let host: GitHost;
let other: GitHost;
let stores: CodeStores;

beforeAll(async () => {
  [opened, host, other] = await Promise.all([openCodeStores(), startGitHost(), startGitHost(null)]);
  stores = opened.stores;
});
afterAll(() => {
  opened.close();
  host.close();
  other.close();
});

const gitDir = ({ companyId, repositoryId }: HostedRepository, store: "shared" | "kept") =>
  join(opened.folder, companyId, repositoryId, `${store}.git`);

/** Whether git packs for this process now. */
const isPacking = (): boolean =>
  treeOf(process.pid).some((pid) => {
    try {
      return isAlive(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("pack-objects");
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });

/** A push of a run to the kept store, of commits in a folder of the test. */
const push = async (of: HostedRepository, from: string, refs: Readonly<Record<string, string>>) => {
  const prefix = refsOfRun(runId);
  const names = Object.entries(refs).map(([name, commit]) => `${commit} ${prefix}${name}`);
  const pack = execFileSync("git", ["pack-objects", "--revs", "--stdout", "--quiet"], {
    cwd: from,
    input: `${Object.values(refs).join("\n")}\n`,
    maxBuffer: 2 ** 28,
  });
  const zero = "0".repeat(40);
  const commands = names.map((name, at) =>
    pktLine(`${zero} ${name}${at === 0 ? "\0 report-status atomic" : ""}\n`),
  );
  const answer = await run(
    stores.exchange(of, {
      store: "kept",
      service: "git-receive-pack",
      isStart: false,
      protocol: null,
      isGzip: false,
      body: Readable.from([Buffer.from(`${commands.join("")}0000`), pack]),
      writes: [prefix],
      reads: [],
      noPush: null,
      aborted: new AbortController().signal,
    }),
  );
  let text = "";
  if (typeof answer.body === "string") text = answer.body;
  else for await (const chunk of answer.body) text += Buffer.from(chunk).toString();
  return text;
};

const fetched = async () => {
  const hosted = hostedBy(host);
  await run(stores.fetch(hosted));
  return hosted;
};

/** A clone of the host with a commit of an agent. */
const agentWork = (files: Readonly<Record<string, string>>, from = host.first) => {
  const folder = mkdtempSync(join(host.folder, "agent-"));
  git(folder, ["clone", "-q", host.bare, "."]);
  git(folder, ["reset", "-q", "--hard", from]);
  return { folder, commit: commitFiles(folder, files, "work of the agent") };
};

describe("A host", () => {
  test("gives the head of a branch, with the credential for its address alone", async () => {
    const hosted = hostedBy(host);
    expect(await run(stores.probe(hosted, "main"))).toBe(host.first);
    expect(host.requests.at(-1)).toMatchObject({ credential: host.token });
  });

  test.each([
    ["no credential is set", () => hostedBy(host, { credential: null }), "main", "credential_missing"],
    [
      "the credential is wrong",
      () => hostedBy(host, { credential: Redacted.make("wrong") }),
      "main",
      "credential_refused",
    ],
    ["the branch is missing", () => hostedBy(host), "nope", "no_such_branch"],
    ["there is no repository", () => hostedBy(host, { url: host.at("/nope.git") }), "main", "not_found"],
    [
      "the address is a page",
      () => hostedBy(host, { url: host.at("/page/r.git") }),
      "main",
      "not_a_repository",
    ],
    [
      "it redirects",
      () => hostedBy(host, { url: host.at(`/redirect/${other.port}/r.git`) }),
      "main",
      "redirected",
    ],
    ["it fails", () => hostedBy(host, { url: host.at("/error/r.git") }), "main", "unreachable"],
    ["nothing listens", () => hostedBy(host, { url: "http://127.0.0.1:9/r.git" }), "main", "unreachable"],
    [
      "the name has no address",
      () => hostedBy(host, { url: "http://nowhere.invalid/r.git" }),
      "main",
      "unreachable",
    ],
    [
      "it is private and not allowed",
      () => hostedBy(host, { allowPrivateHost: false }),
      "main",
      "address_refused",
    ],
    [
      "it is a metadata address",
      () => hostedBy(host, { url: "http://169.254.169.254/r.git" }),
      "main",
      "address_refused",
    ],
  ])("is refused with a sentence where %s", async (_, hosted, branch, reason) => {
    const failure = await outcomeOf(stores.probe(hosted(), branch));
    expect(failure).toMatchObject({ reason, message: expect.stringMatching(/^\S.*\.$/) });
    expect(JSON.stringify(failure)).not.toContain(host.token);
  });

  test("never sees the credential of another address that it redirects from", async () => {
    const before = other.requests.length;
    await outcomeOf(stores.fetch(hostedBy(host, { url: host.at(`/redirect/${other.port}/r.git`) })));
    expect(other.requests.slice(before)).toEqual([]);
  });
});

describe("The history of a host", () => {
  test.each([
    [
      "a time zone of three digits",
      (tree: string) =>
        `tree ${tree}\nauthor O <o@x> 1287367363 +0000\ncommitter O <o@x> 1287367363 -700\n\nimport\n`,
    ],
    [
      "an author without an address",
      (tree: string) => `tree ${tree}\nauthor O 1 +0000\ncommitter O <o@x> 1 +0000\n\nx\n`,
    ],
  ])("is fetched with %s, as it was taken when the repository was added", async (_, commit) => {
    const old = hashed("commit", commit(git(host.work, ["rev-parse", "HEAD^{tree}"])));
    await isFetched(old);
  });

  test("is fetched with modes that begin with a zero, as it was taken when the repository was added", async () => {
    const inner = Buffer.from(git(host.work, ["rev-parse", "HEAD^{tree}"]), "hex");
    const tree = hashed("tree", Buffer.concat([Buffer.from("040000 dir\0"), inner]));
    await isFetched(git(host.work, ["commit-tree", tree, "-m", "old"]));
  });

  test("that is only a part, as of a shallow clone, is refused by that reason", async () => {
    commitFiles(host.work, { "shallow.txt": "s\n" });
    git(host.work, ["push", "-q", host.bare, "HEAD:refs/heads/shallow"]);
    const cut = join(host.folder, "shallow.git");
    git(host.folder, ["clone", "-q", "--bare", "--depth", "1", "-b", "shallow", `file://${host.bare}`, cut]);
    const hosted = hostedBy(host, { url: host.at("/shallow.git") });
    const failure = await outcomeOf(stores.fetch(hosted));
    expect(failure).toMatchObject({ reason: "rejected", message: expect.stringContaining("shallow clone") });
    // When it is added as at each fetch.
    expect(await outcomeOf(stores.probe(hosted, "shallow"))).toEqual(failure);
    git(host.bare, ["update-ref", "-d", "refs/heads/shallow"]);
  });

  const hashed = (type: string, input: string | Buffer) =>
    git(host.work, ["hash-object", "-t", type, "-w", "--stdin", "--literally"], { input });
  const isFetched = async (old: string) => {
    const branch = `old-${old.slice(0, 8)}`;
    const head = git(host.work, ["commit-tree", "-p", old, "-m", "now", "HEAD^{tree}"]);
    git(host.work, ["push", "-q", host.bare, `${head}:refs/heads/${branch}`]);
    const hosted = hostedBy(host);
    try {
      expect(await run(stores.probe(hosted, branch))).toBe(head);
      await run(stores.fetch(hosted));
      expect(await run(stores.head(hosted, branch))).toBe(head);
    } finally {
      git(host.bare, ["update-ref", "-d", `refs/heads/${branch}`]);
    }
  };
});

describe("A repository without a commit", () => {
  const empty = (name: string) => {
    const bare = join(host.folder, `${name}.git`);
    git(host.folder, ["init", "-q", "--bare", bare]);
    git(bare, ["config", "http.receivepack", "true"]);
    return { bare, hosted: hostedBy(host, { url: host.at(`/${name}.git`) }) };
  };
  const first = {
    branch: "main",
    message: "Begin the repository\n",
    author: { name: "Boardroom", email: "boardroom@localhost" },
    isTrial: false,
  };

  test("gets one, of many who begin it at once, by the push of one of them", async () => {
    const { bare, hosted } = empty("unborn");
    expect(await run(stores.probe(hosted, "main"))).toBeNull();
    await run(stores.fetch(hosted));
    expect(await run(stores.begin(hosted, { ...first, isTrial: true }))).toBe("pushed");
    expect(git(bare, ["for-each-ref"])).toBe("");
    const begun = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        run(stores.begin(hosted, { ...first, message: `Begin the repository ${n}\n` })),
      ),
    );
    expect(begun.filter((each) => each === "pushed")).toHaveLength(1);
    expect(git(bare, ["rev-list", "--count", "--all"])).toBe("1");
    expect(await run(stores.begin(hosted, first))).toBe("stale");
    await run(stores.fetch(hosted, { maxAgeSec: 0 }));
    expect(await run(stores.head(hosted, "main"))).toBe(git(bare, ["rev-parse", "refs/heads/main"]));
    expect(git(bare, ["ls-tree", "main"])).toBe("");
  });

  test("stays as it is where the host takes no push, which a trial shows", async () => {
    const { bare, hosted } = empty("read-only");
    git(bare, ["config", "http.receivepack", "false"]);
    for (const isTrial of [true, false])
      expect(await outcomeOf(stores.begin(hosted, { ...first, isTrial }))).toMatchObject({
        reason: "credential_refused",
        message: expect.stringMatching(/^\S.*\.$/),
      });
    expect(git(bare, ["for-each-ref"])).toBe("");
  });

  test("is not one that has branches, but not the one that it should have", async () => {
    const { bare, hosted } = empty("other-branch");
    git(host.work, ["push", "-q", bare, `${host.first}:refs/heads/trunk`]);
    expect(await outcomeOf(stores.probe(hosted, "main"))).toMatchObject({ reason: "no_such_branch" });
  });
});

describe("Names that git may take for others", () => {
  /** Each is a ref of the host that is also a reading of `main`, or of what git would look for. */
  const names = [
    "refs/heads/refs/heads/main",
    "refs/heads/heads/main",
    "refs/heads/origin/main",
    "refs/heads/HEAD",
    "refs/heads/FETCH_HEAD",
    "refs/heads/-main",
    "refs/heads/remotes/origin/main",
    "refs/tags/main",
    "refs/tags/heads/main",
    "refs/tags/refs/heads/main",
  ];

  test.each(names)("like %s name that branch alone, in each step", async (name) => {
    const bare = join(host.folder, `names-${names.indexOf(name)}.git`);
    git(host.folder, ["clone", "-q", "--bare", host.bare, bare]);
    git(bare, ["config", "http.receivepack", "true"]);
    const { folder: decoy, commit: wrong } = agentWork({ "decoy.txt": "x\n" });
    git(decoy, ["push", "-q", bare, `${wrong}:${name}`]);
    const hosted = hostedBy(host, { url: host.at(`/${bare.split("/").at(-1)}`) });
    const main = git(bare, ["rev-parse", "--verify", "refs/heads/main^{commit}"]);
    expect(await run(stores.probe(hosted, "main"))).toBe(main);
    await run(stores.fetch(hosted));
    expect(await run(stores.head(hosted, "main"))).toBe(main);
    const { folder, commit } = agentWork({ "mine.txt": "x\n" }, main);
    await push(hosted, folder, { head: commit, tree: commit });
    const issue = "boardroom/ABC-1";
    expect(await run(stores.publish(hosted, issue, commit, main))).toBe(true);
    expect(await run(stores.head(hosted, issue))).toBe(commit);
    const made = await run(stores.integrate(hosted, { onto: main, from: commit, method: "merge", ...first }));
    if (made.kind !== "integrated") throw new Error(made.kind);
    expect(
      await outcomeOf(stores.push(hosted, { branch: "main", commit: made.commit, expected: main })),
    ).toBe("pushed");
    expect(git(bare, ["for-each-ref", "--format=%(objectname)", "refs/heads/main"])).toBe(made.commit);
    expect(git(bare, ["for-each-ref", "--format=%(objectname)", name])).toBe(wrong);
    expect(await outcomeOf(stores.push(hosted, { branch: "main", commit, expected: main }))).toBe("stale");
  });

  const first = { message: "m\n", author: { name: "A", email: "a@example.com" } };
});

describe("A host that misbehaves", () => {
  test("by a cut in the middle of a fetch leaves nothing, and the next fetch works", async () => {
    host.commit({ "large.txt": randomBytes(200_000).toString("base64") }, "large");
    const hosted = hostedBy(host, { url: host.at("/cut/50000/r.git") });
    expect(await outcomeOf(stores.fetch(hosted))).toMatchObject({ reason: "unreachable" });
    await run(stores.fetch({ ...hosted, url: host.url }));
    expect(await run(stores.head(hosted, "main"))).toBe(git(host.bare, ["rev-parse", "main"]));
    const left = readdirSync(join(gitDir(hosted, "shared"), "objects", "pack"));
    expect(left.filter((name) => name.startsWith("tmp"))).toEqual([]);
  });

  // They take half a minute.
  test.runIf(isDeep).each(["silent", "endless"])(
    "by being %s is given up on in bounded time",
    async (how) => {
      const hosted = hostedBy(host, { url: host.at(`/${how}/r.git`) });
      expect(await outcomeOf(stores.probe(hosted, "main"))).toMatchObject({
        // Where git reads fast, it meets its limit of memory first.
        reason: expect.stringMatching(/^(timed_out|unreachable|rejected)$/),
      });
    },
  );
});

describe("The stores of a repository", () => {
  test("fetch branches and tags, forget those that the host has deleted, and keep branches of issues", async () => {
    const hosted = await fetched();
    const work = agentWork({ "c.txt": "new\n" });
    expect(await push(hosted, work.folder, { tree: work.commit, head: work.commit })).toContain("unpack ok");
    expect(await run(stores.publish(hosted, "boardroom/ABC-1", work.commit, host.first))).toBe(true);
    host.commit({ "d.txt": "d\n" }, "side");
    await run(stores.fetch(hosted, { maxAgeSec: 0 }));
    expect(await run(stores.head(hosted, "side"))).not.toBe(null);
    git(host.bare, ["update-ref", "-d", "refs/heads/side"]);
    await run(stores.fetch(hosted, { maxAgeSec: 0 }));
    expect(await run(stores.head(hosted, "side"))).toBe(null);
    expect(await run(stores.head(hosted, "boardroom/ABC-1"))).toBe(work.commit);
  });

  test("share one fetch among those who ask meanwhile, and use it again for a while", async () => {
    const hosted = hostedBy(host);
    const before = host.requests.length;
    await Promise.all(Array.from({ length: 20 }, () => run(stores.fetch(hosted))));
    const after = host.requests.length;
    await run(stores.fetch(hosted));
    expect(host.requests.length).toBe(after);
    expect(host.requests.slice(before).filter(({ path }) => path.endsWith("/info/refs"))).toHaveLength(1);
  });

  test("are readable by workspaces, and hold no credential", async () => {
    const hosted = await fetched();
    const objects = stores.sharedObjects(hosted);
    const modes = execFileSync("find", [objects, "!", "-perm", "-004"]).toString();
    expect(modes).toBe("");
    const found = spawnSync("grep", ["-r", host.token!, opened.folder]);
    expect(found.stdout.toString()).toBe("");
  });

  test("give the refs that a run has left, as a pack too, from which another service has them again", async () => {
    const hosted = await fetched();
    const work = agentWork({ "c.txt": "kept\n", "dir/ä\tb.txt": "x\n" });
    await push(hosted, work.folder, { tree: work.commit, head: host.first, "heads/mine": work.commit });
    const captured = {
      tree: work.commit,
      head: host.first,
      stash: null,
      heads: [{ name: "mine", commit: work.commit }],
    };
    expect(await run(stores.capturedRefs(hosted, runId))).toEqual(captured);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await run(stores.packOf(hosted, runId))) {
      chunks.push(chunk);
      // A reader may be slower than git, which has ended before its output is read.
      await eventually(
        async () => isPacking(),
        (packing) => !packing,
      );
    }
    const elsewhere = await fetched();
    expect(await run(stores.unpack(elsewhere, runId, Readable.from(chunks)))).toEqual(captured);
    const cut = await outcomeOf(
      stores.unpack(await fetched(), runId, Readable.from([Buffer.concat(chunks).subarray(0, -30)])),
    );
    expect(cut).toBeInstanceOf(StoreFailed);
  });

  test("show what changed: commits, files and the difference, within limits", async () => {
    const hosted = await fetched();
    const work = agentWork({ "a.txt": "two\n", "dir/ä\tb\n\u001b[31m.txt": "x\n", empty: "" });
    await push(hosted, work.folder, { head: work.commit });
    const between = { base: host.first, head: work.commit };
    const changes = await run(stores.changes(hosted, between, { files: 100 }));
    expect(changes).toMatchObject({
      isCut: false,
      commits: [{ commit: work.commit, message: "work of the agent" }],
    });
    expect(changes.files.map(({ path, status, added, removed }) => [path, status, added, removed])).toEqual([
      ["a.txt", "modified", 1, 1],
      ["dir/ä\tb\n\u001b[31m.txt", "added", 1, 0],
      ["empty", "added", 0, 0],
    ]);
    const patch = (paths: readonly string[], bytes = 10_000) =>
      run(stores.patch(hosted, between, { paths, bytes }));
    expect(await patch([])).toContain("-one\n+two\n");
    expect(await patch([], 20)).toBeNull();
    const odd = await patch(["dir/ä\tb\n\u001b[31m.txt"]);
    expect(odd).toContain("+x\n");
    expect(odd).not.toContain("a.txt");
    expect(await patch([":(glob)**"])).toBe("");
    expect(await patch(["--output=/tmp/x", "-h"])).toBe("");
    const cut = await run(stores.changes(hosted, between, { files: 1 }));
    expect(cut.isCut).toBe(true);
    expect(cut.files).toHaveLength(1);
  });

  test("show two things of a company at once, the rest in turn, and no company waits for another", async () => {
    const inTurn = showsInTurn();
    const begun: string[] = [];
    let end = () => {};
    const isOver = new Promise<void>((resolve) => {
      end = resolve;
    });
    const show = (companyId: string, until: Promise<void>) =>
      run(
        inTurn(
          companyId as CompanyId,
          Effect.promise(() => {
            begun.push(companyId);
            return until;
          }),
        ),
      );
    const requests = Array.from({ length: 5 }, () => show("a", isOver));
    await show("b", Promise.resolve());
    expect(begun).toEqual(["a", "a", "b"]);
    end();
    await Promise.all(requests);
    expect(begun).toHaveLength(6);
  });

  test("merge and squash without a tree, and name the files of a conflict", async () => {
    const hosted = await fetched();
    const work = agentWork({ "a.txt": "agent\n" });
    await push(hosted, work.folder, { head: work.commit });
    const onto = host.commit({ "b.txt": "host\n" }, "main-2");
    const conflicting = host.commit({ "a.txt": "other\n" }, "main-2");
    await run(stores.fetch(hosted, { maxAgeSec: 0 }));
    const what = {
      onto,
      from: work.commit,
      message: "ABC-1\n\nIssue: ABC-1",
      author: { name: "B", email: "b@x" },
    };
    expect(await run(stores.tryMerge(hosted, { onto, from: work.commit }))).toMatchObject({ kind: "clean" });
    expect(await run(stores.integrate(hosted, { ...what, method: "fast_forward" }))).toEqual({
      kind: "not_fast_forward",
    });
    const conflict = await run(stores.integrate(hosted, { ...what, onto: conflicting, method: "merge" }));
    expect(conflict).toMatchObject({
      kind: "conflict",
      files: ["a.txt"],
      messages: expect.stringContaining("Merge conflict in a.txt"),
    });
    expect(await run(stores.tryMerge(hosted, { onto: conflicting, from: work.commit }))).toEqual(conflict);
    const squashed = await run(stores.integrate(hosted, { ...what, method: "squash" }));
    const merged = await run(stores.integrate(hosted, { ...what, method: "merge" }));
    if (squashed.kind !== "integrated" || merged.kind !== "integrated") throw new Error("not integrated");
    expect(
      await run(stores.push(hosted, { branch: "main-2", commit: squashed.commit, expected: onto })),
    ).toBe("stale");
    expect(await run(stores.push(hosted, { branch: "merged", commit: merged.commit, expected: null }))).toBe(
      "pushed",
    );
    expect(git(host.bare, ["log", "--format=%P %an %s", "-1", "merged"])).toBe(
      `${onto} ${work.commit} B ABC-1`,
    );
    expect(git(host.bare, ["show", "merged:a.txt"])).toBe("agent");
    expect(git(host.bare, ["show", "merged:b.txt"])).toBe("host");
  });

  test("name the files that a commit brings without Git LFS where .gitattributes gives them to it", async () => {
    const pointer = (site: string) =>
      `version https://${site}/spec/v1\noid sha256:${"a".repeat(64)}\nsize 1\n`;
    const plain = host.commit({ "before.bin": "raw", "none.bin": "raw" }, "lfs");
    const base = host.commit(
      { ".gitattributes": "[attr]large filter=lfs -text\n*.bin large\n*.txt filter=other\n" },
      "lfs",
    );
    const named = {
      "a b.bin": "raw",
      'd/"\n.bin': "x".repeat(5_000),
      "long.bin": pointer("git-lfs.github.com").repeat(9),
    };
    const head = host.commit(
      {
        ...named,
        "pointer.bin": pointer("git-lfs.github.com"),
        "old.bin": pointer("hawser.github.com"),
        "empty.bin": "",
        "a.txt": "raw",
        "other/.gitattributes": "*.bin -filter\n",
        "other/a.bin": "raw",
      },
      "lfs",
    );
    const hosted = await fetched();
    const files = Object.keys(named);
    expect(await run(stores.rawLfsFiles(hosted, { base, head }, 20))).toEqual({
      files,
      count: 3,
      isCut: false,
    });
    expect(await run(stores.rawLfsFiles(hosted, { base, head }, 2))).toEqual({
      files: files.slice(0, 2),
      count: 3,
      isCut: false,
    });
    // Files that were there already, which only a change of `.gitattributes` gives to it.
    expect(await run(stores.rawLfsFiles(hosted, { base: plain, head: base }, 20))).toEqual({
      files: ["before.bin", "none.bin"],
      count: 2,
      isCut: false,
    });
    const none = { files: [], count: 0, isCut: false };
    expect(await run(stores.rawLfsFiles(hosted, { base: head, head: base }, 20))).toEqual(none);
    expect(await run(stores.rawLfsFiles(hosted, { base: host.first, head: plain }, 20))).toEqual(none);
  });

  test("take work once that the host has in other commits already", async () => {
    const hosted = await fetched();
    const work = agentWork({ "taken-once.txt": "x\n" });
    await push(hosted, work.folder, { head: work.commit });
    const onto = host.commit({ "f.txt": "host\n" });
    await run(stores.fetch(hosted, { maxAgeSec: 0 }));
    const what = { from: work.commit, message: "B\n", author: { name: "A", email: "a@x" } };
    const squashed = await run(stores.integrate(hosted, { ...what, onto, method: "squash" }));
    if (squashed.kind !== "integrated") throw new Error("not integrated");
    for (const method of ["squash", "merge"] as const)
      expect(await run(stores.integrate(hosted, { ...what, onto: squashed.commit, method }))).toEqual({
        kind: "nothing_new",
      });
  });

  test("are made where a git that was killed while it made them has left locks", async () => {
    const hosted = hostedBy(host);
    await run(stores.fetch(hosted));
    unlinkSync(join(gitDir(hosted, "kept"), "objects", "info", "alternates"));
    for (const store of ["shared", "kept"] as const)
      for (const lock of ["HEAD.lock", "config.lock"]) writeFileSync(join(gitDir(hosted, store), lock), "");
    await run(stores.fetch(hosted, { maxAgeSec: 0 }));
    expect(await run(stores.head(hosted, "main"))).toBe(git(host.bare, ["rev-parse", "main"]));
  });

  test("publish a branch whose lock a killed git has left", async () => {
    const hosted = await fetched();
    const { commit, folder } = agentWork({ "published.txt": "x\n" });
    const base = host.first;
    await push(hosted, folder, { head: commit });
    await run(stores.publish(hosted, "boardroom/ABC-1", base, base));
    writeFileSync(join(gitDir(hosted, "shared"), "refs", "heads", "boardroom", "ABC-1.lock"), "");
    expect(await run(stores.publish(hosted, "boardroom/ABC-1", commit, base))).toBe(true);
    expect(await run(stores.head(hosted, "boardroom/ABC-1"))).toBe(commit);
  });

  test("fetch again after a killed git has left locks and temporary packs", async () => {
    const hosted = await fetched();
    const shared = gitDir(hosted, "shared");
    writeFileSync(join(shared, "packed-refs.lock"), "");
    writeFileSync(join(shared, "refs", "heads", "main.lock"), "");
    writeFileSync(join(shared, "objects", "pack", "tmp_pack_x"), "x");
    const commit = host.commit({ "e.txt": "e\n" });
    await run(stores.fetch(hosted, { maxAgeSec: 0 }));
    expect(await run(stores.head(hosted, "main"))).toBe(commit);
    await run(stores.repair(hosted));
    expect(readdirSync(join(shared, "objects", "pack")).filter((name) => name.startsWith("tmp"))).toEqual([]);
    await run(stores.maintain(hosted));
    expect((await run(stores.sizes(hosted))).sharedBytes).toBeGreaterThan(0);
    await run(stores.remove(hosted));
    expect(existsSync(shared)).toBe(false);
  });
});
