import { readdirSync, readlinkSync } from "node:fs";
import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { lastNumber, numbersTo, outputOf, printsMore } from "../support/counted-output.ts";
import { type CrashPoint, handoverCrashPoints } from "../support/crash-points.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { carriersOf, isLiving, stateOf } from "../support/run-processes.ts";
import { eventually } from "../support/service.ts";
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
let dataDir: string;
let service: ServiceProgram;
const started: Pick<ServiceProgram, "child">[] = [];

const settings = { SERVICE_HANDOVER_SEC: "120", SERVICE_LEASE_SEC: "3", SERVICE_LOG_LEVEL: "error" };

const serve = async (env: Readonly<Record<string, string>> = {}) => {
  service = await serveProgram(dataDir, { ...settings, ...env });
  started.push(service);
  return service.board();
};

beforeAll(async () => {
  stoppingProgram = await buildStoppingProgram();
});
beforeEach(async () => {
  dataDir = await preparedDataDirectory(join(await mkdtemp(join(tmpdir(), "handover-")), "data"));
});
afterEach(async () => {
  await service.stop("SIGINT");
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
  await rm(join(dataDir, ".."), { recursive: true, force: true });
});

const employ = async (board: Client, program: string, more: Readonly<Record<string, unknown>> = {}) => {
  const company = await board.companies.create({ name: "Upgraded" });
  const agent = await board.agents.create({
    companyId: company.id,
    name: "Ada",
    adapterType: "process",
    adapterConfig: { command: process.execPath, args: ["-e", program], graceSec: 1, ...more },
  });
  await board.issues.create({ companyId: company.id, title: "Count", assigneeAgentId: agent.id });
  const runs = async (by: Client) => (await by.runs.list({ companyId: company.id })).items.toReversed();
  const [run] = await eventually(
    () => runs(board),
    ([first]) => first?.status === "running",
  );
  return { runId: run!.id, runs, agent };
};

/** The program itself, without what wraps it. */
const pidOf = (runId: string): number => carriersOf([runId]).at(-1)!;
const finish = (runId: string) => writeFile(`/proc/${pidOf(runId)}/cwd/enough`, "");
const ended = (board: Client, runId: string) =>
  eventually(
    () => board.runs.get({ runId }),
    ({ status }) => status !== "running",
  );

describe("a run whose service is replaced", () => {
  it("is still one run after three restarts, one by SIGKILL, with each number once and in order", async () => {
    let board = await serve();
    const { runId, runs } = await employ(board, counter);
    await printsMore(board, runId);
    const pids = carriersOf([runId]);
    for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
      await service.stop(signal);
      expect(carriersOf([runId])).toEqual(pids);
      board = await serve();
      await printsMore(board, runId);
    }
    await finish(runId);
    expect(await ended(board, runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
    const text = await outputOf(board, runId);
    const last = lastNumber(text);
    expect(text).toBe(numbersTo(last));
    expect(await outputOf(board, runId, "stderr")).toBe(numbersTo(last, 10, "e"));
    expect((await runs(board)).map(({ id }) => id)).toContain(runId);
    expect(carriersOf([runId])).toEqual([]);
    const { items } = await board.runs.events({ runId });
    expect(items.filter(({ type }) => type === "adapter.invoke")).toHaveLength(1);
    expect(items.filter(({ message }) => message?.includes("continued meanwhile"))).toHaveLength(3);
    expect(pids.some(isLiving)).toBe(false);
  });

  const stops: Record<string, (board: Client, at: Awaited<ReturnType<typeof employ>>) => Promise<unknown>> = {
    "a cancellation": (board, { runId }) => board.runs.cancel({ runId }),
    "the pause of its agent": (board, { agent }) => board.agents.pause({ agentId: agent.id }),
    "the pause of its company": (board, { agent }) => board.companies.pause({ companyId: agent.companyId }),
    "a budget that is used up": async (board, { agent }) => {
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
  it.each(Object.entries(stops))("is stopped by %s as before, with all of its processes", async (_, stop) => {
    let board = await serve();
    const employed = await employ(board, counter);
    const { runId } = employed;
    await printsMore(board, runId);
    await service.stop("SIGKILL");
    board = await serve();
    await printsMore(board, runId);
    await stop(board, employed);
    expect(await ended(board, runId)).toMatchObject({ status: "cancelled" });
    expect(carriersOf([runId])).toEqual([]);
  });

  it("ends as its program ended while no service was there, with all that it said", async () => {
    let board = await serve();
    const { runId } = await employ(board, counter);
    await printsMore(board, runId);
    await service.stop("SIGTERM");
    await finish(runId);
    await eventually(
      async () => carriersOf([runId]),
      (pids) => pids.length === 0,
    );
    board = await serve();
    expect(await ended(board, runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
    const text = await outputOf(board, runId);
    expect(text).toBe(numbersTo(lastNumber(text)));
  });
});

/** The holders of this test's services: processes that work in its data directory. */
const holders = (): number[] =>
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
  const { child, listening } = startProgram(dataDir, { ...settings, ...where }, [], {
    program: stoppingProgram,
  });
  started.push({ child });
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
      let board = await serve();
      const { runId, runs } = await employ(board, counter);
      await printsMore(board, runId);
      const pids = carriersOf([runId]);
      await service.stop("SIGKILL");
      await killedAt({ STOP_HANDOVER_AT: point });
      board = await serve();
      await printsMore(board, runId);
      expect(carriersOf([runId])).toEqual(pids);
      await finish(runId);
      expect(await ended(board, runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
      const text = await outputOf(board, runId);
      expect(text).toBe(numbersTo(lastNumber(text)));
      expect((await runs(board)).filter(({ retryOfRunId }) => retryOfRunId === runId)).toEqual([]);
    },
  );

  it.each(["after-result", "in-finish", "after-finish"] as const)(
    "at %s of the run's end ends it once, with all that its program said",
    async (point) => {
      let board = await serve();
      const { runId, runs } = await employ(board, counter);
      await printsMore(board, runId);
      await service.stop("SIGKILL");
      const id = pidOf(runId);
      await killedAt({ STOP_AT: point }, () => writeFile(`/proc/${id}/cwd/enough`, ""));
      board = await serve();
      expect(await ended(board, runId)).toMatchObject({ status: "succeeded", exitCode: 0 });
      const text = await outputOf(board, runId);
      expect(text).toBe(numbersTo(lastNumber(text)));
      expect((await runs(board)).filter(({ retryOfRunId }) => retryOfRunId === runId)).toEqual([]);
      expect(carriersOf([runId])).toEqual([]);
    },
  );

  it("continues the run where the next service is killed at its start, too", async () => {
    const board = await serve();
    const { runId } = await employ(board, counter);
    await printsMore(board, runId);
    await service.stop("SIGTERM");
    await serve();
    await service.stop("SIGKILL");
    const last = await serve();
    await printsMore(last, runId);
    await finish(runId);
    expect(await ended(last, runId)).toMatchObject({ status: "succeeded" });
    const text = await outputOf(last, runId);
    expect(text).toBe(numbersTo(lastNumber(text)));
  });

  it("ends the run and tries it once more where its holder was killed, and never runs both", async () => {
    const board = await serve();
    const { runId, runs } = await employ(board, counter);
    await printsMore(board, runId);
    await service.stop("SIGKILL");
    for (const pid of holders()) process.kill(pid, "SIGKILL");
    const next = await serve();
    expect(await ended(next, runId)).toMatchObject({ status: "interrupted", errorCode: "process_lost" });
    expect(carriersOf([runId])).toEqual([]);
    const [, retry] = await eventually(
      () => runs(next),
      (all) => all[1]?.status === "running",
    );
    expect(retry).toMatchObject({ retryOfRunId: runId });
  });

  it("ends the programs, and their holder, when no service has come in time", async () => {
    const board = await serve({ SERVICE_HANDOVER_SEC: "1" });
    const { runId } = await employ(board, counter);
    await printsMore(board, runId);
    await service.stop("SIGKILL");
    await eventually(
      async () => [...carriersOf([runId]), ...holders()],
      (pids) => pids.length === 0,
    );
  });

  it("stops the programs on SIGINT, as without a handover", async () => {
    const board = await serve();
    const { runId } = await employ(board, counter);
    await printsMore(board, runId);
    await service.stop("SIGINT");
    expect(carriersOf([runId])).toEqual([]);
    expect(await ended(await serve(), runId)).toMatchObject({
      status: "interrupted",
      errorCode: "service_shutdown",
    });
  });
});

it("a holder answers nobody who has not shown the key", async () => {
  await serve();
  const [name] = (await readdir(join(dataDir, "handover"))).filter((each) => each.startsWith("holder-"));
  expect((await stat(join(dataDir, "handover"))).mode & 0o077).toBe(0);
  const heard = await new Promise<string>((resolve) => {
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
  expect(Object.keys(JSON.parse(heard) as object).sort()).toEqual(["nonce", "protocol"]);
});
