import { execFileSync, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { eventually } from "../support/eventually.ts";
import { carriersOf, isLiving } from "../support/run-processes.ts";
import { program, type ServiceProgram, serveProgram } from "../support/service-program.ts";
import { type AttackedService, attackedService, ordinaryUser } from "./attacked-service.ts";
import { installations } from "./attempts/installations.ts";
import { carryOut } from "./carry-out.ts";

type Who = "root" | "user";

const settings = { SERVICE_LEASE_SEC: "3", SERVICE_HANDOVER_SEC: "120" };

const as = (who: Who): readonly string[] =>
  who === "root" ? [] : ["setpriv", `--reuid=${ordinaryUser}`, `--regid=${ordinaryUser}`, "--clear-groups"];

/** Runs the program of the service, as its user. */
const command = (who: Who, folder: string, dataDir: string, ...args: string[]) => {
  const [first = "", ...rest] = [...as(who), process.execPath, program, ...args];
  const env = { PATH: process.env.PATH, HOME: folder, SERVICE_DATA_DIR: dataDir };
  return execFileSync(first, rest, { env: { ...env, SERVICE_DATABASE_DURABLE: "false" }, encoding: "utf8" });
};

const startCopy = async (who: Who, folder: string) => {
  const env = { SERVICE_SANDBOX: "", HOME: folder, ...settings };
  const service = await serveProgram(join(folder, "copy"), env, [], { through: as(who), cwd: folder });
  return { service, board: await service.board() };
};

/** A run whose program lives on. */
const liveRun = async ({ board, invoke }: AttackedService, company: string) => {
  const { runId } = await invoke(company, { command: "sleep", args: ["600"], graceSec: 1 });
  await eventually(
    () => board.runs.get({ runId }),
    ({ status }) => status === "running",
  );
  const pids = await eventually(
    async () => carriersOf([runId]),
    (found) => found.length > 0,
  );
  return { runId, pids };
};

/** A process that carries the mark of an ended run: a service that ends such processes ends it. */
const leftover = (who: Who, dataDir: string, runId: string) => {
  const { id } = JSON.parse(readFileSync(join(dataDir, "installation"), "utf8")) as { id: string };
  const [first = "", ...rest] = [...as(who), "sleep", "600"];
  const env = { PATH: process.env.PATH, SERVICE_RUN_ID: runId, SERVICE_INSTALLATION_ID: id };
  return spawn(first, rest, { env, stdio: "ignore", detached: true }).pid!;
};

/** The copy has given its own run up, and has compared its runs with the processes of the machine since. */
const copyHasLooked = async (who: Who, copy: ServiceProgram, board: Client, runId: string) => {
  await eventually(
    () => board.runs.get({ runId }),
    ({ status }) => status === "interrupted",
  );
  const own = leftover(who, copy.dataDir, runId);
  await expect.poll(() => isLiving(own), { timeout: 60_000 }).toBe(false);
};

const goesOn = async (attacked: AttackedService, runId: string, pids: readonly number[]) => {
  expect(carriersOf([runId])).toEqual(expect.arrayContaining([...pids]));
  expect(await attacked.board.runs.get({ runId })).toMatchObject({ status: "running" });
  await attacked.board.runs.cancel({ runId });
  expect(await attacked.ended(runId)).toMatchObject({ status: "cancelled" });
  await expect.poll(() => carriersOf([runId]), { timeout: 60_000 }).toEqual([]);
};

carryOut(installations, ["root", "user"], {
  "restored-copy": async (who) => {
    const attacked = await attackedService(who, settings);
    const { folder, dataDir } = attacked;
    let copy: Awaited<ReturnType<typeof startCopy>> | null = null;
    try {
      const company = (await attacked.board.companies.create({ name: "Acme" })).id;
      const { runId, pids } = await liveRun(attacked, company);
      const { runId: endedRun } = await attacked.invoke(company, { command: "true" });
      await attacked.ended(endedRun);
      command(who, folder, dataDir, "backup", "--to", join(folder, "backups"));
      const [file = ""] = readdirSync(join(folder, "backups"));
      const [first = "", ...rest] = [...as(who), "sh", "-c", "mkdir -m 700 copy && cp data/master.key copy/"];
      execFileSync(first, rest, { cwd: folder });
      command(who, folder, join(folder, "copy"), "restore", join(folder, "backups", file));
      copy = await startCopy(who, folder);
      await eventually(
        () => copy!.board.runs.get({ runId }),
        ({ status }) => status === "interrupted",
      );
      const orphaned = leftover(who, join(folder, "copy"), endedRun);
      // It ends nothing before the release, and lives on a round or more because the copy starts once again.
      await copy.service.stop();
      copy = await startCopy(who, folder);
      expect(isLiving(orphaned)).toBe(true);
      await copy.board.system.releaseAfterRestore();
      await expect.poll(() => isLiving(orphaned), { timeout: 60_000 }).toBe(false);
      await goesOn(attacked, runId, pids);
    } finally {
      await copy?.service.stop();
      await attacked.close();
    }
  },
  "copied-data-directory": async (who) => {
    const attacked = await attackedService(who, settings);
    const { folder, dataDir } = attacked;
    let copy: Awaited<ReturnType<typeof startCopy>> | null = null;
    try {
      const company = (await attacked.board.companies.create({ name: "Acme" })).id;
      const { runId, pids } = await liveRun(attacked, company);
      await attacked.service.stop();
      expect(carriersOf([runId])).toEqual(expect.arrayContaining([...pids]));
      execFileSync("cp", ["-a", dataDir, join(folder, "copy")]);
      copy = await startCopy(who, folder);
      expect(copy.service.output()).toContain(`is a copy of ${dataDir}`);
      await copyHasLooked(who, copy.service, copy.board, runId);
      await attacked.restart();
      await goesOn(attacked, runId, pids);
    } finally {
      await copy?.service.stop();
      await attacked.close();
    }
  },
});
