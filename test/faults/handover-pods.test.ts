import type { ChildProcess } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Client } from "../../hosts/library/client.ts";
import { lastNumber, numbersTo, outputOf, printsMore } from "../support/counted-output.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { LoopbackApi } from "../support/kubernetes/loopback-api.ts";
import { isLiving, stateOf } from "../support/run-processes.ts";
import { type ServiceProgram, serveProgram, startProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

const secret = "walnut-oil-4711";

/** Says a number after the other, until a file says that it is enough. */
const counter = `
  let n = 0;
  setInterval(() => {
    console.log("n" + ++n);
    if (require("node:fs").existsSync(process.argv[1])) process.exit(0);
  }, 20);
`;

let folder: string;
let dataDir: string;
let database: TestDatabase;
let api: LoopbackApi;
let env: Readonly<Record<string, string>>;
let service: ServiceProgram | null = null;
let board: Client;
let suspended: ChildProcess | null = null;
/** Their agents may work on after the test. */
const companies: string[] = [];

beforeAll(async () => {
  [database, folder] = await Promise.all([createDatabase(), mkdtemp(join(tmpdir(), "handover-pods-"))]);
  dataDir = join(folder, "data");
  api = new LoopbackApi();
  const { server, token } = await api.open();
  const kubeconfig = join(folder, "kubeconfig");
  const named = { cluster: "c", user: "u" };
  await writeFile(
    kubeconfig,
    stringify({
      clusters: [{ name: "c", cluster: { server } }],
      users: [{ name: "u", user: { token: token() } }],
      contexts: [{ name: "x", context: named }],
      "current-context": "x",
    }),
  );
  await mkdir(join(dataDir, "runners"), { recursive: true });
  await writeFile(
    join(dataDir, "runners", "cluster.yaml"),
    stringify({ kind: "kubernetes", kubeconfig, namespace: "agents", image: "agents:1" }),
  );
  const port = String(await freePort());
  env = {
    PORT: port,
    DATABASE_URL: database.url,
    SERVICE_AGENT_URL: `http://127.0.0.1:${port}`,
    SERVICE_RUNNER: "cluster",
    SERVICE_HANDOVER_SEC: "120",
    SERVICE_LEASE_SEC: "3",
    SERVICE_LOG_LEVEL: "error",
  };
});
afterEach(async () => {
  suspended?.kill("SIGKILL");
  if (service === null) return;
  for (const companyId of companies.splice(0)) await board.companies.pause({ companyId });
  await eventually(
    async () => api.pods.size,
    (count) => count === 0,
  );
});
afterAll(async () => {
  await stop("SIGINT");
  await api?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** The service that is there serves the next test, too. */
const serve = async (): Promise<void> => {
  if (service !== null) return;
  service = await serveProgram(dataDir, env);
  board = await service.board();
};
const stop = async (signal: NodeJS.Signals): Promise<void> => {
  await service?.stop(signal);
  service = null;
};

/** An agent whose program counts, and has begun. */
const counting = async () => {
  await serve();
  await rm(join(folder, "enough"), { force: true });
  const { id: companyId } = await board.companies.create({ name: "Upgraded" });
  companies.push(companyId);
  const { id: secretId } = await board.secrets.create({ companyId, name: "Oil", value: secret });
  const { id: assigneeAgentId } = await board.agents.create({
    companyId,
    name: "Ada",
    adapterType: "process",
    adapterConfig: {
      command: "node",
      args: ["-e", counter, join(folder, "enough")],
      graceSec: 1,
      env: { OIL: { type: "secret_ref", secretId } },
    },
  });
  await board.issues.create({ companyId, title: "Count", assigneeAgentId });
  const runs = async () => (await board.runs.list({ companyId })).items.toReversed();
  const [run] = await eventually(runs, ([first]) => first?.status === "running");
  await printsMore(board, run!.id);
  return { runId: run!.id, runs };
};

const finish = () => writeFile(join(folder, "enough"), "");
const expectWhole = async (runId: string) => {
  const run = await eventually(
    () => board.runs.get({ runId }),
    ({ status }) => status !== "running",
  );
  expect(run).toMatchObject({ status: "succeeded", exitCode: 0, error: null });
  const text = await outputOf(board, runId);
  expect(text).toBe(numbersTo(lastNumber(text)));
  await eventually(
    async () => [...api.pods.keys(), ...api.secrets.keys()],
    (left) => left.length === 0,
  );
  await eventually(handoverFiles, (files) => files.length === 0);
};
const handoverFiles = async () =>
  (await readdir(join(dataDir, "handover"))).filter((name) => name.startsWith("run-"));

describe("a run in a pod whose service is replaced", () => {
  it("is still one run in one pod after three restarts, one by SIGKILL, with each number once and in order", async () => {
    const { runId, runs } = await counting();
    const names = [...api.pods.keys()];
    for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
      await stop(signal);
      await serve();
      await printsMore(board, runId);
      expect([...api.pods.keys()]).toEqual(names);
    }
    await finish();
    await expectWhole(runId);
    expect((await runs()).filter(({ retryOfRunId }) => retryOfRunId === runId)).toEqual([]);
    const { items } = await board.runs.events({ runId });
    expect(items.filter(({ type }) => type === "adapter.invoke")).toHaveLength(1);
    expect(items.filter(({ message }) => message?.includes("The program kept running"))).toHaveLength(3);
  });

  it("ends as its program ended while no service was there, with all that it said", async () => {
    const { runId } = await counting();
    await stop("SIGTERM");
    const [pod] = api.pods.values();
    await finish();
    await eventually(
      async () => pod?.ended,
      (ended) => ended === true,
    );
    await serve();
    await expectWhole(runId);
  });

  it("is stopped by a cancellation as before, with its pod", async () => {
    const { runId } = await counting();
    await stop("SIGKILL");
    await serve();
    await printsMore(board, runId);
    await board.runs.cancel({ runId });
    await eventually(
      () => board.runs.get({ runId }),
      ({ status }) => status === "cancelled",
    );
    await eventually(
      async () => api.pods.size,
      (count) => count === 0,
    );
  });

  it("continues where the next service is killed in the middle of the handover, too", async () => {
    const { runId } = await counting();
    await stop("SIGKILL");
    const { child, listening } = startProgram(dataDir, { ...env, STOP_HANDOVER_AT: "run-taken" }, [], {
      program: await buildStoppingProgram(),
    });
    suspended = child;
    listening.catch(() => {});
    await eventually(
      async () => stateOf(child.pid!),
      (state) => state === "T",
    );
    child.kill("SIGKILL");
    await eventually(
      async () => isLiving(child.pid!),
      (living) => !living,
    );
    await serve();
    await printsMore(board, runId);
    await finish();
    await expectWhole(runId);
  });

  it("fails where its pod was removed meanwhile, and says why", async () => {
    const { runId } = await counting();
    await stop("SIGKILL");
    for (const pod of api.pods.values()) pod.remove();
    await serve();
    const run = await eventually(
      () => board.runs.get({ runId }),
      ({ status }) => status !== "running",
    );
    expect(run).toMatchObject({
      status: "failed",
      error: expect.stringContaining("Its pod was removed while no service was there."),
    });
  });

  it("leaves nothing of it readable on the disk", async () => {
    const { runId } = await counting();
    const [name = ""] = await eventually(handoverFiles, (files) => files.length === 1);
    const path = join(dataDir, "handover", name);
    expect((await stat(path)).mode & 0o077).toBe(0);
    expect((await readFile(path)).includes(secret)).toBe(false);
    await finish();
    await expectWhole(runId);
  });
});
