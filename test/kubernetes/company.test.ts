import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { leaseTimes } from "../../core/model/runs/lease.ts";
import type { Client } from "../../hosts/library/client.ts";
import { image, isInstalled, startEngine, type TestEngine } from "../docker/engine.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { machineAddress as address, kubectl, template } from "./lab.ts";

vi.setConfig({ testTimeout: 400_000, hookTimeout: 120_000 });

const { leaseSec, recoveryBoundSec } = leaseTimes(6);
/** The time that its pods and containers may take to end after that. */
const endingSec = 60;
const engineKind = (["dockerd", "podman"] as const).find(isInstalled);

const restart = async (): Promise<void> => {
  service.child.kill("SIGKILL");
  service = await serveProgram(join(folder, "data"), env);
  board = await service.board();
};

const objectsInCluster = () =>
  kubectl("get", "pods,secrets", "-o", "name")
    .split("\n")
    .filter((name) => name.includes("/br-"));

/** Finishes its task, slowly enough to be found at it; prints when it began. */
const worker = {
  ...nodeAgent(`
await call("POST", "/api/issues/" + task + "/checkout", { agentId: me, expectedStatuses: ["todo", "in_progress"] });
await call("POST", "/api/issues/" + task + "/comments", { body: "began " + Date.now() + " in " + run });
await new Promise((resolve) => setTimeout(resolve, 6000));
const { status } = await call("PATCH", "/api/issues/" + task, { status: "done", comment: "finished in " + run });
if (status !== 200) process.exit(3);
`),
  // Of the place where it runs.
  command: "node",
};

let folder: string;
let env: Readonly<Record<string, string>>;
let database: Awaited<ReturnType<typeof createDatabase>>;
let engine: TestEngine | null = null;
let service: ServiceProgram;
let board: Client;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "company-"));
  database = await createDatabase();
  const port = await freePort(address);
  const runners = join(folder, "data/runners");
  await mkdir(runners, { recursive: true });
  const { kubeconfig, namespace, image: podImage } = template;
  await writeFile(
    join(runners, "cluster.yaml"),
    stringify({ kind: "kubernetes", kubeconfig, cluster: "lab", namespace, image: podImage, endingSec }),
  );
  if (engineKind !== undefined) {
    engine = await startEngine(engineKind);
    const host = `unix://${engine.socket}`;
    await writeFile(
      join(runners, "docker.yaml"),
      stringify({ kind: "docker", host, engine: "of-the-test", image, network: "host" }),
    );
  }
  env = {
    DATABASE_URL: database.url,
    SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
    HOST: address,
    PORT: String(port),
    SERVICE_AGENT_URL: `http://${address}:${port}`,
    SERVICE_LEASE_SEC: String(leaseSec),
    SERVICE_LOG_LEVEL: "error",
  };
  service = await serveProgram(join(folder, "data"), env);
  board = await service.board();
});

afterAll(async () => {
  await service?.stop();
  await engine?.close();
  kubectl("delete", "pods", "--all", "--wait=false");
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

describe("a company with an agent on each kind of runner", () => {
  it("finds each runner usable from inside", async () => {
    for (const { name } of await board.runners.list({})) {
      if (name === "local") continue;
      const { checks } = await board.runners.check({ runnerName: name });
      console.log(`${name}: ${checks.map(({ code }) => code).join(", ")}`);
      expect(checks.map(({ code }) => code)).toContain("service_reachable");
    }
  });

  it("finishes the issues of its goal while the service is killed in the middle", async () => {
    const { id: companyId } = await board.companies.create({ name: "Three" });
    const { id: goalId } = await board.goals.create({ companyId, title: "All is done" });
    const names = ["local", "cluster", ...(engine === null ? [] : ["docker"])];
    const hired: { readonly id: string }[] = [];
    for (const name of names)
      hired.push(
        await board.agents.create({
          companyId,
          name: `On ${name}`,
          adapterType: "process",
          adapterConfig: { ...worker, graceSec: 2, timeoutSec: 120 },
          runtimeConfig: { runner: name },
        }),
      );
    const assignedAt = new Map<string, number>();
    const issues: { readonly id: string }[] = [];
    for (const round of [1, 2])
      for (const [at, { id }] of hired.entries()) {
        const fields = { companyId, goalId, title: `Part ${round} on ${names[at]}`, assigneeAgentId: id };
        const issue = await board.issues.create({ ...fields, status: "todo" });
        assignedAt.set(issue.id, Date.now());
        issues.push(issue);
      }
    const beganOn = async (issueId: string) =>
      (await board.issues.comments({ issueId })).items
        .map(({ body }) => Number(/^began (\d+)/.exec(body)?.[1] ?? 0))
        .filter((at) => at > 0)
        .sort()[0];
    // Each runner has a program that has begun.
    await eventually(
      () => Promise.all(issues.slice(0, hired.length).map(({ id }) => beganOn(id))),
      (all) => all.every((at) => at !== undefined),
      { withinMs: 120_000 },
    );
    for (const [at, { id }] of issues.slice(0, hired.length).entries())
      console.log(
        `${names[at]}: from the assignment to the first instruction's request ${(((await beganOn(id)) ?? 0) - (assignedAt.get(id) ?? 0)) / 1000} s`,
      );
    const live = (await board.runs.list({ companyId, status: ["running"] })).items.map(({ id }) => id);
    expect(live.length).toBeGreaterThanOrEqual(hired.length - 1);
    const killedAt = Date.now();
    await restart();

    await eventually(
      () => Promise.all(live.map((runId) => board.runs.get({ runId }))),
      (runs) => runs.every(({ status }) => status !== "running"),
      { withinMs: (recoveryBoundSec + endingSec) * 1000 },
    );
    for (const runId of live) {
      const { status, runner, finishedAt } = await board.runs.get({ runId });
      const tookSec = (Date.parse(finishedAt ?? "") - killedAt) / 1000;
      console.log(`${runner}: ${status} ${tookSec} s after the service was killed, of ${recoveryBoundSec}`);
    }
    const done = await eventually(
      async () => (await board.issues.list({ companyId })).items,
      (all) => all.every(({ status }) => status === "done"),
      { withinMs: 240_000 },
    );
    expect(done).toHaveLength(issues.length);
    await eventually(
      async () =>
        (await board.runs.list({ companyId })).items.filter(
          ({ status }) => status === "running" || status === "queued",
        ),
      (left) => left.length === 0,
      { withinMs: 60_000 },
    );
    const runs = (await board.runs.list({ companyId })).items;
    const on = (name: string) =>
      runs.filter(({ agentId }) => agentId === hired[names.indexOf(name)]?.id).map(({ status }) => status);
    for (const name of names) {
      console.log(`${name}: ${on(name).join(", ")}`);
      // A run may have finished its issue in the moment of the kill: what would continue it is cancelled.
      const ends = ["succeeded", "interrupted", "cancelled"];
      expect(on(name).filter((status) => !ends.includes(status))).toEqual([]);
    }
    await vi.waitFor(() => expect(objectsInCluster()).toEqual([]), { timeout: 60_000, interval: 500 });
  });
});

describe("a service that is killed", () => {
  it.each(["starting", "running", "ending"])(
    "while a pod is %s leaves neither a run nor a pod behind",
    async (phase) => {
      const { id: companyId } = await board.companies.create({ name: `Killed while ${phase}` });
      const program =
        phase === "ending"
          ? nodeAgent("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);")
          : worker;
      const { id: assigneeAgentId } = await board.agents.create({
        companyId,
        name: "On the cluster",
        adapterType: "process",
        adapterConfig: { ...program, command: "node", graceSec: 4, timeoutSec: 120 },
        runtimeConfig: { runner: "cluster" },
      });
      const { id: issueId } = await board.issues.create({
        companyId,
        title: "It",
        assigneeAgentId,
        status: "todo",
      });
      const first = async () => (await board.runs.list({ companyId })).items.at(-1);
      const runId =
        (await eventually(first, (run) => run?.status === "running", { withinMs: 60_000 }))?.id ?? "";
      if (phase !== "starting")
        await eventually(
          async () => kubectl("get", "pods"),
          (text) => /Running/.test(text),
          { withinMs: 60_000 },
        );
      if (phase === "ending") await board.runs.cancel({ runId });
      const killedAt = Date.now();
      await restart();
      const over = await eventually(
        () => board.runs.get({ runId }),
        ({ status }) => status !== "running" && status !== "queued",
        { withinMs: (recoveryBoundSec + endingSec) * 1000 },
      );
      // No pod outlives its run.
      expect(
        objectsInCluster().filter(
          (name) => name.startsWith("pod/") && name.includes(runId) && isLivePod(name),
        ),
      ).toEqual([]);
      console.log(
        `killed while ${phase}: ${over.status} after ${(Date.parse(over.finishedAt ?? "") - killedAt) / 1000} s`,
      );
      if (phase !== "ending")
        await eventually(
          () => board.issues.get({ issueId }),
          ({ status }) => status === "done",
          { withinMs: 120_000 },
        );
      await vi.waitFor(() => expect(objectsInCluster()).toEqual([]), { timeout: 60_000, interval: 500 });
    },
  );
});

const isLivePod = (name: string): boolean =>
  kubectl(
    "get",
    name,
    "--ignore-not-found",
    "-o",
    "jsonpath={.status.containerStatuses[0].state.running}",
  ) !== "";
