import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readConfig } from "../../hosts/composition/config.ts";
import { companyMoves } from "../../hosts/composition/wiring/company-move.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { type ChangeOfCompany, changedCompany } from "../support/changed-company.ts";
import { eventually } from "../support/eventually.ts";
import { startService, type TestService } from "../support/service.ts";

describe("an agent uses a secret", () => {
  let service: TestService;
  let companyId: string;
  beforeAll(async () => {
    service = await startService();
    companyId = (await service.admin.companies.create({ name: "Vault Works" })).id;
  });
  afterAll(() => service?.stop());

  const runOf = async (agentId: string) => {
    const invoked = await service.admin.agents.invoke({ agentId });
    return eventually(
      () => service.admin.runs.get({ runId: invoked.id! }),
      ({ finishedAt }) => finishedAt !== null,
    );
  };
  const logOf = async (runId: string) =>
    (await service.admin.runs.log({ runId })).content
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { chunk: string }).chunk)
      .join("");
  const lengthOf = (value: string) =>
    `it has ${value.length} characters and ends in ${value.charCodeAt(value.length - 1)}`;

  it("that is rotated: the next heartbeat of an agent bound to the latest version has the new value", async () => {
    const { admin } = service;
    const first = "first-value-of-the-secret-a";
    const second = "second-value-of-the-secret-which-is-longer-b";
    const secret = await admin.secrets.create({ companyId, name: "Rotated", value: first });
    expect(JSON.stringify(secret)).not.toContain(first);
    const program = nodeAgent(`
const value = process.env.THE_SECRET;
console.log("it has " + value.length + " characters and ends in " + value.charCodeAt(value.length - 1));
console.log("plain " + value + " base64 " + Buffer.from("x" + value).toString("base64") + " json " + JSON.stringify(JSON.stringify(value)));
process.stdout.write(value.slice(0, 9));
await new Promise((resolve) => setTimeout(resolve, 300));
process.stdout.write(value.slice(9) + "\\n");
console.error(encodeURIComponent(value));
`);
    const env = (version: number | "latest") => ({
      THE_SECRET: { type: "secret_ref" as const, secretId: secret.id, version },
    });
    const follower = await admin.agents.create({
      companyId,
      name: "Follower",
      adapterType: "process",
      adapterConfig: { ...program, env: env("latest") },
    });
    const pinned = await admin.agents.create({
      companyId,
      name: "Pinned",
      adapterType: "process",
      adapterConfig: { ...program, env: env(1) },
    });
    const firstRun = await runOf(follower.id);
    expect(firstRun).toMatchObject({ status: "succeeded" });
    const firstLog = await logOf(firstRun.id);
    expect(firstLog).toContain(lengthOf(first));
    expect(firstLog).toContain("plain •••• base64");

    const rotated = await admin.secrets.rotate({ secretId: secret.id, value: second });
    expect(rotated).toMatchObject({ latestVersion: 2, referenceCount: 2 });
    const secondRun = await runOf(follower.id);
    const pinnedRun = await runOf(pinned.id);
    expect(await logOf(secondRun.id)).toContain(lengthOf(second));
    expect(await logOf(pinnedRun.id)).toContain(lengthOf(first));

    for (const run of [firstRun, secondRun, pinnedRun]) {
      const all = JSON.stringify([await admin.runs.get({ runId: run.id }), await logOf(run.id)]);
      for (const value of [first, second])
        for (const text of [
          value,
          encodeURIComponent(value),
          Buffer.from(value).toString("base64").slice(4, 24),
        ])
          expect(all).not.toContain(text);
    }
    const events = await admin.secrets.accessEvents({ secretId: secret.id });
    expect(events.items.map(({ version, outcome, consumerId }) => [version, outcome, consumerId])).toEqual([
      [1, "success", pinned.id],
      [2, "success", follower.id],
      [1, "success", follower.id],
    ]);
    expect((await admin.secrets.usage({ secretId: secret.id })).bindings).toMatchObject([
      { agentId: follower.id, configPath: "env.THE_SECRET", version: "latest" },
      { agentId: pinned.id, configPath: "env.THE_SECRET", version: 1 },
    ]);
    expect(
      (await admin.secrets.versions({ secretId: secret.id })).items.map(({ version, status }) => [
        version,
        status,
      ]),
    ).toEqual([
      [2, "current"],
      [1, "previous"],
    ]);
  });

  it("that is disabled: the run fails before its program starts, with a code, and the request is logged", async () => {
    const { admin } = service;
    const secret = await admin.secrets.create({ companyId, name: "Disabled", value: "soon-disabled" });
    const agent = await admin.agents.create({
      companyId,
      name: "Unlucky",
      adapterType: "process",
      adapterConfig: {
        ...nodeAgent(`console.log("it started")`),
        env: { S: { type: "secret_ref", secretId: secret.id, version: "latest" } },
      },
    });
    await admin.secrets.update({ secretId: secret.id, status: "disabled" });
    const run = await runOf(agent.id);
    expect(run).toMatchObject({ status: "failed", errorCode: "secret_disabled", process: null });
    expect(run.logBytes).toBe(0);
    expect((await admin.secrets.accessEvents({ secretId: secret.id })).items).toMatchObject([
      { outcome: "failure", errorCode: "secret_disabled", heartbeatRunId: run.id },
    ]);
  });

  it("that is too short to be masked: binding it warns", async () => {
    const { admin } = service;
    const secret = await admin.secrets.create({ companyId, name: "Short", value: "12345" });
    expect(secret.masked).toBe(false);
    const agent = await admin.agents.create({
      companyId,
      name: "Shorty",
      adapterType: "process",
      adapterConfig: {
        ...nodeAgent(`console.log(process.env.PIN)`),
        env: { PIN: { type: "secret_ref", secretId: secret.id, version: "latest" } },
      },
    });
    expect(agent.warnings).toEqual([expect.stringContaining("env.PIN")]);
    const run = await runOf(agent.id);
    expect(await logOf(run.id)).toBe("12345\n");
  });

  it.each([
    [
      "of another company",
      async () => {
        const other = await service.admin.companies.create({ name: "Elsewhere" });
        return {
          secretId: (await service.admin.secrets.create({ companyId: other.id, name: "S", value: "theirs" }))
            .id,
        };
      },
      "reference_not_found",
    ],
    [
      "that is missing",
      async () => ({ secretId: "00000000-0000-7000-8000-000000000000" }),
      "reference_not_found",
    ],
    [
      "in a version that is missing",
      async () => ({
        secretId: (await service.admin.secrets.create({ companyId, name: "Once", value: "only-one" })).id,
        version: 2,
      }),
      "secret_version_missing",
    ],
    [
      "that is disabled",
      async () => {
        const { id } = await service.admin.secrets.create({ companyId, name: "Off", value: "disabled" });
        await service.admin.secrets.update({ secretId: id, status: "disabled" });
        return { secretId: id };
      },
      "secret_disabled",
    ],
  ])("but is not bound to one %s", async (_, make, code) => {
    const answer = await service.request("POST", `/api/companies/${companyId}/agents`, {
      body: {
        name: "Binder",
        adapterType: "process",
        adapterConfig: { command: "true", env: { S: { type: "secret_ref", ...(await make()) } } },
      },
    });
    expect([answer.status, answer.body.code]).toEqual([422, code]);
  });

  describe("in a company that was moved", () => {
    const moves = async <T>(work: (folder: string, config: ReturnType<typeof readConfig>) => Promise<T>) => {
      const folder = await mkdtemp(join(tmpdir(), "moved-secrets-"));
      const config = readConfig({
        SERVICE_DATA_DIR: service.dataDir,
        DATABASE_URL: service.databaseUrl,
        SERVICE_SECRETS_MASTER_KEY: "00".repeat(32),
      });
      return work(folder, config).finally(() => rm(folder, { recursive: true, force: true }));
    };
    /** A company with an agent whose program tells the length of the value and writes it. */
    const original = async (value: string) => {
      const { id } = await service.admin.companies.create({ name: "Moves" });
      const secret = await service.admin.secrets.create({ companyId: id, name: "Moved", value });
      await service.admin.agents.create({
        companyId: id,
        name: "Mover",
        adapterType: "process",
        adapterConfig: {
          ...nodeAgent(
            `const s = process.env.S; console.log("it has " + s.length + " characters and ends in " + s.charCodeAt(s.length - 1) + s);`,
          ),
          env: { S: { type: "secret_ref", secretId: secret.id, version: "latest" } },
        },
      });
      return { id, secretId: secret.id };
    };
    const runIn = async (copyId: string) => {
      await service.admin.companies.resume({ companyId: copyId });
      const items = await service.admin.agents.list({ companyId: copyId });
      return runOf(items[0]!.id);
    };

    it("by a file with a passphrase: the copy works when it is resumed, with the value, which no route shows", () =>
      moves(async (folder, config) => {
        const value = "moved-with-its-company-41c8";
        const { id, secretId } = await original(value);
        const file = { passphrase: "correct horse battery", path: join(folder, "file") };
        await companyMoves.export(config, { ...file, company: id, to: file.path });
        const copy = await companyMoves.import(config, { ...file, name: "Moved", dryRun: false });
        expect(copy.wanted.secrets).toEqual([]);
        const copyId = copy.companyId!;
        const run = await runIn(copyId);
        expect(run).toMatchObject({ status: "succeeded", companyId: copyId });
        expect(await logOf(run.id)).toContain(lengthOf(value));
        const items = await service.admin.secrets.list({ companyId: copyId });
        expect(items.map((each) => each.id)).not.toContain(secretId);
        const shown = await Promise.all([
          service.admin.secrets.get({ secretId: items[0]!.id }),
          service.admin.secrets.versions({ secretId: items[0]!.id }),
          service.admin.agents.list({ companyId: copyId }),
          service.admin.activity.list({ companyId: copyId }),
          logOf(run.id),
        ]);
        expect(JSON.stringify([items, run, ...shown])).not.toContain(value);
      }));

    it("by a file that names a secret of another company, here or at a provider: no run gets one", () =>
      moves(async (folder, config) => {
        const other = await service.admin.companies.create({ name: "Neighbour" });
        const theirs = await service.admin.secrets.create({
          companyId: other.id,
          name: "S",
          value: "theirs",
        });
        const { id } = await original("own");
        const [clear, path] = [join(folder, "clear"), join(folder, "hostile")];
        await companyMoves.export(config, { company: id, to: clear, passphrase: null });
        const imported = async (change: ChangeOfCompany) => {
          await changedCompany(clear, path, change);
          const copy = await companyMoves.import(config, {
            path,
            passphrase: null,
            name: "Hostile",
            dryRun: false,
          });
          expect(copy.wanted.secrets).toEqual(["Moved"]);
          return runIn(copy.companyId!);
        };
        const here = await imported({
          rows: {
            agents: (row) =>
              (row.adapter_config = row.adapter_config!.replace(/("secretId": ?")[^"]*/, `$1${theirs.id}`)),
          },
        });
        expect(here).toMatchObject({ status: "failed", errorCode: "secret_not_found" });
        const there = await imported({
          rows: {
            secrets: (row) => {
              row.provider = "cloud_a_secrets_manager";
              row.managed_mode = "external_reference";
              row.external_ref = row.canonical_ref = `boardroom/default/${other.id}/s`;
            },
            secret_versions: (row) => {
              row.sealed = "\\N";
              row.external_ref = `boardroom/default/${other.id}/s`;
            },
          },
        });
        expect(there).toMatchObject({ status: "failed", errorCode: "secret_version_disabled" });
        const items = await service.admin.secrets.list({ companyId: there.companyId });
        expect(items).toMatchObject([{ provider: "local_encrypted", externalRef: null }]);
      }));
  });

  it("and never prints its own credential into the log", async () => {
    const agent = await service.admin.agents.create({
      companyId,
      name: "Chatty",
      adapterType: "process",
      adapterConfig: nodeAgent(`console.log("key " + token); console.error(JSON.stringify({ token }))`),
    });
    const run = await runOf(agent.id);
    expect(await logOf(run.id)).not.toMatch(/eyJ[\w-]+\./);
  });
});
