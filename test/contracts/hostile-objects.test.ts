import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pktLine } from "../../adapters-infra/git/pushed-refs.ts";
import { refsOfRun } from "../../core/repositories/repository.ts";
import type { RunId } from "../../core/shared/ids.ts";
import type { CodeStores, HostedRepository } from "../../ports/code-stores.ts";
import { hostedBy, openCodeStores } from "../support/code-stores.ts";
import { type GitHost, git, gitEnv, startGitHost } from "../support/git-host.ts";

const run = Effect.runPromise;
const runId = "0198c1de-0000-7000-8000-000000000002" as RunId;

let opened: Awaited<ReturnType<typeof openCodeStores>>;
let host: GitHost;
let stores: CodeStores;
let hosted: HostedRepository;
/** The repository of a hostile agent. */
let own: string;

beforeAll(async () => {
  [opened, host] = await Promise.all([openCodeStores(), startGitHost()]);
  stores = opened.stores;
  hosted = hostedBy(host);
  await run(stores.fetch(hosted));
  own = mkdtempSync(join(host.folder, "hostile-"));
  git(own, ["clone", "-q", "--bare", host.bare, "."]);
});
afterAll(() => {
  opened.close();
  host.close();
});

const store = (type: string, bytes: Buffer) =>
  git(own, ["hash-object", "-t", type, "-w", "--stdin", "--literally"], { input: bytes });
const blob = (text: string) => store("blob", Buffer.from(text));
type Entry = readonly [mode: string, name: string, id: string];
const tree = (...entries: readonly Entry[]) =>
  store(
    "tree",
    Buffer.concat(
      entries.flatMap(([mode, name, id]) => [
        Buffer.from(`${mode} ${name}`),
        Buffer.from([0]),
        Buffer.from(id, "hex"),
      ]),
    ),
  );
const commitOf = (treeId: string, message = "x", authors = "author a <a@x> 1700000000 +0000\n") =>
  store(
    "commit",
    Buffer.from(
      `tree ${treeId}\nparent ${host.first}\n${authors}committer a <a@x> 1700000000 +0000\n\n${message}\n`,
    ),
  );
/** A commit with one entry next to a harmless file, in git's order. */
const one = (...entry: Entry) =>
  commitOf(
    tree(
      ...[["100644", "a.txt", blob("text\n")] as const, entry].sort((a, b) =>
        Buffer.compare(Buffer.from(a[1]), Buffer.from(b[1])),
      ),
    ),
  );
const modules = (text: string) =>
  one("100644", ".gitmodules", blob(`[submodule "s"]\n\tpath = s\n${text}\n`));
const text = () => blob("text\n");
const folder = () => tree(["100644", "config", blob("[core]\n\tfsmonitor = touch /tmp/pwned\n")]);
const nested = (levels: number) => {
  let id = blob("bomb\n");
  let mode = "100644";
  for (let n = 0; n < levels; n++) {
    const inner = id;
    id = tree(...Array.from({ length: 10 }, (_, k): Entry => [mode, `f${k}`, inner]));
    mode = "40000";
  }
  return id;
};

/** Sends a commit as a push does; objects that the pack cannot hold are left out. Returns git's answer. */
const push = async (commit: string) => {
  const listed = spawnSync(
    "git",
    ["rev-list", "--objects", "--missing=allow-any", commit, `^${host.first}`],
    {
      cwd: own,
      env: gitEnv,
    },
  );
  const names = listed.status === 0 ? listed.stdout.toString() : `${commit}\n`;
  const ids = names
    .split("\n")
    .map((line) => line.slice(0, 40))
    .filter(
      (id) => id !== "" && spawnSync("git", ["cat-file", "-e", id], { cwd: own, env: gitEnv }).status === 0,
    );
  const pack = execFileSync("git", ["pack-objects", "--stdout", "-q"], {
    cwd: own,
    env: gitEnv,
    input: `${ids.join("\n")}\n`,
    maxBuffer: 2 ** 28,
  });
  const ref = `${refsOfRun(runId)}heads/evil`;
  const old = (await run(stores.keptRefs(hosted, runId))).heads[0]?.commit ?? "0".repeat(40);
  const answer = await run(
    stores.exchange(hosted, {
      store: "kept",
      service: "git-receive-pack",
      isStart: false,
      protocol: null,
      isGzip: false,
      body: Readable.from([Buffer.from(`${pktLine(`${old} ${commit} ${ref}\0 report-status\n`)}0000`), pack]),
      writes: [refsOfRun(runId)],
      reads: [],
      noPush: null,
      aborted: new AbortController().signal,
    }),
  );
  let said = "";
  if (typeof answer.body === "string") said = answer.body;
  else for await (const chunk of answer.body) said += Buffer.from(chunk).toString();
  return said;
};

const refused: Readonly<Record<string, () => string>> = {
  "a folder .git": () => one("40000", ".git", folder()),
  "a folder .GIT": () => one("40000", ".GIT", folder()),
  "a folder git~1": () => one("40000", "git~1", folder()),
  "a folder .git with a zero-width character": () => one("40000", ".g\u200cit", folder()),
  "a folder ..": () => one("40000", "..", folder()),
  "a folder .": () => one("40000", ".", folder()),
  "a name with a slash": () => one("100644", "../x", text()),
  "an absolute name": () => one("100644", "/tmp/pwned", text()),
  "an empty name": () => one("100644", "", text()),
  "two entries of one name": () => commitOf(tree(["100644", "a", text()], ["100644", "a", text()])),
  "entries out of order": () => commitOf(tree(["100644", "z", text()], ["100644", "a", text()])),
  "a zero-padded mode": () => one("0100644", "m", text()),
  "a missing object": () => one("100644", "m", "1".repeat(40)),
  ".gitmodules as a link": () => one("120000", ".gitmodules", blob("/etc/passwd")),
  ".gitmodules with an option as address": () => modules("\turl = -u./payload"),
  ".gitmodules with a line feed in the address": () => modules('\turl = "https://a/\\nhost=b"'),
  ".gitmodules that updates by a command": () => modules("\turl = https://a/b\n\tupdate = !touch /tmp/pwned"),
  ".gitmodules that is named as a path above": () =>
    one("100644", ".gitmodules", blob('[submodule "../../x"]\n\tpath = s\n\turl = https://a/b\n')),
  "a commit without an author": () => commitOf(tree(["100644", "a", text()]), "x", ""),
  "a tree of 100,000,000 files in nine objects": () => commitOf(nested(8)),
};

const borne: Readonly<Record<string, () => string>> = {
  "a name with line feed and escape": () => one("100644", "n\n\u001b[31mred", text()),
  "a name with a backslash": () => one("100644", "x\\..\\y", text()),
  "a name of 5,000 bytes": () => one("100644", "n".repeat(5_000), text()),
  "two names that differ in case": () =>
    commitOf(tree(["120000", "X", blob("/tmp")], ["40000", "x", tree(["100644", "p", text()])])),
  "a link to /etc/passwd": () => one("120000", "link", blob("/etc/passwd")),
  ".gitmodules with ext::": () => modules("\turl = ext::sh -c x"),
  "a submodule entry": () => one("160000", "s", host.first),
  "a message of 20 MB": () => commitOf(tree(["100644", "a", text()]), "m".repeat(20_000_000)),
};

describe("A push of hostile objects", () => {
  it.each(Object.entries(refused))("is refused for %s, and stores nothing", async (_, make) => {
    const commit = make();
    expect(await push(commit)).toMatch(/unpack (?!ok)|ng refs/);
    expect((await run(stores.keptRefs(hosted, runId))).heads.map((head) => head.commit)).not.toContain(
      commit,
    );
  });

  it.each(Object.entries(borne))(
    "is taken for %s, and is shown and merged within limits",
    async (_, make) => {
      const commit = make();
      expect(await push(commit)).toMatch(/unpack ok/);
      const between = { base: host.first, head: commit };
      const changes = await run(stores.changes(hosted, between, { files: 100 }));
      await run(stores.patch(hosted, between, { paths: [], bytes: 100_000 }));
      expect(changes.files.length).toBeGreaterThan(0);
      for (const { message } of changes.commits) expect(message.length).toBeLessThanOrEqual(10_000);
      expect(["clean", "conflict"]).toContain((await run(stores.tryMerge(hosted, host.first, commit))).kind);
    },
  );

  it("is taken by a store without these checks, so that the rows can fail", () => {
    const naive = join(host.folder, "naive.git");
    mkdirSync(naive);
    git(naive, ["init", "-q", "--bare", "."]);
    const commit = one("40000", ".git", folder());
    writeFileSync(join(own, "refs", "heads", "evil"), `${commit}\n`);
    git(own, ["push", "-q", naive, "evil:evil", "main:main"]);
    expect(git(naive, ["rev-parse", "evil"])).toBe(commit);
  });
});
