import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import { v7 } from "uuid";
import { embeddedServer } from "../../adapters-infra/postgres/embedded-server.ts";
import type { Client } from "../../hosts/library/client.ts";
import { memoryOf, treeOf } from "../support/processes.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { byHand } from "./by-hand.ts";
import { Connection, median, rate } from "./load.ts";
import { type Measured, printTable } from "./table.ts";

// Each row is measured beside its bare counterpart, round by round, so that a busy machine slows both.
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 2);
const callers = 32;
const contenders = 64;
/** As many as the service has. */
const connections = 16;

const say = (text: string) => void process.stderr.write(`${text}\n`);

const main = async () => {
  const folder = await mkdtemp(join(tmpdir(), "boardroom-bench-"));
  const scope = Effect.runSync(Scope.make());
  const rows: Measured[] = [];
  try {
    const { url: databaseUrl } = await Effect.runPromise(
      Effect.provideService(
        embeddedServer({ directory: join(folder, "database"), log: say }),
        Scope.Scope,
        scope,
      ),
    );
    const service = await serveProgram(join(folder, "data"), {
      DATABASE_URL: databaseUrl,
      SERVICE_LOG_LEVEL: "error",
      SERVICE_MAX_RUNS: "50",
    });
    try {
      rows.push(...(await requests(service, databaseUrl)));
      rows.push(await wakes(service, join(folder, "marks")));
      rows.push(await finishes(service));
    } finally {
      await service.stop();
    }
    rows.push(...(await starts(join(folder, "own"))));
  } finally {
    await Effect.runPromise(Scope.close(scope, Exit.void));
    await rm(folder, { recursive: true, force: true });
  }
  process.stdout.write(printTable(rows, rounds));
};

/** Service and by hand in turn. */
const beside = async (
  name: string,
  aim: string,
  least: number,
  ours: () => Promise<number>,
  bare: () => Promise<number>,
): Promise<Measured> => {
  say(name);
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await bare());
    mine.push(await ours());
  }
  const ratios = mine.map((value, round) => value / theirs[round]!);
  return { name, unit: "/s", ours: mine, bare: theirs, verdict: ratios, aim, met: median(ratios) >= least };
};

const requests = async (service: ServiceProgram, databaseUrl: string): Promise<readonly Measured[]> => {
  const hand = byHand(databaseUrl, connections);
  const board = await service.board();
  const token = await service.token();
  const sockets = Array.from({ length: contenders }, () => new Connection(service.url));
  const expectStatus = (status: number, body: string, ...wanted: readonly number[]) => {
    if (!wanted.includes(status)) throw new Error(`answered ${status}: ${body}`);
  };
  const call = async (worker: number, wanted: number, method: string, path: string, body?: object) => {
    const answer = await sockets[worker]!.call(
      method,
      path,
      token,
      body === undefined ? undefined : JSON.stringify(body),
    );
    expectStatus(answer.status, answer.body, wanted);
  };
  try {
    const { companyId, leaf, issues, racers } = await furnish(board, hand.sql);
    const text = "It is as we thought: the lamp wants oil, and the oil wants ordering.";
    const rows = [
      await beside(
        "GET issue with 4 ancestors",
        "≥ 1/3",
        1 / 3,
        () => rate(callers, seconds, (worker) => call(worker, 200, "GET", `/api/issues/${leaf}`)),
        () => rate(callers, seconds, () => hand.issue(token, leaf)),
      ),
      await beside(
        "page of 50 issues of 1000",
        "≥ 1/3",
        1 / 3,
        () =>
          rate(callers, seconds, (worker) =>
            call(worker, 200, "GET", `/api/companies/${companyId}/issues?limit=50`),
          ),
        () => rate(callers, seconds, () => hand.page(token, companyId)),
      ),
      await beside(
        "create issue",
        "≥ 1/2",
        1 / 2,
        () =>
          rate(callers, seconds, (worker) =>
            call(worker, 201, "POST", `/api/companies/${companyId}/issues`, { title: text }),
          ),
        () => rate(callers, seconds, () => hand.createIssue(token, companyId, text)),
      ),
      await beside(
        "comment",
        "≥ 1/2",
        1 / 2,
        () =>
          rate(callers, seconds, (worker) =>
            call(worker, 201, "POST", `/api/issues/${issues[worker]}/comments`, { body: text }),
          ),
        () => rate(callers, seconds, (worker) => hand.comment(token, issues[worker]!, text)),
      ),
    ];
    const race = async (claim: (racer: Racer, n: number, issueId: string) => Promise<boolean>) => {
      let spent = 0;
      const heats = Math.max(10, seconds * 10);
      for (let heat = 0; heat < heats; heat++) {
        const { id } = await board.issues.create({ companyId, title: "To be claimed", status: "todo" });
        const from = performance.now();
        const won = await Promise.all(racers.map((racer, n) => claim(racer, n, id)));
        spent += performance.now() - from;
        if (won.filter(Boolean).length !== 1) throw new Error("A race with other than one winner.");
      }
      return (heats * contenders * 1000) / spent;
    };
    rows.push(
      await beside(
        "checkout by 64 contending agents",
        "≥ 1/2",
        1 / 2,
        () =>
          race(async ({ agentId, key, runId }, n, issueId) => {
            const { status, body } = await sockets[n]!.call(
              "POST",
              `/api/issues/${issueId}/checkout`,
              key,
              JSON.stringify({ agentId, expectedStatuses: ["todo"] }),
              `x-service-run-id: ${runId}\r\n`,
            );
            expectStatus(status, body, 200, 409);
            return status === 200;
          }),
        () => race(({ key, runId }, _, issueId) => hand.checkout(key, runId, issueId)),
      ),
    );
    // Live runs that nobody conducts would be found lost, and tried again.
    await hand.sql`update runs set status = 'cancelled', finished_at = now() where status = 'running'`;
    return rows;
  } finally {
    for (const socket of sockets) socket.close();
    await hand.end();
  }
};

interface Racer {
  readonly agentId: string;
  readonly key: string;
  readonly runId: string;
}

/** A company with some history: 1000 issues, a chain of them, and agents with live runs. */
const furnish = async (board: Client, sql: ReturnType<typeof byHand>["sql"]) => {
  const { id: companyId } = await board.companies.create({ name: "Bench" });
  const { id: projectId } = await board.projects.create({ companyId, name: "Harbour" });
  const { id: goalId } = await board.goals.create({ companyId, title: "Ships come in" });
  const description = "What there is to say of it. ".repeat(20);
  const issues: string[] = [];
  for (let n = 0; n < 1000; n += 20)
    issues.push(
      ...(await Promise.all(
        Array.from({ length: 20 }, async (_, k) => {
          const issue = await board.issues.create({
            companyId,
            title: `Issue ${n + k}`,
            description,
            projectId,
          });
          return issue.id;
        }),
      )),
    );
  let leaf: string | null = null;
  for (let depth = 0; depth < 5; depth++)
    leaf = (
      await board.issues.create({
        companyId,
        title: `Level ${depth}`,
        description,
        projectId,
        goalId,
        parentId: leaf,
      })
    ).id;
  const racers: Racer[] = [];
  // In the supervision of a service that is alive as long as the bench: nobody looks after them meanwhile.
  const serviceId = v7();
  await sql`
    insert into services (id, host, pid, role, started_at, lease_until)
    values (${serviceId}, 'bench', 1, 'worker', now(), now() + interval '1 hour')`;
  for (let n = 0; n < contenders; n++) {
    const { id: agentId } = await board.agents.create({
      companyId,
      name: `Racer ${n}`,
      adapterType: "process",
    });
    const { token: key } = await board.agents.createKey({ agentId });
    const runId = v7();
    await sql`
      insert into runs (
        id, company_id, agent_id, adapter_type, status, wake_reason, invocation_source, service_id, started_at,
        created_at, updated_at
      )
      values (
        ${runId}, ${companyId}, ${agentId}, 'process', 'running', 'manual', 'on_demand', ${serviceId}, now(), now(), now()
      )`;
    racers.push({ agentId, key, runId });
  }
  await sql`analyze`;
  return { companyId, leaf: leaf!, issues, racers };
};

const wallMs = () => performance.timeOrigin + performance.now();

/** From the call that wakes an agent to its program's first instruction, over a bare spawn of the same program. */
const wakes = async (service: ServiceProgram, marks: string): Promise<Measured> => {
  say("wake to the agent's first instruction");
  const board = await service.board();
  const token = await service.token();
  const { id: companyId } = await board.companies.create({ name: "Wakes" });
  const program = { command: "/bin/sh", args: ["-c", `date +%s%N >> "${marks}"`] };
  const { id: agentId } = await board.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: program,
  });
  const socket = new Connection(service.url);
  let seen = 0;
  const marked = async (): Promise<number> => {
    for (;;) {
      const lines = (await readFile(marks, "utf8").catch(() => "")).split("\n").slice(0, -1);
      if (lines.length > seen) {
        seen = lines.length;
        return Number(BigInt(lines.at(-1)!) / 1000n) / 1000;
      }
      await pause(2);
    }
  };
  const [ours, bare]: [number[], number[]] = [[], []];
  for (let n = 0; n < rounds * 10; n++) {
    const spawned = wallMs();
    const child = spawn(program.command, program.args, { stdio: "ignore" });
    await once(child, "close");
    bare.push((await marked()) - spawned);

    const asked = wallMs();
    const { status, body } = await socket.call(
      "POST",
      `/api/agents/${agentId}/heartbeat/invoke`,
      token,
      "{}",
    );
    if (status !== 202) throw new Error(body);
    ours.push((await marked()) - asked);
    const { id: runId } = JSON.parse(body) as { id: string };
    while ((await board.runs.get({ runId })).status !== "succeeded") await pause(5);
  }
  socket.close();
  const over = ours.map((value, n) => value - bare[n]!);
  return {
    name: "wake to first instruction, over a spawn",
    unit: "ms",
    ours,
    bare,
    verdict: over,
    aim: "≤ 25 ms",
    met: median(over) <= 25,
  };
};

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Runs of a program that does nothing, against bare spawns of it, as many at once. */
const finishes = async (service: ServiceProgram): Promise<Measured> => {
  const board = await service.board();
  const { id: companyId } = await board.companies.create({ name: "Finishes" });
  const agents: string[] = [];
  for (let n = 0; n < 100; n++)
    agents.push(
      (
        await board.agents.create({
          companyId,
          name: `Quick ${n}`,
          adapterType: "process",
          adapterConfig: { command: "/bin/true" },
        })
      ).id,
    );
  const ours = async () => {
    const from = performance.now();
    await Promise.all(agents.map((agentId) => board.agents.invoke({ agentId })));
    while ((await board.runs.list({ companyId, status: ["queued", "running"], limit: 1 })).items.length > 0)
      await pause(10);
    return (agents.length * 1000) / (performance.now() - from);
  };
  const bare = async () => {
    const from = performance.now();
    let left = agents.length;
    await Promise.all(
      Array.from({ length: 50 }, async () => {
        while (left-- > 0) await once(spawn("/bin/true", { stdio: ["ignore", "pipe", "pipe"] }), "close");
      }),
    );
    return (agents.length * 1000) / (performance.now() - from);
  };
  return { ...(await beside("runs finished", "–", 0, ours, bare)), met: null };
};

/** A whole service with an engine of its own, from the spawn to the first answer; and what it takes when idle. */
const starts = async (dataDir: string): Promise<readonly Measured[]> => {
  say("second start");
  const took: number[] = [];
  const memory: number[] = [];
  const start = async () => {
    const from = performance.now();
    const service = await serveProgram(dataDir);
    const { status } = await fetch(`${service.url}/api/health`);
    if (status !== 200) throw new Error(`health answered ${status}`);
    took.push(performance.now() - from);
    return service;
  };
  await (await start()).stop();
  const [first] = took.splice(0);
  for (let round = 0; round < rounds; round++) {
    const service = await start();
    await pause(1_000);
    memory.push(treeOf(service.child.pid!).reduce((sum, pid) => sum + memoryOf(pid).pss, 0));
    await service.stop();
  }
  return [
    {
      name: "second start to first answer",
      unit: "ms",
      ours: took,
      bare: [],
      verdict: took,
      aim: "≤ 1500 ms",
      met: median(took) <= 1_500,
    },
    {
      name: "first start to first answer",
      unit: "ms",
      ours: [first!],
      bare: [],
      verdict: [first!],
      aim: "–",
      met: null,
    },
    {
      name: "memory at idle, service and engine (PSS)",
      unit: "MB",
      ours: memory,
      bare: [],
      verdict: memory,
      aim: "≤ 250 MB",
      met: median(memory) <= 250,
    },
  ];
};

await main();
