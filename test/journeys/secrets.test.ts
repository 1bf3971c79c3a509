import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeAgent } from "../support/agent-programs.ts";
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
        for (const said of [
          value,
          encodeURIComponent(value),
          Buffer.from(value).toString("base64").slice(4, 24),
        ])
          expect(all).not.toContain(said);
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
