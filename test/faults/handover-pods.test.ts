import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Client } from "../../hosts/library/client.ts";
import { lastNumber, numbersTo, outputOf, printsMore } from "../support/counted-output.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { LoopbackApi } from "../support/kubernetes/loopback-api.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
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
let api: LoopbackApi;
let env: Readonly<Record<string, string>>;
const started: { readonly child: ServiceProgram["child"] }[] = [];
let service: ServiceProgram;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "handover-pods-"));
  dataDir = await preparedDataDirectory(join(folder, "data"));
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
    SERVICE_AGENT_URL: `http://127.0.0.1:${port}`,
    SERVICE_RUNNER: "cluster",
    SERVICE_HANDOVER_SEC: "120",
    SERVICE_LEASE_SEC: "3",
    SERVICE_LOG_LEVEL: "error",
  };
});
afterEach(async () => {
  await service.stop("SIGINT");
  for (const { child } of started.splice(0)) child.kill("SIGKILL");
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const serve = async () => {
  service = await serveProgram(dataDir, env);
  started.push(service);
  return service.board();
};

const employ = async (board: Client) => {
  const { id: companyId } = await board.companies.create({ name: "Upgraded" });
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
  const runs = async (by: Client) => (await by.runs.list({ companyId })).items.toReversed();
  const [run] = await eventually(
    () => runs(board),
    ([first]) => first?.status === "running",
  );
  return { runId: run!.id, runs };
};

const finish = () => writeFile(join(folder, "enough"), "");
const expectWhole = async (board: Client, runId: string) => {
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
  await eventually(kept, (files) => files.length === 0);
};
const kept = async () => (await readdir(join(dataDir, "handover"))).filter((name) => name.startsWith("run-"));

describe("a run in a pod whose service is replaced", () => {
  it("is still one run in one pod after three restarts, one by SIGKILL, with each number once and in order", async () => {
    let board = await serve();
    const { runId, runs } = await employ(board);
    await printsMore(board, runId);
    const names = [...api.pods.keys()];
    for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"] as const) {
      await service.stop(signal);
      board = await serve();
      await printsMore(board, runId);
      expect([...api.pods.keys()]).toEqual(names);
    }
    await finish();
    await expectWhole(board, runId);
    expect((await runs(board)).filter(({ retryOfRunId }) => retryOfRunId === runId)).toEqual([]);
    const { items } = await board.runs.events({ runId });
    expect(items.filter(({ type }) => type === "adapter.invoke")).toHaveLength(1);
    expect(items.filter(({ message }) => message?.includes("continued meanwhile"))).toHaveLength(3);
  });

  it("ends as its program ended while no service was there, with all that it said", async () => {
    let board = await serve();
    const { runId } = await employ(board);
    await printsMore(board, runId);
    await service.stop("SIGTERM");
    const [pod] = api.pods.values();
    await finish();
    await eventually(
      async () => pod?.ended,
      (ended) => ended === true,
    );
    board = await serve();
    await expectWhole(board, runId);
  });

  it("is stopped by a cancellation as before, with its pod", async () => {
    let board = await serve();
    const { runId } = await employ(board);
    await printsMore(board, runId);
    await service.stop("SIGKILL");
    board = await serve();
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
    let board = await serve();
    const { runId } = await employ(board);
    await printsMore(board, runId);
    await service.stop("SIGKILL");
    const { child, listening } = startProgram(dataDir, { ...env, STOP_HANDOVER_AT: "run-taken" }, [], {
      program: await buildStoppingProgram(),
    });
    started.push({ child });
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
    board = await serve();
    await printsMore(board, runId);
    await finish();
    await expectWhole(board, runId);
  });

  it("fails where its pod was removed meanwhile, and says why", async () => {
    let board = await serve();
    const { runId } = await employ(board);
    await printsMore(board, runId);
    await service.stop("SIGKILL");
    for (const pod of api.pods.values()) pod.remove();
    board = await serve();
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
    const board = await serve();
    const { runId } = await employ(board);
    await printsMore(board, runId);
    const [name = ""] = await eventually(kept, (files) => files.length === 1);
    const path = join(dataDir, "handover", name);
    expect((await stat(path)).mode & 0o077).toBe(0);
    expect((await readFile(path)).includes(secret)).toBe(false);
    await finish();
    await expectWhole(board, runId);
  });
});
