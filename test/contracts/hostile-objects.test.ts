import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { deflateSync } from "node:zlib";
import * as Effect from "effect/Effect";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { pktLine } from "../../adapters-infra/git/pushed-refs.ts";
import { refsOfRun } from "../../core/model/repositories/repository.ts";
import type { RunId } from "../../core/model/shared/ids.ts";
import type { CodeStores, HostedRepository } from "../../ports/code-stores.ts";
import { hostedBy, openCodeStores } from "../support/code-stores.ts";
import { type GitHost, git, gitEnv, startGitHost } from "../support/git-host.ts";
import { sampled } from "../support/sample.ts";

const run = Effect.runPromise;
const runId = "0198c1de-0000-7000-8000-000000000002" as RunId;

let opened: Awaited<ReturnType<typeof openCodeStores>>;
let host: GitHost;
let stores: CodeStores;
let hosted: HostedRepository;
/** The repository of a hostile agent. */
let own: string;

beforeEach(() => made.clear());
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

/** The objects of the row. */
const made = new Set<string>();
const store = (type: string, bytes: Buffer) => {
  const id = git(own, ["hash-object", "-t", type, "-w", "--stdin", "--literally"], { input: bytes });
  made.add(id);
  return id;
};
/** A folder with one folder: a loose object without a process of git. */
const madeQuickly = (inner: string): string => {
  const body = Buffer.concat([Buffer.from("40000 d\0"), Buffer.from(inner, "hex")]);
  const whole = Buffer.concat([Buffer.from(`tree ${body.length}\0`), body]);
  const id = createHash("sha1").update(whole).digest("hex");
  mkdirSync(join(own, "objects", id.slice(0, 2)), { recursive: true });
  writeFileSync(join(own, "objects", id.slice(0, 2), id.slice(2)), deflateSync(whole));
  made.add(id);
  return id;
};
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
const author = "author a <a@x> 1700000000 +0000\n";
const commitOf = (treeId: string, message = "x", authors = author, parents = [host.first]) =>
  store(
    "commit",
    Buffer.from(
      `tree ${treeId}\n${parents.map((parent) => `parent ${parent}\n`).join("")}${authors}committer a <a@x> 1700000000 +0000\n\n${message}\n`,
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

/** Sends a commit as a push does, with all objects of its row. Returns git's answer. */
const push = async (commit: string) => {
  const pack = execFileSync("git", ["pack-objects", "--stdout", "-q"], {
    cwd: own,
    env: gitEnv,
    input: `${[...made].join("\n")}\n`,
    maxBuffer: 2 ** 28,
  });
  const ref = `${refsOfRun(runId)}heads/evil`;
  const old = (await run(stores.capturedRefs(hosted, runId))).heads[0]?.commit ?? "0".repeat(40);
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
  let output = "";
  if (typeof answer.body === "string") output = answer.body;
  else for await (const chunk of answer.body) output += Buffer.from(chunk).toString();
  return output;
};

const refused: Readonly<Record<string, () => string>> = {
  "entry .git": () => one("40000", ".git", folder()),
  "entry .GIT": () => one("40000", ".GIT", folder()),
  "entry git~1 (NTFS)": () => one("40000", "git~1", folder()),
  "entry .g\\u200cit (HFS)": () => one("40000", ".g\u200cit", folder()),
  "entry ..": () => one("40000", "..", folder()),
  "entry .": () => one("40000", ".", folder()),
  "entry with a slash": () => one("100644", "../x", text()),
  "entry /abs": () => one("100644", "/tmp/pwned", text()),
  "entry without a name": () => one("100644", "", text()),
  "duplicate entries": () => commitOf(tree(["100644", "a", text()], ["100644", "a", text()])),
  "not sorted": () => commitOf(tree(["100644", "z", text()], ["100644", "a", text()])),
  "mode 100666 zero padded": () => one("0100644", "m", text()),
  "file and link of one name": () =>
    commitOf(tree(["120000", "x", blob("/tmp")], ["40000", "x", tree(["100644", "p", text()])])),
  "null object id": () => one("100644", "m", "0".repeat(40)),
  "missing object": () => one("100644", "m", "1".repeat(40)),
  ".gitmodules is a link": () => one("120000", ".gitmodules", blob("/etc/passwd")),
  ".gitmodules url -u": () => modules("\turl = -u./payload"),
  ".gitmodules url with a line feed": () => modules('\turl = "https://a/\\nhost=b"'),
  ".gitmodules update = !": () => modules("\turl = https://a/b\n\tupdate = !touch /tmp/pwned"),
  ".gitmodules name ../": () =>
    one("100644", ".gitmodules", blob('[submodule "../../x"]\n\tpath = s\n\turl = https://a/b\n')),
  ".gitattributes of 110 MB": () => one("100644", ".gitattributes", blob("a b\n".repeat(27_500_000))),
  "commit with NUL in its message": () => commitOf(tree(["100644", "a", text()]), "x\0y"),
  "commit with two authors": () => commitOf(tree(["100644", "a", text()]), "x", author.repeat(2)),
  "date beyond 64 bits": () =>
    commitOf(tree(["100644", "a", text()]), "x", `author a <a@x> ${"9".repeat(23)} +0000\n`),
  "commit without author": () => commitOf(tree(["100644", "a", text()]), "x", ""),
  "tree of 10^8 files in 9 objects": () => commitOf(nested(8)),
  "entry of 5,000 bytes": () => one("100644", "n".repeat(5_000), text()),
};

const borne: Readonly<Record<string, () => string>> = {
  "entry with a line feed and an escape": () => one("100644", "n\n\u001b[31mred", text()),
  "entry with a backslash": () => one("100644", "x\\..\\y", text()),
  "case twins X and x": () =>
    commitOf(tree(["120000", "X", blob("/tmp")], ["40000", "x", tree(["100644", "p", text()])])),
  "mode 100777": () => one("100777", "m", text()),
  ".gitattributes is a link": () => one("120000", ".gitattributes", blob("/etc/passwd")),
  "blob of 100 MB zeros": () => one("100644", "zeros", store("blob", Buffer.alloc(100_000_000))),
  "link to /etc/passwd": () => one("120000", "link", blob("/etc/passwd")),
  ".gitmodules url ext::": () => modules("\turl = ext::sh -c x"),
  "submodule entry without .gitmodules": () => one("160000", "s", host.first),
  "message of 30 MB": () => commitOf(tree(["100644", "a", text()]), "m".repeat(30_000_000)),
};

describe("A push of hostile objects", () => {
  it.each(sampled(Object.entries(refused), 2))("is refused for %s, and stores nothing", async (_, make) => {
    const commit = make();
    expect(await push(commit)).toMatch(/unpack (?!ok)|ng refs/);
    expect((await run(stores.capturedRefs(hosted, runId))).heads.map((head) => head.commit)).not.toContain(
      commit,
    );
  });

  it.each(sampled(Object.entries(borne), 2))(
    "is taken for %s, and is shown and merged within limits",
    async (_, make) => {
      const commit = make();
      expect(await push(commit)).toMatch(/unpack ok/);
      const between = { base: host.first, head: commit };
      const changes = await run(stores.changes(hosted, between, { files: 100 }));
      await run(stores.patch(hosted, between, { paths: [], bytes: 100_000 }));
      expect(changes.files.length).toBeGreaterThan(0);
      for (const { message } of changes.commits) expect(message.length).toBeLessThanOrEqual(10_000);
      expect(["clean", "conflict"]).toContain(
        (await run(stores.tryMerge(hosted, { onto: host.first, from: commit }))).kind,
      );
    },
  );

  it.each([
    ["256 levels", 255, /unpack ok[\s\S]*ok refs/],
    ["257 levels", 256, /ng refs.*pre-receive/],
    ["4,000 levels", 4_000, /ng refs.*pre-receive/],
    ["50,000 levels", 50_000, /unpack (?!ok)|ng refs/],
  ])("with %s is answered by a bound and not by a crash", async (_, levels, answer) => {
    let id = tree(["100644", "f", text()]);
    for (let n = 0; n < levels; n++) id = madeQuickly(id);
    expect(await push(commitOf(id))).toMatch(answer);
  });

  describe("in a commit below its tip", () => {
    const deep = (levels: number, id = tree(["100644", "f", text()])) => {
      let made = id;
      for (let n = 0; n < levels; n++) made = madeQuickly(made);
      return made;
    };
    const flat = () => tree(["100644", "flat", text()]);
    const after = (...parents: string[]) => commitOf(flat(), "tip", author, parents);
    /** Folders of a commit that is stored already, below as many others. */
    const stored = async () => {
      const levels = deep(200);
      expect(await push(commitOf(levels))).toMatch(/unpack ok[\s\S]*ok refs/);
      return levels;
    };
    const root = () =>
      store("commit", Buffer.from(`tree ${deep(300)}\n${author}committer ${author.slice(7)}\nx\n`));

    it.each([
      ["257 levels", () => after(commitOf(deep(256)))],
      ["4,000 levels", () => after(commitOf(deep(4_000)))],
      ["257 levels, two commits before", () => after(after(commitOf(deep(256))))],
      ["301 levels, in a history of its own", () => after(root())],
      ["301 levels, on the other side of a merge", () => after(host.first, commitOf(deep(300)))],
      [
        "301 levels, made by a merge",
        () => after(commitOf(deep(300), "x", author, [host.first, commitOf(flat())])),
      ],
      ["200 levels put below 100 others", async () => after(commitOf(deep(100, await stored())))],
      ["an entry of 5,000 bytes", () => after(one("100644", "n".repeat(5_000), text()))],
      ["10^8 files in 9 objects", () => after(commitOf(nested(8)))],
    ])("is refused for %s", async (_, make) => {
      const commit = await make();
      expect(await push(commit)).toMatch(/unpack (?!ok)|ng refs.*pre-receive/);
      expect((await run(stores.capturedRefs(hosted, runId))).heads.map((head) => head.commit)).not.toContain(
        commit,
      );
    });

    it("is taken for 256 levels", async () => {
      expect(await push(after(commitOf(deep(255))))).toMatch(/unpack ok[\s\S]*ok refs/);
    });
  });

  it("is taken for 100,000 files in 6 objects, of which the first are listed before any line is counted", async () => {
    const commit = commitOf(nested(5));
    expect(await push(commit)).toMatch(/unpack ok/);
    const changes = await run(stores.changes(hosted, { base: host.first, head: commit }, { files: 5_000 }));
    expect(changes.isCut).toBe(true);
    expect(changes.files).toHaveLength(5_000);
    expect(new Set(changes.files.map(({ added, removed }) => added ?? removed))).toEqual(new Set([null]));
  });

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
