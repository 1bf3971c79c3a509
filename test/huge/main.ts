import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import * as Effect from "effect/Effect";
import { agentUsers, companyHomes } from "../../adapters-infra/local/agent-users.ts";
import { childProcessRunner } from "../../adapters-infra/local/child-process-runner.ts";
import { issueWorkspaces } from "../../adapters-infra/local/issue-workspaces.ts";
import { serviceAuthor } from "../../core/model/repositories/authorship.ts";
import type { AgentId, RunId, VolumeId, WorkspaceId } from "../../core/model/shared/ids.ts";
import { hostedBy, openCodeStores } from "../support/code-stores.ts";
import { startGitHost } from "../support/git-host.ts";
import { serveStores } from "../support/git-server.ts";
import { installation } from "../support/installation.ts";

const usage = `Measures workspaces of a huge repository: 1 GB, 100,000 files, served over loopback, with bare git next to it.

  npm run huge -- [--repository <bare repository>] [--rounds 3] [--agents 20]

  --repository  Where it is, or is to be made and kept; default: a temporary folder.
  --files, --commits  Of one that is made; default 100000 and 20000.`;

const { values } = parseArgs({
  options: {
    repository: { type: "string" },
    rounds: { type: "string", default: "3" },
    agents: { type: "string", default: "20" },
    files: { type: "string", default: "100000" },
    commits: { type: "string", default: "20000" },
    help: { type: "boolean" },
  },
});
if (values.help) {
  console.log(usage);
  process.exit();
}
const rounds = Number(values.rounds);
const lab = mkdtempSync(join(tmpdir(), "huge-"));
const sparseFolders = Array.from({ length: 5 }, (_, n) => `packages/p${n}`);

const git = (args: readonly string[], cwd = lab): string =>
  execFileSync("git", args, {
    cwd,
    encoding: "utf8",
    maxBuffer: 2 ** 28,
    env: { ...process.env, HOME: lab },
  });

interface Figure {
  readonly name: string;
  readonly aimSec: number | null;
  readonly seconds: readonly number[];
}
const figures: Figure[] = [];

/** Measures each part once in each round, in turn, so that a slow moment of the machine meets all of them. */
const measure = async (
  parts: readonly { readonly name: string; readonly aimSec?: number; readonly run: () => Promise<void> }[],
) => {
  const seconds = parts.map(() => [] as number[]);
  for (let round = 0; round < rounds; round++)
    for (const [n, { run }] of parts.entries()) {
      const from = performance.now();
      await run();
      seconds[n]!.push((performance.now() - from) / 1_000);
    }
  for (const [n, { name, aimSec = null }] of parts.entries()) {
    figures.push({ name, aimSec, seconds: seconds[n]! });
    console.log(rowOf(figures.at(-1)!));
  }
};

const rowOf = ({ name, aimSec, seconds }: Figure): string => {
  const sorted = seconds.toSorted((one, other) => one - other);
  const text = (value = 0) => value.toFixed(2).padStart(8);
  const aim = aimSec === null ? "" : `aim ${aimSec}`;
  return `${name.padEnd(52)} ${text(sorted[0])} ${text(sorted[Math.floor(sorted.length / 2)])} ${text(sorted.at(-1))}  ${aim}`;
};

const makeRepository = async (bare: string) => {
  console.log(`Making ${bare}: this takes some minutes.`);
  git(["init", "-q", "--bare", "-b", "main", bare]);
  const args = ["test/huge/generate.mjs", "--files", values.files, "--commits", values.commits];
  const generator = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const importer = spawn("git", ["-C", bare, "fast-import", "--quiet"], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = new Promise((done) => importer.once("close", done));
  await pipeline(generator.stdout, importer.stdin);
  if ((await ended) !== 0) throw new Error("The repository cannot be made.");
};

const bare = resolve(values.repository ?? join(lab, "seed.git"));
if (!existsSync(bare)) await makeRepository(bare);
const host = await startGitHost();
symlinkSync(bare, join(host.folder, "huge.git"));
const opened = await openCodeStores();
const { stores, dataDir, sandbox, users, views } = opened;
const hosted = hostedBy(host, { url: host.at("/huge.git") });
const server = await serveStores(stores, hosted);
try {
  const files = git(["--git-dir", bare, "ls-tree", "-r", "--name-only", "main"]).trim().split("\n").length;
  const size = git(["--git-dir", bare, "count-objects", "-vH"]).replaceAll("\n", ", ");
  console.log(`${files} files; ${size}`);
  console.log(
    `${cpus().length} cores, load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")}`,
  );
  console.log(
    `${"".padEnd(52)} ${["best", "median", "worst"].map((one) => one.padStart(8)).join(" ")}  (seconds)`,
  );

  const once = async (name: string, run: () => Promise<unknown>) => {
    const from = performance.now();
    await run();
    figures.push({ name, aimSec: null, seconds: [(performance.now() - from) / 1_000] });
    console.log(rowOf(figures.at(-1)!));
  };
  await once("first fetch into the service's store", () => Effect.runPromise(stores.fetch(hosted)));
  const mirror = join(lab, "mirror.git");
  await once(
    "  git clone --mirror of the same files",
    async () => void git(["clone", "-q", "--mirror", `file://${bare}`, mirror]),
  );

  const processes = childProcessRunner({ installation, sandbox, views });
  const homes = join(dataDir, "homes");
  const trees = issueWorkspaces(
    {
      volume: "huge" as VolumeId,
      folder: join(dataDir, "trees"),
      workspaces: join(dataDir, "workspaces"),
      homes,
      files: join(dataDir, "files"),
      env: { PATH: "/usr/bin:/bin" },
      processes,
    },
    users === null
      ? companyHomes(homes)
      : agentUsers(users, { installation, homes, serviceHome: undefined, claims: null }, () =>
          Effect.succeed(1),
        ),
  );
  const baseCommit = (await Effect.runPromise(stores.head(hosted, "main")))!;
  const sharedObjects = stores.sharedObjects(hosted);
  const address = { url: server.url, token: "token", sharedObjects, trailers: [] };

  const aTree = (sparse: readonly string[] | null) => {
    const folder = { companyId: hosted.companyId, id: randomUUID() as WorkspaceId };
    const clone = {
      repositoryId: hosted.repositoryId,
      directory: null,
      ...(sparse === null ? {} : { sparseFolders: sparse }),
    };
    const stepOf = async () => ({
      runId: randomUUID(),
      workspace: await Effect.runPromise(
        trees.open({ id: randomUUID() as AgentId, grantedPaths: [] }, folder, [sharedObjects]),
      ),
      stop: new AbortController().signal,
      onOutput: () => Effect.void,
    });
    return {
      make: async () =>
        Effect.runPromise(
          trees.make(await stepOf(), {
            ...clone,
            ...address,
            author: serviceAuthor,
            branch: "boardroom/T-1",
            baseBranch: "main",
            baseCommit,
            from: null,
          }),
        ),
      /** Runs a script as an agent does. */
      sh: async (script: string) => {
        const { exitCode, problem } = await Effect.runPromise(
          trees.command(await stepOf(), { command: script, directory: null, timeoutSec: 600 }),
        );
        if (exitCode !== 0) throw new Error(`A command failed: ${problem}`);
      },
      keep: async () => {
        const runId = randomUUID() as RunId;
        const order = { ...clone, ...address, runId, standIn: baseCommit, outsideOf: [] };
        await Effect.runPromise(trees.keep(await stepOf(), order));
        return (await Effect.runPromise(stores.capturedRefs(hosted, runId))).tree!;
      },
      discard: () => Effect.runPromise(Effect.andThen(trees.discard(folder), trees.emptyTrash())),
    };
  };
  const bareClone = (name: string, sparse: boolean) => {
    const folder = join(lab, name);
    git(["clone", "-q", "--shared", "--no-checkout", mirror, folder]);
    if (sparse) git(["sparse-checkout", "set", "--cone", ...sparseFolders], folder);
    git(["reset", "-q", "--hard", baseCommit], folder);
    return folder;
  };
  const edits = `
    n=0
    find packages -name '*.ts' | sort | head -200 >"$SCRATCH_LIST"
    while read -r path; do echo "// $(date +%N)" >>"$path"; done <"$SCRATCH_LIST"
    while [ $n -lt 50 ]; do n=$((n + 1)); echo "$n $(date +%N)" >"new$n.txt"; done
    mkdir -p node_modules; n=0
    while [ $n -lt 5000 ]; do n=$((n + 1)); echo >"node_modules/$n"; done
  `;
  const edited = (list: string) => `SCRATCH_LIST=${list}; ${edits}`;

  const full: ReturnType<typeof aTree>[] = [];
  let clones = 0;
  await measure([
    {
      name: "own clone, full",
      aimSec: 15,
      run: async () => {
        const tree = aTree(null);
        full.push(tree);
        await tree.make();
      },
    },
    {
      name: "  git clone --shared, reset --hard",
      run: async () => void bareClone(`full-${clones++}`, false),
    },
  ]);
  for (const tree of full.splice(1)) await tree.discard();
  for (let n = 1; n < rounds; n++) rmSync(join(lab, `full-${n}`), { recursive: true, force: true });

  let captured = baseCommit;
  const own = full[0]!;
  const plain = join(lab, "full-0");
  await measure([
    { name: "(200 files edited, 50 new, 5,000 ignored)", run: () => own.sh(edited("../scratch/list")) },
    {
      name: "keep of these edits",
      aimSec: 3,
      run: async () => {
        captured = await own.keep();
      },
    },
    {
      name: "(the same edits next to it)",
      run: async () => void execFileSync("/bin/sh", ["-c", edited(join(lab, "list"))], { cwd: plain }),
    },
    {
      name: "  git add -A, write-tree",
      run: async () => {
        git(["add", "-A"], plain);
        git(["write-tree"], plain);
      },
    },
  ]);

  await measure([
    {
      name: "own clone, 5 of 100 folders",
      aimSec: 3,
      run: async () => {
        const tree = aTree(sparseFolders);
        await tree.make();
        await tree.discard();
      },
    },
    {
      name: "  git clone --shared, sparse",
      run: async () => rmSync(bareClone(`sparse-${clones++}`, true), { recursive: true, force: true }),
    },
  ]);

  const integrate = (method: "merge" | "squash") => async () => {
    const outcome = await Effect.runPromise(
      stores.integrate(hosted, {
        onto: baseCommit,
        from: captured,
        method,
        message: "m\n",
        author: serviceAuthor,
      }),
    );
    if (outcome.kind !== "integrated") throw new Error(`Not integrated: ${outcome.kind}`);
  };
  const inCaptured = join(opened.folder, hosted.companyId, hosted.repositoryId, "kept.git");
  await measure([
    { name: "merge of the kept work", run: integrate("merge") },
    { name: "squash of it", run: integrate("squash") },
    {
      name: "  git merge-tree of the trees alone",
      aimSec: 0.1,
      run: async () =>
        void git([
          "--git-dir",
          inCaptured,
          "-c",
          "safe.directory=*",
          "merge-tree",
          "--write-tree",
          baseCommit,
          captured,
        ]),
    },
  ]);

  const agents = Number(values.agents);
  let failed = 0;
  await once(`${agents} agents at once: sparse clone, 20 edits, keep`, () =>
    Promise.all(
      Array.from({ length: agents }, async () => {
        const tree = aTree(sparseFolders);
        try {
          await tree.make();
          await tree.sh(
            "for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do echo $$ >packages/p1/x$n; done",
          );
          await tree.keep();
        } catch (error) {
          failed++;
          console.error(error);
        }
      }),
    ),
  );
  console.log(
    `${failed} of ${agents} failed; load ${loadavg()
      .map((one) => one.toFixed(1))
      .join(" ")}`,
  );
  if (failed > 0) process.exitCode = 1;
} finally {
  server.close();
  host.close();
  opened.close();
  rmSync(lab, { recursive: true, force: true });
}
