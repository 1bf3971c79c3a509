import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { stringify } from "yaml";
import { leaseTimes } from "../../core/model/runs/lease.ts";
import type { Client } from "../../hosts/library/client.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { createDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { engineKinds, image, isInstalled, startEngine, type TestEngine } from "./engine.ts";
import { objectsOf, processesOf } from "./remote.ts";

// `npm run test:docker`: a service whose agents run in containers.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const { leaseSec, recoveryBoundSec } = leaseTimes(6);

const worker = (seconds: number) => ({
  ...nodeAgent(`
await call("POST", "/api/issues/" + task + "/checkout", { agentId: me, expectedStatuses: ["todo", "in_progress"] });
await call("POST", "/api/issues/" + task + "/comments", { body: "began" });
await new Promise((resolve) => setTimeout(resolve, ${seconds * 1000}));
await call("PATCH", "/api/issues/" + task, { status: "done", comment: "finished" });
`),
  // Of the image.
  command: "node",
  graceSec: 2,
  timeoutSec: 200,
});

describe.each(engineKinds.filter(isInstalled))("a service with containers of %s", (kind) => {
  let folder: string;
  let env: Readonly<Record<string, string>>;
  let engine: TestEngine;
  let database: Awaited<ReturnType<typeof createDatabase>>;
  let service: ServiceProgram;
  let board: Client;
  const serve = async () => {
    service = await serveProgram(join(folder, "data"), env);
    board = await service.board();
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "br-service-"));
    engine = await startEngine(kind, { liveRestore: true });
    database = await createDatabase();
    const port = await freePort();
    const runners = join(folder, "data/runners");
    await mkdir(runners, { recursive: true });
    const host = `unix://${engine.socket}`;
    await writeFile(
      join(runners, "box.yaml"),
      stringify({ kind: "docker", host, engine: "of-the-test", image, network: "host" }),
    );
    env = {
      DATABASE_URL: database.url,
      SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
      PORT: String(port),
      SERVICE_AGENT_URL: `http://127.0.0.1:${port}`,
      SERVICE_LEASE_SEC: String(leaseSec),
      SERVICE_LOG_LEVEL: "error",
    };
    await serve();
  });
  afterAll(async () => {
    await service?.stop("SIGKILL");
    await engine?.close();
    await database?.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const begin = async (title: string, seconds: number) => {
    const { id: companyId } = await board.companies.create({ name: title });
    const { id: assigneeAgentId } = await board.agents.create({
      companyId,
      name: "In a container",
      adapterType: "process",
      adapterConfig: worker(seconds),
      runtimeConfig: { runner: "box" },
    });
    const { id: issueId } = await board.issues.create({ companyId, title, assigneeAgentId, status: "todo" });
    const [run] = await eventually(
      async () => (await board.runs.list({ companyId })).items,
      (all) => all.length > 0,
    );
    const runId = run!.id;
    return { companyId, issueId, runId };
  };
  /** Its program has made its first requests, and waits. */
  const began = (issueId: string) =>
    eventually(
      async () => (await board.issues.comments({ issueId })).items,
      (all) => all.some(({ body }) => body === "began"),
      { withinMs: 60_000 },
    );
  const statusOf = async (runId: string) => (await board.runs.get({ runId })).status;
  const nothingLeft = async (runId: string) => {
    await expect.poll(() => processesOf(runId), { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => objectsOf(engine, runId), { timeout: 60_000 }).toEqual([]);
  };

  it("finds the runner usable, and finishes an issue", async () => {
    const { checks } = await board.runners.check({ runnerName: "box" });
    expect(checks.map(({ code }) => code)).toEqual(
      expect.arrayContaining(["container_ran", "service_reachable", "workspace_writable"]),
    );
    const { issueId, runId } = await begin("Finish", 1);
    await eventually(
      () => board.issues.get({ issueId }),
      ({ status }) => status === "done",
      { withinMs: 60_000 },
    );
    await eventually(
      () => statusOf(runId),
      (status) => status === "succeeded",
    );
    expect(await board.runs.get({ runId })).toMatchObject({ runner: "box", reach: "docker/of-the-test" });
    await nothingLeft(runId);
  });

  it("ends the container of a run that was cancelled while its engine was away", async () => {
    const { issueId, runId } = await begin("Cancel", 120);
    await began(issueId);
    await engine.end("SIGTERM");
    await board.runs.cancel({ runId });
    await expect.poll(() => processesOf(runId), { timeout: 60_000 }).toEqual([]);
    await engine.start();
    await eventually(
      () => statusOf(runId),
      (status) => status === "cancelled",
      { withinMs: 60_000 },
    );
    await nothingLeft(runId);
  });

  it("ends the run and its container within the bound when it was killed, and another run finishes the issue", async () => {
    const { companyId, issueId, runId } = await begin("Kill", 8);
    await began(issueId);
    service.child.kill("SIGKILL");
    const killedAt = performance.now();
    await serve();
    await eventually(
      () => statusOf(runId),
      (status) => status === "interrupted",
      {
        withinMs: (recoveryBoundSec + 60) * 1000,
      },
    );
    console.log(
      `${kind}: interrupted ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the kill`,
    );
    await nothingLeft(runId);
    await eventually(
      () => board.issues.get({ issueId }),
      ({ status }) => status === "done",
      { withinMs: 120_000 },
    );
    expect((await board.runs.list({ companyId })).items.length).toBeGreaterThan(1);
  });

  it("leaves no program behind when it was killed and does not come back", async () => {
    const { issueId, runId } = await begin("Gone", 120);
    await began(issueId);
    expect(processesOf(runId)).not.toEqual([]);
    service.child.kill("SIGKILL");
    const killedAt = performance.now();
    await expect
      .poll(() => processesOf(runId), { timeout: (recoveryBoundSec + 60) * 1000, interval: 200 })
      .toEqual([]);
    const tookSec = (performance.now() - killedAt) / 1000;
    console.log(`${kind}: ended without a service after ${tookSec.toFixed(1)} s of ${recoveryBoundSec}`);
    await serve();
    await eventually(
      () => statusOf(runId),
      (status) => status !== "running",
      { withinMs: 60_000 },
    );
    await nothingLeft(runId);
  });
});
