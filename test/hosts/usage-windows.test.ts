import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { hurriedService } from "../support/hurried-service.ts";

let database: TestDatabase;
let directory: string;
let service: Awaited<ReturnType<typeof hurriedService>>;
beforeAll(async () => {
  [database, directory] = await Promise.all([
    createDatabase(),
    mkdtemp(join(tmpdir(), "boardroom-windows-")),
  ]);
  const at = { dataDir: join(directory, "data"), databaseUrl: database.url, everyMs: 60_000 };
  service = await hurriedService(at, { SERVICE_SANDBOX: "off" });
});
afterAll(async () => {
  await service?.close();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

/** A claude that says what its script holds, and succeeds. */
const scriptClaude = async (limits: object | null) => {
  const lines = [
    { type: "system", subtype: "init", session_id: "7d0b9c1e-3f62-4a58-9c0f-0d6a6f2f8a11", model: "m" },
    ...(limits === null ? [] : [{ type: "rate_limit_event", rate_limit_info: limits }]),
    { type: "result", subtype: "success", is_error: false, result: "Done.", usage: {} },
  ];
  const path = join(directory, "claude");
  await writeFile(
    path,
    `#!/bin/sh\ncat <<'END'\n${lines.map((line) => JSON.stringify(line)).join("\n")}\nEND\n`,
  );
  await chmod(path, 0o755);
  return path;
};

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;

describe("The windows of an account's usage", () => {
  it("are shown with their age; a rejected one holds the account's new runs until its reset and a minute, a warning none", async () => {
    const { client } = service;
    const { id: companyId } = await client.companies.create({ name: "Windows" });
    const command = await scriptClaude({
      status: "allowed_warning",
      rateLimitType: "seven_day",
      utilization: 0.91,
      resetsAt: inSeconds(9_000),
      unifiedWindows: { five_hour: { status: "allowed", utilization: 0.2, resetsAt: inSeconds(3_600) } },
    });
    const agent = (name: string, env: Readonly<Record<string, string>> = {}) =>
      client.agents.create({
        companyId,
        name,
        adapterType: "adapter_a_local",
        adapterConfig: { command, env },
      });
    const [first, second, other] = [
      await agent("First"),
      await agent("Second"),
      await agent("Other", { CLAUDE_CONFIG_DIR: "/nowhere" }),
    ];
    const begin = async (agentId: string) => (await client.agents.invoke({ agentId })).id!;
    const ended = (runId: string) =>
      eventually(
        () => client.runs.get({ runId }),
        ({ status }) => status === "succeeded",
      );
    const windows = () => client.costs.usageWindows({ companyId });

    await ended(await begin(first.id));
    const agentIds = [first.id, second.id].sort();
    expect(await windows()).toMatchObject([
      {
        name: "five_hour",
        status: "allowed",
        usedPercent: 20,
        windowMinutes: 300,
        heldUntil: null,
        agentIds,
      },
      { name: "seven_day", status: "warning", usedPercent: 91, windowMinutes: 10_080, heldUntil: null },
    ]);

    await scriptClaude({ status: "rejected", rateLimitType: "five_hour", resetsAt: inSeconds(3_600) });
    // A warning holds nothing.
    await ended(await begin(second.id));
    const [rejected, warned] = await windows();
    expect(warned).toMatchObject({ name: "seven_day", status: "warning" });
    expect(rejected).toMatchObject({ name: "five_hour", status: "rejected", usedPercent: null });
    expect(rejected!.reportedAt > warned!.reportedAt).toBe(true);
    const until = Date.parse(rejected!.resetsAt!) + 60_000;
    expect(Date.parse(rejected!.heldUntil!)).toBe(until);

    await scriptClaude(null);
    const waitingRun = await begin(first.id);
    // Another account is not held; its run starts after the held one was found.
    await ended(await begin(other.id));
    expect(await client.runs.get({ runId: waitingRun })).toMatchObject({
      status: "queued",
      whatNext: expect.stringContaining(`until ${rejected!.heldUntil}`),
    });
    service.advance(3_600);
    await ended(await begin(other.id));
    expect((await client.runs.get({ runId: waitingRun })).status).toBe("queued");
    service.advance(61);
    await ended(waitingRun);
    expect((await windows())[0]).toMatchObject({ status: "rejected", heldUntil: null });
  });

  it.each([
    ["another company", { isOtherCompany: true, env: {} }],
    ["another home", { isOtherCompany: false, env: { HOME: "/elsewhere" } }],
    ["another key", { isOtherCompany: false, env: { ANTHROPIC_API_KEY: "another" } }],
  ])(
    "are not those of %s, which neither sees them nor waits for them",
    async (_, { isOtherCompany, env }) => {
      const { client } = service;
      const { id: limitedCompany } = await client.companies.create({ name: "Limited" });
      const freeCompany = isOtherCompany
        ? (await client.companies.create({ name: "Free" })).id
        : limitedCompany;
      const command = await scriptClaude({
        status: "rejected",
        rateLimitType: "five_hour",
        resetsAt: inSeconds(3_600),
      });
      const agent = async (
        companyId: typeof freeCompany,
        name: string,
        more: Readonly<Record<string, string>>,
      ) => {
        const adapterConfig = { command, env: { SHARED_KEY: "the same", ...more } };
        return (
          await client.agents.create({ companyId, name, adapterType: "adapter_a_local", adapterConfig })
        ).id;
      };
      const limited = await agent(limitedCompany, "Ada", {});
      const free = await agent(freeCompany, "Grace", env);
      const succeeds = async (agentId: typeof free) => {
        const { id: runId } = await client.agents.invoke({ agentId });
        await eventually(
          () => client.runs.get({ runId: runId! }),
          ({ status }) => status === "succeeded",
        );
      };
      await succeeds(limited);
      await scriptClaude(null);
      await succeeds(free);
      const windows = await client.costs.usageWindows({ companyId: freeCompany });
      expect(windows.flatMap(({ agentIds }) => agentIds)).toEqual(isOtherCompany ? [] : [limited]);
    },
  );
});
