import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryOf } from "../../support/processes.ts";
import { serveProgram } from "../../support/service-program.ts";
import type { Bench } from "../bench.ts";
import { furnish, makeAgents } from "../furnish.ts";
import { type Figures, median, pause, rate } from "../measure.ts";
import { treeMemoryMb } from "../processes.ts";
import type { Row } from "../row.ts";

const callers = 32;

/** As an operator has it; programs of tests do not wait for the disk. */
const durably = { SERVICE_DATABASE_DURABLE: "true" };

/** A mixed load of people and agents: mostly reads, some writes. */
const mixedLoad = async (bench: Bench) => {
  const { companyId, leaf } = await furnish(bench);
  const issues = `/api/companies/${companyId}/issues`;
  // Each caller comments on an issue of its own; one issue for all would measure the wait for its row.
  const discussed = await Promise.all(
    Array.from({ length: callers }, () => bench.board.issues.create({ companyId, title: "To be discussed" })),
  );
  const shares: readonly (readonly [number, (worker: number) => Promise<unknown>])[] = [
    [0.4, (worker) => bench.call(worker, 200, "GET", `/api/issues/${leaf}`)],
    [0.65, (worker) => bench.call(worker, 200, "GET", `${issues}?status=todo&limit=50`)],
    [
      0.8,
      (worker) =>
        bench.call(worker, 201, "POST", `/api/issues/${discussed[worker]!.id}/comments`, {
          body: "Still here.",
        }),
    ],
    [0.95, (worker) => bench.call(worker, 201, "POST", issues, { title: "One more" })],
    [1, (worker) => bench.call(worker, 200, "GET", `${issues}/search?q=lamp+oil&limit=20`)],
  ];
  return (seconds = bench.options.seconds) =>
    rate(callers, seconds, (worker) => {
      const dice = Math.random();
      return shares.find(([upTo]) => dice < upTo)![1](worker);
    });
};

const memoryMb = (bench: Bench): number => bench.memoriesMb().reduce((sum, mb) => sum + mb);

const mixed = async (bench: Bench) => {
  const load = await mixedLoad(bench);
  const { seconds } = bench.options;
  return { round: () => (seconds < 2 * minuteSec ? load() : minuteByMinute(bench, load)) };
};

const minuteSec = 60;

/**
 * How many times slower the mixed load is while the command backs up, again and again; or while the service takes a
 * scheduled backup, which it begins within a minute.
 */
const mixedDuringBackup = (of: "command" | "service") => async (bench: Bench) => {
  const load = await mixedLoad(bench);
  const { service, databaseUrl, folder, sql } = bench;
  const program = fileURLToPath(new URL("../../dist/boardroom.js", import.meta.url));
  const env = { ...process.env, DATABASE_URL: databaseUrl, SERVICE_DATA_DIR: service.dataDir };
  const commands = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) {
      const child = spawn(process.execPath, [program, "backup", "--to", join(folder, "made"), "--quiet"], {
        env,
        stdio: ["ignore", "ignore", "inherit"],
      });
      const [code] = await once(child, "close");
      if (code !== 0) throw new Error(`boardroom backup: ${code}`);
      await rm(join(folder, "made"), { recursive: true });
    }
  };
  const scheduled = async (): Promise<void> => {
    const due = () => sql`
      update instance_settings
      set    value = value || '{"dueAt": "2026-01-01T00:00:00.000Z", "retryAt": null}'
      where  name = 'backups' and value ->> 'claimedBy' is null`;
    for (;;) {
      await due();
      const [claimed] =
        await sql`select from instance_settings where name = 'backups' and value ->> 'claimedBy' is not null`;
      if (claimed !== undefined) return;
      await pause(100);
    }
  };
  return {
    round: async () => {
      const { value: alone } = await load();
      let isOver = false;
      const working = of === "command" ? commands(() => isOver) : scheduled();
      if (of === "service") await working;
      const { value, ...rest } = await load();
      isOver = true;
      await working;
      return { ...rest, value: alone / value };
    },
  };
};

/** Prints each minute of a long round, to show whether anything grows with time. */
const minuteByMinute = async (
  bench: Bench,
  load: (seconds: number) => Promise<Figures>,
): Promise<Figures> => {
  const minutes: Figures[] = [];
  const tell = (text: string) => void process.stderr.write(`${text}\n`);
  while (minutes.length < Math.floor(bench.options.seconds / minuteSec)) {
    const before = bench.spent();
    const minute = await load(minuteSec);
    const after = bench.spent();
    minutes.push(minute);
    const each = (of: "service" | "database") => ((after[of] - before[of]) / minute.operations).toFixed(2);
    tell(
      `  minute ${minutes.length}: ${minute.value.toFixed(0)}/s, p50 ${minute.p50Ms?.toFixed(0)} ms, ` +
        `p99 ${minute.p99Ms?.toFixed(0)} ms, service ${each("service")} ms, database ${each("database")} ms each, ` +
        `${memoryMb(bench).toFixed(0)} MB; ${await deadRows(bench)}`,
    );
  }
  return {
    value: median(minutes.map(({ value }) => value)),
    operations: minutes.reduce((sum, { operations }) => sum + operations, 0),
    p50Ms: median(minutes.map(({ p50Ms = 0 }) => p50Ms)),
    p99Ms: Math.max(...minutes.map(({ p99Ms = 0 }) => p99Ms)),
  };
};

/** The tables with most dead rows, each with those that live and how often it was vacuumed. */
const deadRows = async ({ sql }: Bench): Promise<string> => {
  const tables = await sql<{ name: string; dead: string; live: string; vacuums: string; size: string }[]>`
    select    relname as name, n_dead_tup as dead, n_live_tup as live, autovacuum_count as vacuums,
              pg_size_pretty(pg_total_relation_size(relid)) as size
    from      pg_stat_user_tables
    order by  n_dead_tup desc
    limit     4`;
  return tables
    .map(
      ({ name, dead, live, vacuums, size }) =>
        `${name} ${dead} dead of ${live}, ${size}, vacuumed ${vacuums}×`,
    )
    .join("; ");
};

/**
 * Measures the peak memory of the service and the database under the mixed load. It was 400 MB: half of it Node with
 * three quarters garbage, and 16 connections with 8 MB each. Of 245 MB then, the shared buffers were 60, a connection 7.5,
 * and Node 112: 25 live, 33 in the young generation, 12 garbage, the rest code and the allocator's. By itself the row
 * measures 207 MB, and 270 to 330 after the others, since neither Node nor the database's connections return memory.
 */
const mixedMemory = async (bench: Bench) => {
  const load = await mixedLoad(bench);
  // The bench's own connections, one of which has furnished the company, are closed by then.
  await pause(2_000);
  return {
    round: async () => {
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, memoryMb(bench));
      }, 250);
      const { operations } = await load().finally(() => clearInterval(watch));
      return { value: peak, operations };
    },
  };
};

/** Measures a service with its own database, from the spawn to the first answer; the directory exists already. */
const secondStart = async (bench: Bench) => {
  const dataDir = join(bench.folder, "own");
  await (await serveProgram(dataDir, durably)).stop();
  return {
    round: async () => {
      const from = performance.now();
      const service = await serveProgram(dataDir, durably);
      const { status } = await fetch(`${service.url}/api/health`);
      const value = performance.now() - from;
      await service.stop();
      if (status !== 200) throw new Error(`health answered ${status}`);
      return { value, operations: 1 };
    },
  };
};

/**
 * Measures a service at rest. Node was 65 MB of it, 16 of them a young generation that V8 had let grow for the garbage of
 * the start, and the server's ten connections of the start 2.5 MB each. Node is 50 MB now, and the connections are eight.
 */
const idleMemory = async (bench: Bench) => {
  const service = await serveProgram(join(bench.folder, "resting"), durably);
  await pause(1_000);
  return {
    round: async () => ({ value: treeMemoryMb(service.child.pid!), operations: 1 }),
    end: async () => {
      await service.stop();
    },
  };
};

/**
 * Measures the peak memory of the service, without its programs, while 50 runs print 16 MB each. Up to a megabyte of
 * each run waits to be stored; the rest of what was above the aim was garbage that V8 had not collected.
 */
const chattyMemory = async (bench: Bench) => {
  const { id: companyId } = await bench.board.companies.create({ name: "Chatter" });
  const hostile = fileURLToPath(new URL("../../test/support/hostile-agent.mjs", import.meta.url));
  const args = [hostile, "flood:8", "wait:2000", "flood:8"];
  const agents = await makeAgents(bench.board, companyId, 50, {
    command: process.execPath,
    args,
    graceSec: 1,
  });
  return {
    round: async () => {
      let peak = 0;
      const watch = setInterval(() => {
        peak = Math.max(peak, memoryOf(bench.service.child.pid!).pss);
      }, 100);
      await Promise.all(
        agents.map((agentId, n) => bench.call(n, 202, "POST", `/api/agents/${agentId}/heartbeat/invoke`, {})),
      )
        .then(() => bench.idle())
        .finally(() => clearInterval(watch));
      return { value: peak, operations: agents.length };
    },
  };
};

export const whole: readonly Row[] = [
  // The search is a twentieth of the requests and most of the database's time: after five minutes 27,000 newer issues do
  // not hold its words, and it passes them all, 12 ms of processor time of its 16. By the index the same words take
  // longer: 70,000 issues hold them, and each is read to know the newest.
  {
    name: "mixed",
    what: "mixed load, 32 callers",
    unit: "/s",
    aim: 600,
    p99Aim: 150,
    reference: "transaction",
    prepare: mixed,
  },
  {
    name: "mixed-backup",
    what: "mixed load beside `boardroom backup`",
    unit: "×",
    aim: 1.11,
    prepare: mixedDuringBackup("command"),
  },
  {
    name: "mixed-scheduled",
    what: "mixed load during a scheduled backup",
    unit: "×",
    aim: 1.11,
    prepare: mixedDuringBackup("service"),
  },
  {
    name: "second-start",
    what: "second start to the first answer",
    unit: "ms",
    aim: 1500,
    prepare: secondStart,
  },
  {
    name: "memory-idle",
    what: "memory at idle, service and database (PSS)",
    unit: "MB",
    aim: 110,
    prepare: idleMemory,
  },
  {
    name: "memory-mixed",
    what: "memory under the mixed load, service and database (PSS)",
    unit: "MB",
    aim: 250,
    prepare: mixedMemory,
  },
  {
    name: "memory-chatty",
    what: "memory with 50 chatty runs, service (PSS)",
    unit: "MB",
    aim: 250,
    prepare: chattyMemory,
  },
];
