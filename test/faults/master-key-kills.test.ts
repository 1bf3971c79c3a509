import { execFile } from "node:child_process";
import { createHash, randomBytes, randomInt } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../hosts/library/client.ts";
import { rotationCrashPoints } from "../support/crash-points.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { memoryFolder } from "../support/memory-folder.ts";
import { isLiving, stateOf } from "../support/run-processes.ts";
import { times } from "../support/sample.ts";
import {
  program,
  refusedProgram,
  type ServiceProgram,
  type StartOptions,
  serveProgram,
} from "../support/service-program.ts";
import { buildStoppingProgram } from "../support/stopping-program.ts";

const fingerprintOf = (text: string) =>
  createHash("sha256").update(Buffer.from(text.trim(), "base64")).digest("hex").slice(0, 16);

/** Rotates by the command line. */
const rotateByCommand = (dataDir: string): Promise<{ readonly code: number; readonly output: string }> =>
  new Promise((resolve) => {
    execFile(
      process.execPath,
      [program, "secrets", "rotate-master-key", "--json"],
      { env: { PATH: process.env.PATH, SERVICE_DATA_DIR: dataDir } },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : Number(error.code), output: `${stdout}${stderr}` }),
    );
  });

const stopped = (pid: number) =>
  eventually(
    async () => stateOf(pid),
    (state) => state === "T",
    { everyMs: 5 },
  );
const killed = async (service: ServiceProgram) => {
  service.child.kill("SIGKILL");
  await eventually(
    async () => isLiving(service.child.pid!),
    (living) => !living,
  );
};

const secretValueOf = (name: string) => `kept-through-it-all-${name}`;

/** An agent whose program succeeds if every variable holds the value stored under its name. */
const bind = (names: ReadonlyMap<string, string>) => ({
  command: "/bin/sh",
  args: ["-c", [...names.keys()].map((name) => `[ "$${name}" = "${secretValueOf(name)}" ]`).join(" && ")],
  env: Object.fromEntries(
    [...names].map(([name, secretId]) => [
      name,
      { type: "secret_ref" as const, secretId, version: "latest" as const },
    ]),
  ),
});

const started: ServiceProgram[] = [];
const directories: string[] = [];
/** Of the test: the keys of its values are under its master key. */
let database: TestDatabase;
const serve = async (dataDir: string, env: Record<string, string> = {}, around: StartOptions = {}) => {
  const all = { SERVICE_LOG_LEVEL: "error", DATABASE_URL: database.url, ...env };
  const service = await serveProgram(dataDir, all, [], around);
  started.push(service);
  return { service, admin: await service.board() };
};
let stoppingProgram: string;
beforeAll(async () => {
  stoppingProgram = await buildStoppingProgram();
});
beforeEach(async () => {
  database = await createDatabase();
});
const directory = async () => {
  const path = await mkdtemp(join(memoryFolder(), "boardroom-keys-"));
  directories.push(path);
  return path;
};
afterEach(async () => {
  for (const service of started.splice(0)) {
    service.child.kill("SIGCONT");
    await service.stop();
  }
  for (const path of directories.splice(0)) await rm(path, { recursive: true, force: true });
  await database.drop();
});

const reads = async (admin: Client, agentId: string) => {
  // No run that was lost with the service is still being ended.
  const { id } = await eventually(
    () => admin.agents.invoke({ agentId }),
    (wake) => wake.id !== null,
  );
  const run = await eventually(
    () => admin.runs.get({ runId: id! }),
    ({ finishedAt }) => finishedAt !== null,
  );
  expect(run).toMatchObject({ status: "succeeded", errorCode: null });
};
const masterKey = async (admin: Client) => (await admin.system.health({})).masterKeyFingerprint!;

/** A company with secrets and an agent that reads them. */
const reader = async (admin: Client, name: string) => {
  const { id: companyId } = await admin.companies.create({ name });
  const names = new Map<string, string>();
  for (const key of ["ONE", "TWO"])
    names.set(key, (await admin.secrets.create({ companyId, name: key, value: secretValueOf(key) })).id);
  const agent = await admin.agents.create({
    companyId,
    name: "Reader",
    adapterType: "process",
    adapterConfig: bind(names),
  });
  return { companyId, agentId: agent.id, names };
};

describe("a service that is killed during a rotation of the master key", () => {
  it.each(rotationCrashPoints)(
    "at %s opens every value at the next start, with the key that the database names, and refuses another",
    async (point) => {
      const dataDir = await directory();
      const keyFile = join(dataDir, "master.key");
      const first = await serve(dataDir, { STOP_ROTATION_AT: point }, { program: stoppingProgram });
      const one = await reader(first.admin, "One");
      const two = await reader(first.admin, "Two");
      await reads(first.admin, one.agentId);
      const before = await readFile(keyFile, "utf8");
      const command = rotateByCommand(dataDir);
      await stopped(first.service.child.pid!);
      await killed(first.service);
      const result = await command;
      expect(result.code).toBe(1);
      expect(result.output).not.toContain('"to"');

      const second = await serve(dataDir);
      const changed = point === "database-changed" || point === "key-adopted";
      const now = await masterKey(second.admin);
      expect(now === fingerprintOf(before)).toBe(!changed);
      expect(fingerprintOf(await readFile(keyFile, "utf8"))).toBe(now);
      for (const { agentId } of [one, two]) await reads(second.admin, agentId);
      const again = await second.admin.secrets.rotateMasterKey({});
      expect(await masterKey(second.admin)).toBe(again.to);
      for (const { agentId } of [one, two]) await reads(second.admin, agentId);
      await second.service.stop();

      // With any other key it refuses to start, and names the missing one.
      expect(fingerprintOf(await readFile(keyFile, "utf8"))).toBe(again.to);
      await writeFile(keyFile, before);
      const refused = await refusedProgram(dataDir, { DATABASE_URL: database.url });
      expect(refused.code).toBe(1);
      expect(refused.output).toContain(again.to);
      expect(refused.output).toContain(fingerprintOf(before));
      expect(await readFile(keyFile, "utf8")).toBe(before);
    },
  );

  it("at any moment, repeatedly, during reads and writes of values, loses none", async () => {
    const dataDir = await directory();
    let now = await serve(dataDir);
    const { companyId, agentId, names } = await reader(now.admin, "Storm");
    const fingerprints = new Set([await masterKey(now.admin)]);
    const rounds = times(3, 15);
    for (let round = 0; round < rounds; round++) {
      const { admin, service } = now;
      let over = false;
      const busy = (async () => {
        for (let n = 0; !over; n++) {
          // The first value of a company creates its key, during the rotation.
          const name = `R${round}N${n}`;
          const { id: other } = await admin.companies.create({ name });
          await admin.secrets.create({ companyId: other, name, value: secretValueOf(name) });
          const made = await admin.secrets.create({ companyId, name, value: secretValueOf(name) });
          names.set(name, made.id);
          await admin.agents.invoke({ agentId });
        }
      })().catch(() => {});
      await eventually(
        async () => names.has(`R${round}N0`),
        (made) => made,
        { everyMs: 2 },
      );
      const rotating = admin.secrets.rotateMasterKey({}).catch(() => null);
      await sleep(randomInt(45));
      await killed(service);
      over = true;
      await Promise.all([busy, rotating]);
      now = await serve(dataDir);
      fingerprints.add(await masterKey(now.admin));
      // The values whose creation was answered; 40 of them fit into a command line.
      const bound = new Map([...names].slice(-40));
      await now.admin.agents.update({ agentId, adapterConfig: bind(bound) });
      await reads(now.admin, agentId);
    }
    const runs = await now.admin.runs.list({ companyId, limit: 500 });
    const codes = new Set(runs.items.map(({ errorCode }) => errorCode));
    for (const code of codes) expect([null, "process_lost", "service_shutdown"]).toContain(code);
    console.log(
      `${rounds} kills, ${fingerprints.size - 1} of the changes had been made; ${names.size} values, ${runs.items.length} runs`,
    );
  });

  it.each(["keys-rewrapped", "database-changed"] as const)(
    "at %s, while another service of the same database reads, disturbs none of its runs",
    async (point) => {
      const [old, next] = [randomBytes(32).toString("base64"), randomBytes(32).toString("base64")];
      const env = {
        DATABASE_URL: database.url,
        SERVICE_SECRETS_MASTER_KEY: old,
        SERVICE_SECRETS_MASTER_KEY_NEXT: next,
      };
      const [changingDir, readingDir] = [await directory(), await directory()];
      const reading = await serve(readingDir, env);
      const token = await reading.service.token();
      await writeFile(join(changingDir, "board-token"), `${token}\n`, { mode: 0o600 });
      const { agentId } = await reader(reading.admin, "Shared");
      const changing = await serveProgram(
        changingDir,
        { ...env, STOP_ROTATION_AT: point, SERVICE_LOG_LEVEL: "error" },
        ["--role", "api"],
        { program: stoppingProgram },
      );
      started.push(changing);
      const rotating = fetch(`${changing.url}/api/master-key/rotate`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: "{}",
      }).catch(() => null);
      await stopped(changing.child.pid!);
      await reads(reading.admin, agentId);
      await killed(changing);
      await rotating;
      await reads(reading.admin, agentId);
      const changed = point === "database-changed";
      const name = changed ? next : old;
      expect(await masterKey(reading.admin)).toBe(fingerprintOf(name));
      // A company that stores its first value now.
      await reads(reading.admin, (await reader(reading.admin, "Late")).agentId);
      // A new process needs the key that the database names, as current or next key.
      const other = changed ? old : next;
      const alone = { DATABASE_URL: database.url };
      const refused = await refusedProgram(changingDir, { ...alone, SERVICE_SECRETS_MASTER_KEY: other });
      expect(refused.code).toBe(1);
      for (const key of [name, other]) expect(refused.output).toContain(fingerprintOf(key));
      for (const accepted of [
        { ...alone, SERVICE_SECRETS_MASTER_KEY: name },
        { ...alone, SERVICE_SECRETS_MASTER_KEY: other, SERVICE_SECRETS_MASTER_KEY_NEXT: name },
      ])
        if (changed || accepted.SERVICE_SECRETS_MASTER_KEY === name) {
          const service = await serveProgram(changingDir, accepted, ["--role", "api"]);
          expect(await service.stop()).toBe(0);
        }
    },
  );

  it("requested twenty times at once rotates it twenty times in sequence, and the last is the current one", async () => {
    const dataDir = await directory();
    const first = await serve(dataDir);
    const { agentId } = await reader(first.admin, "Queue");
    const done = await Promise.all(Array.from({ length: 20 }, () => first.admin.secrets.rotateMasterKey({})));
    expect(new Set(done.map(({ to }) => to)).size).toBe(20);
    const byCommand = await rotateByCommand(dataDir);
    expect(byCommand.code).toBe(0);
    expect(await masterKey(first.admin)).toBe(JSON.parse(byCommand.output).to);
    await reads(first.admin, agentId);
    await first.service.stop();
    const second = await serve(dataDir);
    await reads(second.admin, agentId);
    expect(fingerprintOf(await readFile(join(dataDir, "master.key"), "utf8"))).toBe(
      await masterKey(second.admin),
    );
  });
});
