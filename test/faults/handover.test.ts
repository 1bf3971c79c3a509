import type { ChildProcess } from "node:child_process";
import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { lastNumber, numbersTo, outputOf, printsMore } from "../support/counted-output.ts";
import { type CrashPoint, handoverCrashPoints } from "../support/crash-points.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { carriersOf, isLiving, stateOf } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram, startProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

/** Says a number after the other on both streams, until a file says that it is enough. */
const counter = `
  let n = 0;
  setInterval(() => {
    n += 1;
    console.log("n" + n);
    if (n % 10 === 0) console.error("e" + n);
    if (require("node:fs").existsSync("enough")) process.exit(0);
  }, 10);
`;

let stoppingProgram: string;
let database: TestDatabase;
let dataDir: string;
let service: ServiceProgram | null = null;
let board: Client;
/** Their agents may work on after the test. */
const companies: string[] = [];
const suspended: ChildProcess[] = [];

const settings = { SERVICE_HANDOVER_SEC: "120", SERVICE_LEASE_SEC: "3", SERVICE_LOG_LEVEL: "error" };
const env = (more: Readonly<Record<string, string>> = {}) => ({
  ...settings,
  DATABASE_URL: database.url,
  ...more,
});

/** The one that is there serves the next test, too. */
const serve = async (more: Readonly<Record<string, string>> = {}): Promise<void> => {
  if (service !== null) return;
  service = await serveProgram(dataDir, env(more));
  board = await service.board();
};
const stop = async (signal: NodeJS.Signals): Promise<void> => {
  await service?.stop(signal);
  service = null;
};
/** Another service instead of it. */
const replaced = async (signal: NodeJS.Signals): Promise<void> => {
  await stop(signal);
  await serve();
};

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), "handover-"));
  [database, stoppingProgram] = await Promise.all([createDatabase(), buildStoppingProgram()]);
  dataDir = join(folder, "data");
});
afterEach(async () => {
  for (const child of suspended.splice(0)) child.kill("SIGKILL");
  if (service === null) return;
  for (const companyId of companies.splice(0)) await board.companies.pause({ companyId });
});
afterAll(async () => {
  await stop("SIGINT");
  await database?.drop();
  await rm(join(dataDir, ".."), { recursive: true, force: true });
});

const employ = async (program: string) => {
  const company = await board.companies.create({ name: "Upgraded" });
  companies.push(company.id);
  const agent = await board.agents.create({
    companyId: company.id,
    name: "Ada",
    adapterType: "process",
    adapterConfig: { command: process.execPath, args: ["-e", program], graceSec: 1 },
  });
  await board.issues.create({ companyId: company.id, title: "Count", assigneeAgentId: agent.id });
  const runs = async () => (await board.runs.list({ companyId: company.id })).items.toReversed();
  const [run] = await eventually(runs, ([first]) => first?.status === "running");
  return { runId: run!.id, runs, agent };
};
type Employed = Awaited<ReturnType<typeof employ>>;
/** A program that counts, and has begun. */
const counting = async (): Promise<Employed> => {
  await serve();
  const employed = await employ(counter);
  await printsMore(board, employed.runId);
  return employed;
};

/** The program itself, without what wraps it. */
const pidOf = (runId: string): number => carriersOf([runId]).at(-1)!;
const finish = (runId: string) => writeFile(`/proc/${pidOf(runId)}/cwd/enough`, "");
const ended = (runId: string) =>
  eventually(
    () => board.runs.get({ runId }),
    ({ status }) => status !== "running",
  );

it("a supervisor answers nobody who has not shown the key", async () => {
  await serve();
  const [name] = (await readdir(join(dataDir, "handover"))).filter((each) => each.startsWith("supervisor-"));
  expect((await stat(join(dataDir, "handover"))).mode & 0o077).toBe(0);
  const received = await new Promise<string>((resolve) => {
    let text = "";
    const socket = connect(join(dataDir, "handover", name!));
    socket.setEncoding("utf8").on("data", (piece) => {
      text += piece;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", () => {});
    // It speaks first; what is written before may end the connection before that is read.
    socket.once("data", () => {
      socket.write(`${JSON.stringify({ do: "list", id: 1, nonce: "", proof: "00".repeat(32) })}\n`);
      socket.write(`${JSON.stringify({ do: "list", id: 2 })}\n`);
    });
  });
  expect(Object.keys(JSON.parse(received) as object).sort()).toEqual(["nonce", "protocol"]);
});

describe("a run whose service is replaced", () => {
  it("is still one run after three restarts, one by SIGKILL, with each number once and in order", async () => {
    const { runId, runs } = await counting();
    const pids = carriersOf([runId]);
    for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
      await stop(signal);
      expect(carriersOf([runId])).toEqual(pids);
      await serve();
      await printsMore(board, runId);
    }
    await finish(runId);
    expect(await ended(runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
    const text = await outputOf(board, runId);
    const last = lastNumber(text);
    expect(text).toBe(numbersTo(last));
    expect(await outputOf(board, runId, "stderr")).toBe(numbersTo(last, 10, "e"));
    expect((await runs()).map(({ id }) => id)).toContain(runId);
    expect(carriersOf([runId])).toEqual([]);
    const { items } = await board.runs.events({ runId });
    expect(items.filter(({ type }) => type === "adapter.invoke")).toHaveLength(1);
    expect(items.filter(({ message }) => message?.includes("The program kept running"))).toHaveLength(3);
    expect(pids.some(isLiving)).toBe(false);
  });

  describe("by SIGKILL", () => {
    const stops: Record<string, (at: Employed) => Promise<unknown>> = {
      "a cancellation": ({ runId }) => board.runs.cancel({ runId }),
      "the pause of its agent": ({ agent }) => board.agents.pause({ agentId: agent.id }),
      "the pause of its company": ({ agent }) => board.companies.pause({ companyId: agent.companyId }),
      "a budget that is used up": async ({ agent }) => {
        await board.agents.update({ agentId: agent.id, budgetMonthlyCents: 100 });
        const { companyId } = agent;
        await board.costs.report({
          companyId,
          agentId: agent.id,
          provider: "acme",
          model: "m",
          costCents: 100,
        });
      },
    };
    const employed = new Map<string, Employed>();
    let theirs: readonly string[] = [];
    beforeAll(async () => {
      for (const by of Object.keys(stops)) employed.set(by, await counting());
      theirs = companies.splice(0);
      await replaced("SIGKILL");
    });
    afterAll(() => {
      companies.push(...theirs);
    });
    it.each(Object.entries(stops))(
      "is stopped by %s as before, with all of its processes",
      async (by, end) => {
        const { runId } = employed.get(by)!;
        await printsMore(board, runId);
        await end(employed.get(by)!);
        expect(await ended(runId)).toMatchObject({ status: "cancelled" });
        expect(carriersOf([runId])).toEqual([]);
      },
    );
  });

  it("ends as its program ended while no service was there, with all that it said", async () => {
    const { runId } = await counting();
    await stop("SIGTERM");
    await finish(runId);
    await eventually(
      async () => carriersOf([runId]),
      (pids) => pids.length === 0,
    );
    await serve();
    expect(await ended(runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
    const text = await outputOf(board, runId);
    expect(text).toBe(numbersTo(lastNumber(text)));
  });
});

/** The supervisors of these services: processes that work in its data directory. */
const supervisors = (): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`) === join(dataDir, "handover") && isLiving(pid);
      } catch {
        return false;
      }
    });

/** Starts a service that suspends itself there, waits for `reach`, and kills it once it has. */
const killedAt = async (
  where: { readonly STOP_HANDOVER_AT: string } | { readonly STOP_AT: CrashPoint },
  reach: () => Promise<unknown> = () => Promise.resolve(),
) => {
  const { child, listening } = startProgram(dataDir, env(where), [], {
    program: stoppingProgram,
  });
  suspended.push(child);
  listening.catch(() => {});
  await reach();
  await eventually(
    async () => stateOf(child.pid!),
    (state) => state === "T",
  );
  child.kill("SIGKILL");
  await eventually(
    async () => isLiving(child.pid!),
    (living) => !living,
  );
};

describe("a handover that is cut short", () => {
  it.each(handoverCrashPoints)(
    "at %s loses and repeats nothing: the service after that one continues",
    async (point) => {
      const { runId, runs } = await counting();
      const pids = carriersOf([runId]);
      await stop("SIGKILL");
      await killedAt({ STOP_HANDOVER_AT: point });
      await serve();
      await printsMore(board, runId);
      expect(carriersOf([runId])).toEqual(pids);
      await finish(runId);
      expect(await ended(runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
      const text = await outputOf(board, runId);
      expect(text).toBe(numbersTo(lastNumber(text)));
      expect((await runs()).filter(({ retryOfRunId }) => retryOfRunId === runId)).toEqual([]);
    },
  );

  it.each(["after-result", "in-finish", "after-finish"] as const)(
    "at %s of the run's end ends it once, with all that its program said",
    async (point) => {
      const { runId, runs } = await counting();
      await stop("SIGKILL");
      const id = pidOf(runId);
      await killedAt({ STOP_AT: point }, () => writeFile(`/proc/${id}/cwd/enough`, ""));
      await serve();
      expect(await ended(runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
      const text = await outputOf(board, runId);
      expect(text).toBe(numbersTo(lastNumber(text)));
      expect((await runs()).filter(({ retryOfRunId }) => retryOfRunId === runId)).toEqual([]);
      expect(carriersOf([runId])).toEqual([]);
    },
  );

  it("continues the run where the next service is killed at its start, too", async () => {
    const { runId } = await counting();
    await replaced("SIGTERM");
    await replaced("SIGKILL");
    await printsMore(board, runId);
    await finish(runId);
    expect(await ended(runId)).toMatchObject({ status: "succeeded" });
    const text = await outputOf(board, runId);
    expect(text).toBe(numbersTo(lastNumber(text)));
  });

  it("ends the run and tries it once more where its supervisor was killed, and never runs both", async () => {
    const { runId, runs } = await counting();
    await stop("SIGKILL");
    for (const pid of supervisors()) process.kill(pid, "SIGKILL");
    await serve();
    expect(await ended(runId)).toMatchObject({ status: "interrupted", errorCode: "process_lost" });
    expect(carriersOf([runId])).toEqual([]);
    const [, retry] = await eventually(runs, (all) => all[1]?.status === "running");
    expect(retry).toMatchObject({ retryOfRunId: runId });
  });

  it("ends the programs, and their supervisor, when no service has come in time", async () => {
    // So that no run of before is handed over, whose supervisor stays longer.
    await stop("SIGINT");
    await serve({ SERVICE_HANDOVER_SEC: "1" });
    const { runId } = await counting();
    await stop("SIGKILL");
    await eventually(
      async () => [...carriersOf([runId]), ...supervisors()],
      (pids) => pids.length === 0,
    );
  });

  it("stops the programs on SIGINT, as without a handover", async () => {
    const { runId } = await counting();
    await stop("SIGINT");
    expect(carriersOf([runId])).toEqual([]);
    await serve();
    expect(await ended(runId)).toMatchObject({
      status: "interrupted",
      errorCode: "service_shutdown",
    });
  });
});
