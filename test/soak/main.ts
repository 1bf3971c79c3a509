import { readFile } from "node:fs/promises";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import type { Sql } from "postgres";
import { pause } from "../bench/measure.ts";
import { startGitHost } from "../support/git-host.ts";
import { fillDisk, type Harm, killUntil, leapClock } from "./chaos.ts";
import { Ground } from "./ground.ts";
import { filesMissing, further, type Invariant, invariants, leaked } from "./invariants.ts";
import { callers, confidential, furnish } from "./load.ts";
import { randomOf, readOptions, usage } from "./options.ts";

/** Without a run that ends: longer than a lost run needs to be found, retried and ended. */
const restWithinMs = 300_000;

const say = (text: string) => void process.stderr.write(`${new Date().toISOString()} ${text}\n`);

const withDatabase = async <T>(ground: Ground, ask: (sql: Sql) => Promise<T>): Promise<T> => {
  const sql = await ground.database();
  try {
    return await ask(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
};

/** Resolves with what is still in motion: nothing, unless it lasts too long. Held runs wait for a person. */
const rest = async (ground: Ground): Promise<number> => {
  let until = performance.now() + restWithinMs;
  let least = Number.POSITIVE_INFINITY;
  for (;;) {
    const moving = await withDatabase(
      ground,
      async (sql) =>
        (
          await sql<{ moving: number }[]>`
        select (
          select count(*) from runs where status = 'running' or status = 'queued' and quarantined_since is null
        )::integer as moving`
        )[0]!.moving,
    ).catch(() => -1);
    if (moving === 0 || performance.now() > until) return moving;
    if (moving > 0 && moving < least) {
      least = moving;
      until = performance.now() + restWithinMs;
    }
    await pause(500);
  }
};

const runIds = (ground: Ground) => (): Promise<ReadonlySet<string>> =>
  withDatabase(
    ground,
    async (sql) => new Set((await sql<{ id: string }[]>`select id from runs`).map(({ id }) => id)),
  ).catch(() => new Set<string>());

const listed = (counts: Iterable<readonly [string, number]>): string =>
  [...counts].map(([name, count]) => `${name} ${count}`).join(", ") || "none";

/** Prints which invariants hold; resolves with the number of those that are broken. */
const judge = async (sql: Sql, asked: readonly Invariant[]): Promise<number> => {
  let broken = 0;
  for (const { sentence, broken: ask } of asked) {
    const rows = await ask(sql);
    if (rows.length > 0) broken += 1;
    process.stdout.write(`${rows.length === 0 ? "holds " : "BROKEN"}  no ${sentence}\n`);
    for (const row of rows.slice(0, 20)) process.stdout.write(`          ${JSON.stringify(row)}\n`);
  }
  return broken;
};

/** The sentences are those of core/README.md, so that a change of one is seen here. */
const compareSentences = async (): Promise<void> => {
  const text = await readFile(fileURLToPath(new URL("../../core/README.md", import.meta.url)), "utf8");
  for (const { sentence } of invariants)
    if (!text.includes(`\n| ${sentence} |`)) throw new Error(`core/README.md does not say: ${sentence}`);
};

const soak = async (args: readonly string[]): Promise<void> => {
  if (args.includes("--help")) return void process.stdout.write(usage);
  const options = readOptions(args);
  await compareSentences();
  const random = randomOf(options.seed);
  const [ground, host] = await Promise.all([Ground.make(), startGitHost()]);
  const harm: Harm = { kills: new Map(), phases: [] };
  try {
    await ground.start();
    const token = await ground.service.token();
    const secrets = confidential();
    secrets.values.push(token, host.token!);
    const companies = await furnish(ground, host, secrets, options.agents);
    const load = callers(ground, token, companies, secrets, random);
    const ms = options.minutes * 60_000;
    const begun = performance.now();
    say("kills");
    await killUntil(ground, runIds(ground), harm, random, begun + ms * 0.4);
    say("a full disk");
    await fillDisk(ground, harm, Math.min(ms * 0.1, 30_000));
    say("a clock that leaps");
    await leapClock(ground, harm, Math.min(ms * 0.15, 120_000));
    say("kills");
    await killUntil(ground, runIds(ground), harm, random, begun + ms);
    await load.stop();
    say("rest");
    await load.liftHolds();
    const moving = await rest(ground);
    process.stdout.write(
      `${options.minutes} minutes, ${options.agents} agents, seed ${options.seed}, 8 callers, ${cpus().length} processors, Node ${process.version}\n`,
    );
    process.stdout.write(`answers: ${listed(load.answers)}\nkills: ${listed(harm.kills)}\n`);
    process.stdout.write(`phases: ${harm.phases.join("; ")}\nstarts of the service: ${ground.starts}\n`);
    const broken = await withDatabase(ground, async (sql) => {
      const runs = await sql<{ status: string; count: number }[]>`
        select status, count(*)::integer as count from runs group by status order by status`;
      process.stdout.write(`runs: ${listed(runs.map(({ status, count }) => [status, count]))}\n`);
      const [work] = await sql<{ branches: number; secrets: number; holds: number }[]>`
        select (select count(*) from issue_branches where head <> base_commit)::integer as branches,
               (select count(*) from secret_access_events)::integer as secrets,
               (select count(*) from activity where action in ('agent.paused', 'company.paused', 'budget.hard_threshold_crossed'))::integer as holds`;
      process.stdout.write(
        `issues with commits ${work!.branches}, reads of secrets ${work!.secrets}, holds ${work!.holds}\n`,
      );
      const asked = [
        ...[...invariants, ...further],
        ...[leaked(secrets.values, load.leaks, ground.dataDir), filesMissing(ground.dataDir)],
      ];
      return judge(sql, asked);
    });
    const left = await ground.stopped();
    process.stdout.write(
      `${left.length === 0 ? "holds " : "BROKEN"}  no process that outlives the service\n`,
    );
    for (const line of left) process.stdout.write(`          ${line}\n`);
    if (moving !== 0) process.stdout.write(`BROKEN  ${moving} runs did not come to rest\n`);
    process.exitCode = broken + Math.abs(moving) + left.length === 0 ? 0 : 1;
  } finally {
    host.close();
    await ground.close();
  }
};

await soak(process.argv.slice(2)).catch((error: Error) => {
  process.stderr.write(`${error.stack ?? error.message}\n`);
  process.exitCode = 1;
});
