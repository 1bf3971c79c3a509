import fs from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLog } from "../../hosts/composition/log.ts";
import { nodeAgent } from "../support/agent-programs.ts";
import { eventually } from "../support/eventually.ts";
import { region, type SecretsManager, startSecretsManager, variablesOf } from "../support/secrets-manager.ts";
import { type RawAnswer, startService, type TestService } from "../support/service.ts";

/** Values that must not appear anywhere, each with its path through the service. */
const canaries = {
  created: "canary-created-5b1d77c2-äö/+?&",
  rotated: 'canary-rotated-c0ffee42-"quoted"\\',
  cloud: "canary-cloud-91ab30fe",
  imported: "canary-imported-1f2e3d4c",
  refused: "canary-refused-88aa77bb",
  login: "canary-login-deadbeef",
} as const;

const forms = (value: string): string[] => [
  value,
  JSON.stringify(value).slice(1, -1),
  encodeURIComponent(value),
  ...[0, 1, 2].map((before) =>
    Buffer.from("x".repeat(before) + value)
      .toString("base64")
      .slice(4, -4),
  ),
];
const sought = Object.entries(canaries).flatMap(([name, value]) =>
  forms(value).map((form) => [name as string, form] as [string, string]),
);
const foundIn = (text: string): string[] => [
  ...new Set(sought.filter(([, form]) => text.includes(form)).map(([name]) => name)),
];

describe("no canary value appears", () => {
  let service: TestService;
  let manager: SecretsManager;
  const before = { ...process.env };
  const answers: string[] = [];
  const serverLog: string[] = [];
  const commandLines = new Set<string>();
  let watching = true;
  let watch: Promise<void>;
  const { writeSync } = fs;

  const ask = async (method: string, path: string, body?: unknown, token?: string): Promise<RawAnswer> => {
    const answer = await service.request(method, path, {
      ...(body === undefined ? {} : { body }),
      ...(token === undefined ? {} : { token }),
    });
    answers.push(JSON.stringify(answer.body), JSON.stringify([...answer.headers]));
    return answer;
  };

  beforeAll(async () => {
    manager = await startSecretsManager();
    Object.assign(process.env, variablesOf(manager));
    // The service writes its log to the descriptor itself.
    fs.writeSync = ((to: number, chunk: string | Uint8Array, ...rest: never[]) => {
      if (to !== 2) return writeSync(to, chunk as Uint8Array, ...rest);
      serverLog.push(Buffer.from(chunk as Uint8Array).toString());
      return Buffer.byteLength(chunk);
    }) as typeof fs.writeSync;
    service = await startService({
      env: { SERVICE_CLOUD_A_ENDPOINT: manager.url, SERVICE_LOG_LEVEL: "trace" },
    });
    watch = (async () => {
      while (watching) {
        for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name)))
          commandLines.add(await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
  });
  afterAll(async () => {
    watching = false;
    await watch;
    fs.writeSync = writeSync;
    process.env = before;
    await service?.stop();
    await manager?.stop();
  });

  it("in log, run logs, database, blobs, answers or command lines, whatever is done with it", async () => {
    const company = (await ask("POST", "/api/companies", { name: "Mine" })).body.id;
    const inCompany = `/api/companies/${company}`;
    // Creation, rotation, and every refusal.
    const secret = (await ask("POST", `${inCompany}/secrets`, { name: "one", value: canaries.created })).body
      .id;
    expect((await ask("POST", `/api/secrets/${secret}/rotate`, { value: canaries.rotated })).status).toBe(
      200,
    );
    const { refused } = canaries;
    for (const [path, body] of [
      [`${inCompany}/secrets`, { name: "one", value: refused }],
      [`${inCompany}/secrets`, { name: "x", value: refused, provider: "external_vault" }],
      [`${inCompany}/secrets`, { name: "x", value: [refused] }],
      [`${inCompany}/secrets`, { name: "x", value: refused, unknown: refused }],
      [`${inCompany}/secrets`, { name: "x", value: refused, providerConfigId: refused }],
      [`/api/secrets/${secret}/rotate`, { value: `${refused}\u0000` }],
      [`/api/secrets/${secret}/rotate`, { value: refused, providerConfigId: refused }],
      [
        `${inCompany}/secret-provider-configs`,
        { provider: "external_vault", displayName: "v", config: { password: refused } },
      ],
      [
        `${inCompany}/secret-provider-configs`,
        { provider: "local_encrypted", displayName: "v", config: { a: { jwt: refused } } },
      ],
    ] as const)
      expect((await ask("POST", path, body)).status).toBeGreaterThanOrEqual(400);
    // Failed logins.
    for (const token of [canaries.login, `brd_${canaries.login}`])
      expect((await ask("GET", inCompany, undefined, token)).status).toBe(401);
    await ask("POST", "/api/session", { token: canaries.login });
    // The cloud, also with long error messages.
    const vault = (
      await ask("POST", `${inCompany}/secret-provider-configs`, {
        provider: "cloud_a_secrets_manager",
        displayName: "Cloud",
        config: { region },
      })
    ).body.id;
    const toCloud = (name: string) =>
      ask("POST", `${inCompany}/secrets`, {
        name,
        value: canaries.cloud,
        provider: "cloud_a_secrets_manager",
        providerConfigId: vault,
      });
    const cloudSecret = (await toCloud("cloudy")).body.id;
    manager.deny("CreateSecret", "PutSecretValue");
    expect((await toCloud("denied")).status).toBe(403);
    manager.deny();
    manager.put("remote/one", canaries.imported);
    await ask("POST", `${inCompany}/secrets/remote-import/preview`, { providerConfigId: vault });
    const imported = await ask("POST", `${inCompany}/secrets/remote-import`, {
      providerConfigId: vault,
      secrets: [
        { externalRef: "remote/one", name: "from afar" },
        { externalRef: "remote/two", value: refused },
      ],
    });
    const importedSecret = imported.body.results[0].secretId;
    expect(importedSecret).toBeTruthy();
    // A webhook's secret: shown once, in the answer that creates it, and stored as ciphertext.
    const project = (await ask("POST", `${inCompany}/projects`, { name: "P" })).body.id;
    const caller = (
      await ask("POST", `${inCompany}/agents`, {
        name: "Called",
        adapterType: "process",
        adapterConfig: { command: "true" },
      })
    ).body.id;
    const routine = (
      await ask("POST", `${inCompany}/routines`, { title: "R", assigneeAgentId: caller, projectId: project })
    ).body.id;
    const trigger = await service.request("POST", `/api/routines/${routine}/triggers`, {
      body: { kind: "webhook" },
    });
    expect(trigger.body.secret).toMatch(/.{16}/);
    sought.push(["webhook", trigger.body.secret]);
    // A hostile program that has all values, and prints them in every way.
    const hostile = nodeAgent(`
const values = [process.env.A, process.env.B, process.env.C];
for (const value of values) {
  console.log(value, JSON.stringify({ value }), JSON.stringify(JSON.stringify(value)), encodeURIComponent(value));
  for (const before of ["", "x", "xy"]) console.error(Buffer.from(before + value + "tail").toString("base64"));
  for (const part of value.match(/.{1,5}/gs)) { process.stdout.write(part); await new Promise((r) => setTimeout(r, 5)); }
  console.log();
}
console.log(JSON.stringify(process.env));
throw new Error("failing with " + values.join(" and "));
`);
    const ref = (secretId: string) => ({ type: "secret_ref", secretId, version: "latest" });
    const agent = (
      await ask("POST", `${inCompany}/agents`, {
        name: "Hostile",
        adapterType: "process",
        adapterConfig: {
          ...hostile,
          env: { A: ref(secret), B: ref(cloudSecret), C: ref(importedSecret) },
        },
      })
    ).body.id;
    const run = (await ask("POST", `/api/agents/${agent}/heartbeat/invoke`)).body.id;
    const ended = await eventually(
      () => ask("GET", `/api/heartbeat-runs/${run}`),
      ({ body }) => body.finishedAt !== null,
    );
    expect(ended.body).toMatchObject({ status: "failed" });
    expect(ended.body.lastOutput).toContain("••••");
    // A run whose value cannot be resolved.
    manager.goAway();
    const away = (await ask("POST", `/api/agents/${agent}/heartbeat/invoke`)).body.id;
    const failed = await eventually(
      () => ask("GET", `/api/heartbeat-runs/${away}`),
      ({ body }) => body.finishedAt !== null,
    );
    expect(failed.body.errorCode).toBe("secret_provider_unavailable");
    manager.comeBack();

    for (const path of [
      `/api/routines/${routine}`,
      `${inCompany}/secrets`,
      `${inCompany}/secret-provider-configs`,
      `${inCompany}/secret-providers/health`,
      `${inCompany}/agents`,
      `${inCompany}/activity?limit=500`,
      `${inCompany}/heartbeat-runs`,
      `/api/agents/${agent}`,
      `/api/agents/${agent}/config-revisions`,
      `/api/heartbeat-runs/${run}/log`,
      `/api/heartbeat-runs/${run}/events`,
      `/api/heartbeat-runs/${run}/transcript`,
      `/api/secrets/${secret}`,
      `/api/secrets/${secret}/versions`,
      `/api/secrets/${secret}/usage`,
      `/api/secrets/${secret}/access-events`,
    ])
      await ask("GET", path);

    expect(foundIn(answers.join("\n"))).toEqual([]);
    openLog("info").info("the log is watched");
    expect(serverLog.join("")).toContain("the log is watched");
    expect(foundIn(serverLog.join(""))).toEqual([]);
    expect(foundIn([...commandLines].join("\n"))).toEqual([]);
    const files: string[] = [];
    for (const entry of await readdir(service.dataDir, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) files.push(await readFile(join(entry.parentPath, entry.name), "latin1"));
    expect(files.length).toBeGreaterThan(1);
    expect(foundIn(files.join("\n"))).toEqual([]);

    const sql = postgres(service.databaseUrl, { max: 1, onnotice: () => {} });
    try {
      const tables = await sql<{ name: string }[]>`
        select table_name as name from information_schema.tables
        where table_schema = 'public' and table_type = 'BASE TABLE'
      `;
      const found: Record<string, string[]> = {};
      for (const { name } of tables) {
        const rows = await sql.unsafe(`select t::text as row from "${name}" t`);
        const inTable = foundIn(
          rows
            .map(({ row }) => {
              const text = String(row);
              // Binary columns are also searched as text.
              const bytes = [...text.matchAll(/\\\\x([0-9a-f]+)/g)].map(([, hex]) =>
                Buffer.from(hex!, "hex").toString("latin1"),
              );
              return [text, text.replaceAll('""', '"'), text.replaceAll("\\\\", "\\"), ...bytes].join("\n");
            })
            .join("\n"),
        );
        if (inTable.length > 0) found[name] = inTable;
      }
      expect(found).toEqual({});
    } finally {
      await sql.end();
    }
  });
});
