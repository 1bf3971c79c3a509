import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aesCipher } from "../../adapters-infra/local/aes-cipher.ts";
import { loadMasterKey } from "../../adapters-infra/local/master-key.ts";
import { rotatingMasterKey } from "../../adapters-infra/local/rotating-master-key.ts";
import { systemClock } from "../../adapters-infra/local/system-clock.ts";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";
import { postgresAdapters } from "../../adapters-infra/postgres/index.ts";
import { recordFingerprint } from "../../adapters-infra/postgres/key-fingerprint.ts";
import { cloudA } from "../../adapters-infra/secret-providers/cloud-a.ts";
import { secretProviders } from "../../adapters-infra/secret-providers/index.ts";
import type { CompanyId, SecretId, VaultId } from "../../core/model/shared/ids.ts";
import type { SecretProvider, SecretProviders, VaultScope } from "../../ports/secret-provider.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { id } from "../support/nouns.ts";
import { region, type SecretsManager, startSecretsManager, variablesOf } from "../support/secrets-manager.ts";

const company = id<CompanyId>(0xc0);
const other = id<CompanyId>(0xc1);
const vault = { id: id<VaultId>(0x70), config: { region } };

let database: TestDatabase;
let sql: ReturnType<typeof openDatabase>;
let directory: string;
let manager: SecretsManager;
let providers: SecretProviders;
const before = { ...process.env };

beforeAll(async () => {
  database = await createDatabase();
  sql = openDatabase(database.url, { max: 4 });
  directory = await mkdtemp(join(tmpdir(), "boardroom-provider-"));
  manager = await startSecretsManager();
  Object.assign(process.env, variablesOf(manager));
  const keyFile = join(directory, "master.key");
  const ring = await Effect.runPromise(
    loadMasterKey({ fromEnvironment: null, path: keyFile, expected: null }),
  );
  await Effect.runPromise(recordFingerprint(sql, ring.current.fingerprint));
  for (const one of [company, other])
    await sql`
      insert into companies (id, name, status, issue_prefix, budget_monthly_cents, created_at, updated_at)
      values (${one}, 'C', 'active', ${one.slice(-2).toUpperCase()}, 0, now(), now())
    `;
  const { transactor } = postgresAdapters(sql, systemClock);
  providers = secretProviders({
    usual: "local_encrypted",
    local: {
      transactor,
      cipher: aesCipher(ring),
      keyFile,
      masterKeys: rotatingMasterKey(ring, transactor),
    },
    cloudA: {
      region: null,
      deploymentId: null,
      kmsKeyId: null,
      prefix: "boardroom",
      endpoint: manager.url,
    },
  });
});
afterAll(async () => {
  process.env = before;
  await manager?.stop();
  await sql?.end();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.result(effect));
const codeOf = async (effect: Effect.Effect<unknown, { readonly code: string }>) => {
  const result = await run(effect);
  return result._tag === "Failure" ? result.failure.code : "succeeded";
};

describe.each(["local_encrypted", "cloud_a_secrets_manager"] as const)("%s stores values", (which) => {
  const scope: VaultScope = { companyId: company, vault };
  const secretId = id<SecretId>(0x5ec);
  let provider: SecretProvider;
  beforeAll(() => {
    provider = providers.of(which);
  });
  const keep = (version: number, value: string, key = "kept") =>
    Effect.runPromise(provider.keep(scope, { secretId, key, version }, Redacted.make(value)));
  const read = (version: number, kept: Awaited<ReturnType<typeof keep>>, at = scope) =>
    run(provider.read(at, { secretId, version }, kept).pipe(Effect.map(Redacted.value)));

  it("and returns each version, whatever its characters", async () => {
    const values = ["first", "zweiter Wert äöü € 𝄞", 'third\n"line"\\', "x".repeat(64 * 1024)];
    const kept = [];
    for (const [at, value] of values.entries()) kept.push(await keep(at + 1, value, "letters"));
    for (const [at, value] of values.entries())
      expect(await read(at + 1, kept[at]!)).toMatchObject({ _tag: "Success", success: value });
  });

  it("so that only the provider can read them", async () => {
    const kept = await keep(1, "a-value-nobody-sees", "unseen");
    const rows = JSON.stringify({
      ...kept,
      sealed: kept.sealed && Buffer.from(kept.sealed).toString("latin1"),
    });
    expect(rows).not.toContain("a-value-nobody-sees");
  });

  it("and refuses values that it cannot store", async () => {
    const nowhere = { sealed: null, externalRef: "not/there", providerVersionRef: null };
    expect((await read(1, nowhere))._tag).toBe("Failure");
  });

  it("describes its setup without a value or a credential", async () => {
    const said = JSON.stringify(await Effect.runPromise(provider.diagnose()));
    expect(said).not.toContain(process.env.AWS_SECRET_ACCESS_KEY);
    expect(said).not.toContain(process.env.AWS_ACCESS_KEY_ID);
    expect((await Effect.runPromise(provider.probe(scope))).status).toBe("ready");
  });
});

describe("local_encrypted", () => {
  it("does not open for another company, secret or version", async () => {
    const provider = providers.of("local_encrypted");
    const secretId = id<SecretId>(1);
    const kept = await Effect.runPromise(
      provider.keep(
        { companyId: company, vault: null },
        { secretId, key: "k", version: 1 },
        Redacted.make("value"),
      ),
    );
    const of = { secretId, version: 1 };
    for (const [scope, what] of [
      [{ companyId: other, vault: null }, of],
      [
        { companyId: company, vault: null },
        { ...of, version: 2 },
      ],
      [
        { companyId: company, vault: null },
        { ...of, secretId: id<SecretId>(2) },
      ],
    ] as const)
      expect(await codeOf(provider.read(scope, what, kept))).toBe("provider_error");
  });
});

describe("cloud_a_secrets_manager", () => {
  const scope: VaultScope = { companyId: company, vault };
  let provider: SecretProvider;
  beforeAll(() => {
    provider = providers.of("cloud_a_secrets_manager");
  });
  const list = (nextToken: string | null = null, query: string | null = null, pageSize = 2) =>
    provider.list(scope, { query, nextToken, pageSize });
  const readOf = (externalRef: string) =>
    provider.read(
      scope,
      { secretId: id<SecretId>(9), version: 1 },
      { sealed: null, externalRef, providerVersionRef: null },
    );

  it("signs every request", () => {
    expect(manager.forgeries).toEqual([]);
    expect(manager.operations.length).toBeGreaterThan(5);
  });

  it("pages with the provider's tokens, and filters at the provider", async () => {
    for (let at = 0; at < 5; at++)
      manager.put(`paged/${at}`, "v", { description: "d", tags: [{ Key: "a", Value: "b" }] });
    const names: string[] = [];
    let token: string | null = null;
    do {
      const page: { items: readonly { remoteName: string }[]; nextToken: string | null } =
        await Effect.runPromise(list(token, "paged/"));
      names.push(...page.items.map(({ remoteName }) => remoteName));
      token = page.nextToken;
    } while (token !== null);
    expect(names).toEqual([0, 1, 2, 3, 4].map((at) => `paged/${at}`));
    expect(await codeOf(list("made up"))).toBe("invalid_request");
    const [first] = (await Effect.runPromise(list(null, "paged/"))).items;
    expect(first!.providerMetadata).toEqual({
      createdDate: "2023-11-14T22:13:20.000Z",
      lastChangedDate: "2023-11-14T22:15:00.000Z",
      hasDescription: true,
      hasKmsKey: false,
      tagCount: 1,
    });
  });

  it("retries brief throttling, and reports lasting throttling", async () => {
    manager.throttle(2);
    expect(await codeOf(list())).toBe("succeeded");
    manager.throttle(100);
    expect(await codeOf(list())).toBe("throttled");
    manager.throttle(0);
  });

  it("may list without reading, and read without listing", async () => {
    const arn = manager.put("rights/one", "the value");
    manager.deny("GetSecretValue");
    expect([await codeOf(list()), await codeOf(readOf(arn))]).toEqual(["succeeded", "access_denied"]);
    expect((await Effect.runPromise(provider.probe(scope))).status).toBe("ready");
    manager.deny("ListSecrets");
    expect([await codeOf(list()), await codeOf(readOf(arn))]).toEqual(["access_denied", "succeeded"]);
    expect(await Effect.runPromise(provider.probe(scope))).toMatchObject({
      status: "warning",
      details: { code: "provider_needs_attention" },
    });
    manager.deny();
  });

  it("reports an outage of the provider, and recovers", async () => {
    manager.goAway();
    expect(await codeOf(list())).toBe("provider_unavailable");
    expect((await Effect.runPromise(provider.probe(scope))).status).toBe("error");
    manager.comeBack();
    expect(await codeOf(list())).toBe("succeeded");
  });

  it("passes on no text of the provider", async () => {
    const result = await run(readOf("canary/reference"));
    expect(JSON.stringify(result)).not.toContain("canary");
    expect(JSON.stringify(result)).not.toContain("ResourceNotFound");
  });

  it("does not accept another key's signature", async () => {
    process.env.AWS_SECRET_ACCESS_KEY = "wrong";
    const unauthorised = cloudA({
      region,
      deploymentId: null,
      kmsKeyId: null,
      prefix: "boardroom",
      endpoint: manager.url,
    });
    expect(await codeOf(unauthorised.list(scope, { query: null, nextToken: null, pageSize: 1 }))).toBe(
      "access_denied",
    );
    expect(manager.forgeries.length).toBeGreaterThan(0);
    Object.assign(process.env, variablesOf(manager));
  });

  it.each([
    ["boardroom", true],
    ["boardroom/anything", true],
    [`arn:aws:secretsmanager:${region}:123456789012:secret:boardroom/x/y-AbCdEf`, true],
    ["boardrooms/x", false],
    ["prod/db", false],
  ])("tells for %s whether the service manages it itself: %s", (reference, managed) => {
    expect(provider.manages(scope, reference)).toBe(managed);
  });

  it.each([
    ["prod/db", "prod/db"],
    [`arn:aws:secretsmanager:${region}:123456789012:secret:prod/db-AbCdEf`, "prod/db"],
    ["arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbCdEf", null],
    ["no reference at all", null],
  ])("reduces to one form of %s: %s", (reference, canonical) => {
    expect(provider.canonical(scope, reference)).toBe(canonical);
  });

  it("names missing settings, the allowed sources of credentials, and the forbidden ones", async () => {
    const said = await Effect.runPromise(provider.diagnose());
    expect(said.status).toBe("warn");
    expect(said.message).toContain("SERVICE_CLOUD_A_REGION");
    expect(said.details).toMatchObject({
      missingConfig: [
        "SERVICE_CLOUD_A_REGION",
        "SERVICE_CLOUD_A_DEPLOYMENT_ID",
        "SERVICE_CLOUD_A_KMS_KEY_ID",
      ],
      detectedCredentialSources: ["environment"],
    });
    expect(said.warnings.join()).toContain("must not be stored as company secrets");
  });
});
