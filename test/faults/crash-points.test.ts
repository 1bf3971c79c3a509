import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { type CrashPoint, crashPoints } from "../support/crash-points.ts";
import { eventually } from "../support/eventually.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { preparedDataDirectory } from "../support/prepared-data-directory.ts";
import { carriersOf, isLiving, recordedPids, stateOf } from "../support/run-processes.ts";
import { sampled } from "../support/sample.ts";
import { type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

const hostile = new URL("../support/hostile-agent.mjs", import.meta.url).pathname;
const victims = ["the service", "the child", "both", "the database"] as const;

let stoppingProgram: string;
let dataDir: string;
let service: ServiceProgram;
let admin: Client;
const worst = new Map<string, number>();

const serve = async (crashAt?: CrashPoint): Promise<void> => {
  service = await serveProgram(
    dataDir,
    // A committed transaction must outlive the death of the database.
    {
      SERVICE_LOG_LEVEL: "error",
      SERVICE_DATABASE_DURABLE: "true",
      ...(crashAt === undefined ? {} : { STOP_AT: crashAt }),
    },
    [],
    crashAt === undefined ? {} : { program: stoppingProgram },
  );
  admin = await service.board();
};

const gone = (program: ServiceProgram) =>
  eventually(
    async () => isLiving(program.child.pid!),
    (living) => !living,
  );

const postmaster = async (): Promise<number> => {
  const { execFileSync } = await import("node:child_process");
  const file = execFileSync("find", [dataDir, "-name", "postmaster.pid"], { encoding: "utf8" }).trim();
  return Number((await readFile(file, "utf8")).split("\n")[0]);
};

beforeAll(async () => {
  stoppingProgram = await buildStoppingProgram();
  dataDir = await preparedDataDirectory(await mkdtemp(join(memoryFolder(), "boardroom-crash-")));
});
afterEach(async () => {
  // Runs only after a failed test.
  if (!isLiving(service.child.pid!)) return;
  service.child.kill("SIGCONT");
  await service.stop();
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
  for (const [what, ms] of worst)
    console.log(`recovered from the death of ${what} within ${Math.round(ms)} ms`);
});

// A sample has each point, and each victim.
describe.each(crashPoints)("%s", (point) => {
  it.each(sampled(victims, 4, crashPoints.indexOf(point)))(
    "the death of %s leaves no run, lock or process behind, and the work continues",
    async (victim) => {
      const pids = join(dataDir, `pids-${point}-${victim.replace(" ", "-")}`);
      await serve(point);
      const { id: companyId } = await admin.companies.create({ name: "Storm" });
      const agent = await admin.agents.create({
        companyId,
        name: `Ada ${point} ${victim}`,
        adapterType: "process",
        adapterConfig: {
          command: process.execPath,
          args: [
            hostile,
            "ignore-term",
            "note",
            "setsid",
            "noted:2",
            "say:working",
            "wait:400",
            "finish-later",
            "exit:0",
          ],
          env: { PIDS: pids },
          graceSec: 0.3,
        },
      });
      const issue = await admin.issues.create({ companyId, title: "Outlive it", assigneeAgentId: agent.id });
      const pid = service.child.pid!;
      await eventually(
        async () => stateOf(pid),
        (state) => state === "T",
        { everyMs: 5 },
      );
      // The program and the child that left its session, even if the service has not recorded them.
      await eventually(
        async () => recordedPids(pids).length,
        (count) => count === 2,
      );

      if (victim === "the child" || victim === "both")
        for (const child of recordedPids(pids)) if (isLiving(child)) process.kill(child, "SIGKILL");
      if (victim === "the database") process.kill(await postmaster(), "SIGKILL");
      let from = performance.now();
      if (victim === "the service" || victim === "both") {
        process.kill(pid, "SIGKILL");
        await gone(service);
        from = performance.now();
        await serve();
      } else process.kill(pid, "SIGCONT");

      const first = await eventually(
        async () => {
          const runs = await admin.runs.list({ companyId, agentId: agent.id }).catch(() => null);
          return runs?.items.at(-1) ?? null;
        },
        (run) => run !== null && run.status !== "running" && carriersOf([run.id]).length === 0,
      );
      const tookMs = performance.now() - from;
      worst.set(victim, Math.max(worst.get(victim) ?? 0, tookMs));

      const done = await eventually(
        () => admin.issues.get({ issueId: issue.id }).catch(() => null),
        (seen) => seen?.status === "done" && seen.checkoutRunId === null,
      );
      expect(done?.assigneeAgentId).toBe(agent.id);
      const runs = await eventually(
        async () => (await admin.runs.list({ companyId, agentId: agent.id })).items,
        (all) => all.every(({ status }) => status !== "queued" && status !== "running"),
      );
      for (const { id, status, errorCode, error } of runs) {
        expect([id, errorCode === null, error === null]).toEqual([
          id,
          status === "succeeded",
          status === "succeeded",
        ]);
      }
      expect(carriersOf(runs.map(({ id }) => id))).toEqual([]);
      expect(recordedPids(pids).filter(isLiving)).toEqual([]);
      expect((await admin.agents.get({ agentId: agent.id })).status).toBe("idle");
      expect((await admin.system.health({})).wakesPending).toBe(0);

      const lost = (victim === "the service" || victim === "both") && point !== "after-finish";
      const retries = runs.filter(({ wakeReason }) => wakeReason === "process_lost_retry");
      expect(retries.map(({ retryOfRunId }) => retryOfRunId)).toEqual(lost ? [first!.id] : []);
      if (lost) expect(first).toMatchObject({ status: "interrupted", errorCode: "process_lost" });
      await service.stop();
    },
  );
});
