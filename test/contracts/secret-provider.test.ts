import { mkdtemp, rm, writeFile } from "node:fs/promises";
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
import { externalVault } from "../../adapters-infra/secret-providers/external-vault.ts";
import { secretProviders } from "../../adapters-infra/secret-providers/index.ts";
import { readVaultDeployment } from "../../adapters-infra/secret-providers/vault-settings.ts";
import type { CompanyId, SecretId, VaultId } from "../../core/model/shared/ids.ts";
import type { SecretProvider, SecretProviders, VaultScope } from "../../ports/secret-provider.ts";
import { createDatabase, type TestDatabase } from "../support/database.ts";
import { id } from "../support/nouns.ts";
import { region, type SecretsManager, startSecretsManager, variablesOf } from "../support/secrets-manager.ts";
import {
  accountToken,
  rootToken,
  secretId as secretOfRole,
  startVault,
  type VaultServer,
  vaultVariables,
} from "../support/vault-server.ts";

const company = id<CompanyId>(0xc0);
const other = id<CompanyId>(0xc1);
const vault = { id: id<VaultId>(0x70), config: { region } };

let database: TestDatabase;
let sql: ReturnType<typeof openDatabase>;
let directory: string;
let manager: SecretsManager;
let providers: SecretProviders;
let vaultServer: VaultServer;
const before = { ...process.env };

beforeAll(async () => {
  database = await createDatabase();
  sql = openDatabase(database.url, { max: 4 });
  directory = await mkdtemp(join(tmpdir(), "boardroom-provider-"));
  manager = await startSecretsManager();
  vaultServer = await startVault(directory);
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
    default: "local_encrypted",
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
    externalVault: vaultDeployment({}),
  });
});
afterAll(async () => {
  process.env = before;
  await manager?.stop();
  await vaultServer?.stop();
  await sql?.end();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

/** The service's settings for the server, from these variables and those of AppRole. */
const vaultDeployment = (more: Record<string, string | undefined>, privateHosts = ["localhost"]) => {
  const env = { ...vaultVariables(vaultServer, directory), ...more };
  return readVaultDeployment(env, new Set(privateHosts), (name) => env[name as keyof typeof env]);
};

const run = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(Effect.result(effect));
const codeOf = async (effect: Effect.Effect<unknown, { readonly code: string }>) => {
  const result = await run(effect);
  return result._tag === "Failure" ? result.failure.code : "succeeded";
};

describe.each(["local_encrypted", "cloud_a_secrets_manager", "external_vault"] as const)(
  "%s stores values",
  (which) => {
    const scope: VaultScope = { companyId: company, vault };
    const secretId = id<SecretId>(0x5ec);
    let provider: SecretProvider;
    beforeAll(() => {
      provider = providers.of(which);
    });
    const keep = (version: number, value: string, key = "kept") =>
      Effect.runPromise(provider.keep(scope, { secretId, key, version }, Redacted.make(value)));
    const read = (version: number, stored: Awaited<ReturnType<typeof keep>>, at = scope) =>
      run(provider.read(at, { secretId, version }, stored).pipe(Effect.map(Redacted.value)));

    it("and returns each version, whatever its characters", async () => {
      const values = ["first", "zweiter Wert äöü € 𝄞", 'third\n"line"\\', "x".repeat(64 * 1024)];
      const stored = [];
      for (const [at, value] of values.entries()) stored.push(await keep(at + 1, value, "letters"));
      for (const [at, value] of values.entries())
        expect(await read(at + 1, stored[at]!)).toMatchObject({ _tag: "Success", success: value });
    });

    it("so that only the provider can read them", async () => {
      const stored = await keep(1, "a-value-nobody-sees", "unseen");
      const rows = JSON.stringify({
        ...stored,
        sealed: stored.sealed && Buffer.from(stored.sealed).toString("latin1"),
      });
      expect(rows).not.toContain("a-value-nobody-sees");
    });

    it("and refuses values that it cannot store", async () => {
      const nowhere = { sealed: null, externalRef: "not/there", providerVersionRef: null };
      expect((await read(1, nowhere))._tag).toBe("Failure");
    });

    it("describes its setup without a value or a credential", async () => {
      const report = JSON.stringify(await Effect.runPromise(provider.diagnose()));
      expect(report).not.toContain(process.env.AWS_SECRET_ACCESS_KEY);
      expect(report).not.toContain(process.env.AWS_ACCESS_KEY_ID);
      expect(report).not.toContain(secretOfRole);
      expect((await Effect.runPromise(provider.probe(scope))).status).toBe("ready");
    });
  },
);

describe("local_encrypted", () => {
  it("does not open for another company, secret or version", async () => {
    const provider = providers.of("local_encrypted");
    const secretId = id<SecretId>(1);
    const stored = await Effect.runPromise(
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
      expect(await codeOf(provider.read(scope, what, stored))).toBe("provider_error");
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
    const report = await Effect.runPromise(provider.diagnose());
    expect(report.status).toBe("warn");
    expect(report.message).toContain("SERVICE_CLOUD_A_REGION");
    expect(report.details).toMatchObject({
      missingConfig: [
        "SERVICE_CLOUD_A_REGION",
        "SERVICE_CLOUD_A_DEPLOYMENT_ID",
        "SERVICE_CLOUD_A_KMS_KEY_ID",
      ],
      detectedCredentialSources: ["environment"],
    });
    expect(report.warnings.join()).toContain("must not be stored as company secrets");
  });
});

describe("external_vault", () => {
  const scope = (config = {}): VaultScope => ({
    companyId: company,
    vault: { id: id<VaultId>(0x71), config },
  });
  const of = (more: Record<string, string | undefined> = {}, privateHosts?: string[]) =>
    externalVault(vaultDeployment(more, privateHosts));
  const byToken = { VAULT_ROLE_ID: undefined, VAULT_TOKEN: rootToken };
  const readOf = (
    provider: SecretProvider,
    externalRef: string,
    providerVersionRef: string | null = null,
    at = scope(),
  ) =>
    provider
      .read(at, { secretId: id<SecretId>(9), version: 1 }, { sealed: null, externalRef, providerVersionRef })
      .pipe(Effect.map(Redacted.value));
  const list = (
    provider: SecretProvider,
    at = scope(),
    nextToken: string | null = null,
    query: string | null = null,
  ) => provider.list(at, { query, nextToken, pageSize: 2 });
  const textOf = async (effect: Effect.Effect<string, { readonly code: string }>) => {
    const result = await run(effect);
    return result._tag === "Success" ? result.success : result.failure.code;
  };

  it.each([
    ["AppRole", {}],
    ["a token", byToken],
    ["OpenBao's variables", { VAULT_ROLE_ID: undefined, BAO_TOKEN: rootToken, VAULT_TOKEN: "wrong" }],
    [
      "Kubernetes",
      { VAULT_ROLE_ID: undefined, VAULT_KUBERNETES_ROLE: "boardroom", VAULT_KUBERNETES_TOKEN_FILE: "jwt" },
    ],
  ])("signs in by %s", async (_, variables: Record<string, string | undefined>) => {
    vaultServer.put("secret/signed/in", { value: "yes" });
    const file = join(directory, "jwt");
    await writeFile(file, `${accountToken}\n`);
    const given =
      "VAULT_KUBERNETES_TOKEN_FILE" in variables
        ? { ...variables, VAULT_KUBERNETES_TOKEN_FILE: file }
        : variables;
    expect(await textOf(readOf(of(given), "signed/in"))).toBe("yes");
  });

  it("reads the latest version or a pinned one, and a named field", async () => {
    vaultServer.put("secret/db", { password: "first", user: "u" });
    vaultServer.put("secret/db", { password: "second", user: "u", port: 5432 });
    vaultServer.put("secret/single", { token: "only" });
    const provider = of();
    expect(await textOf(readOf(provider, "db#password"))).toBe("second");
    expect(await textOf(readOf(provider, "db#password", "1"))).toBe("first");
    expect(await textOf(readOf(provider, "db#port"))).toBe("5432");
    expect(await textOf(readOf(provider, "single"))).toBe("only");
    // Which of several fields is meant, nobody said.
    for (const reference of ["db", "db#missing", "missing#password"])
      expect(await textOf(readOf(provider, reference))).toBe("not_found");
    expect(await textOf(readOf(provider, "db#password", "7"))).toBe("not_found");
    expect(await codeOf(provider.describe(scope(), "db#password"))).toBe("succeeded");
    expect(await codeOf(provider.describe(scope(), "missing"))).toBe("not_found");
    vaultServer.secrets.get("/secret/db")!.at(-1)!.deleted = true;
    expect(await codeOf(provider.describe(scope(), "db#password"))).toBe("not_found");
  });

  it("asks in the vault's namespace, mount and prefix, else in the deployment's", async () => {
    const provider = of({ VAULT_NAMESPACE: "company" });
    vaultServer.put("kv/team/a", { value: "of the vault" }, "other");
    vaultServer.put("secret/a", { value: "of the deployment" }, "company");
    const at = scope({ namespace: "other", mountPath: "kv", secretPathPrefix: "team" });
    expect(await textOf(readOf(provider, "team/a", null, at))).toBe("of the vault");
    expect(await textOf(readOf(provider, "a"))).toBe("of the deployment");
    expect((await Effect.runPromise(list(provider, at))).items.map(({ externalRef }) => externalRef)).toEqual(
      ["team/a"],
    );
  });

  it("lists all secrets page by page, folder by folder, and filters them", async () => {
    for (const path of ["a", "b/c", "b/d/e", "b/d/f", "g/h", "z"])
      vaultServer.put(`paged/${path}`, { value: "v" });
    const at = scope({ mountPath: "paged" });
    const all = async (query: string | null) => {
      const names: string[] = [];
      let token: string | null = null;
      do {
        const page: { items: readonly { remoteName: string }[]; nextToken: string | null } =
          await Effect.runPromise(list(of(), at, token, query));
        expect(page.items.length).toBeLessThanOrEqual(2);
        names.push(...page.items.map(({ remoteName }) => remoteName));
        token = page.nextToken;
      } while (token !== null);
      return names.sort();
    };
    expect(await all(null)).toEqual(["a", "b/c", "b/d/e", "b/d/f", "g/h", "z"]);
    expect(await all("B/D")).toEqual(["b/d/e", "b/d/f"]);
    for (const token of [
      "made up",
      Buffer.from('{"folders":["../../sys/"],"given":0}').toString("base64url"),
    ])
      expect(await codeOf(list(of(), at, token))).toBe("invalid_request");
  });

  it("signs in again once its token has expired, and names an expired token of its own", async () => {
    vaultServer.put("secret/expiry", { value: "v" });
    const [approle, token] = [of(), of(byToken)];
    expect(await textOf(readOf(approle, "expiry"))).toBe("v");
    expect(await textOf(readOf(token, "expiry"))).toBe("v");
    vaultServer.expireTokens();
    expect(await textOf(readOf(approle, "expiry"))).toBe("v");
    expect(await textOf(readOf(token, "expiry"))).toBe("access_denied");
  });

  it("renews its token before it expires", async () => {
    vaultServer.ttl(1);
    vaultServer.put("secret/renewed", { value: "v" });
    const before = vaultServer.operations.filter((operation) => operation === "renew").length;
    expect(await textOf(readOf(of(), "renewed"))).toBe("v");
    vaultServer.ttl(3_600);
    await expect
      .poll(() => vaultServer.operations.filter((operation) => operation === "renew").length)
      .toBeGreaterThan(before);
  });

  it("retries brief throttling, and reports lasting throttling, a seal and an outage, and recovers", async () => {
    vaultServer.put("secret/weather", { value: "v" });
    const provider = of();
    expect(await textOf(readOf(provider, "weather"))).toBe("v");
    vaultServer.throttle(2);
    expect(await textOf(readOf(provider, "weather"))).toBe("v");
    vaultServer.throttle(100);
    expect(await textOf(readOf(provider, "weather"))).toBe("throttled");
    vaultServer.throttle(0);
    vaultServer.seal(true);
    expect(await textOf(readOf(provider, "weather"))).toBe("provider_unavailable");
    expect(await Effect.runPromise(provider.probe(scope()))).toMatchObject({ status: "error" });
    vaultServer.seal(false);
    vaultServer.goAway(true);
    expect(await textOf(readOf(provider, "weather"))).toBe("provider_unavailable");
    vaultServer.goAway(false);
    expect(await textOf(readOf(provider, "weather"))).toBe("v");
  });

  it("may list without reading, and read without listing", async () => {
    vaultServer.put("secret/rights", { value: "v" });
    const provider = of();
    vaultServer.deny("read");
    expect([await codeOf(list(provider)), await textOf(readOf(provider, "rights"))]).toEqual([
      "succeeded",
      "access_denied",
    ]);
    expect((await Effect.runPromise(provider.probe(scope()))).status).toBe("ready");
    vaultServer.deny("list");
    expect([await codeOf(list(provider)), await textOf(readOf(provider, "rights"))]).toEqual([
      "access_denied",
      "v",
    ]);
    expect(await Effect.runPromise(provider.probe(scope()))).toMatchObject({ status: "warning" });
    vaultServer.deny();
  });

  it.each<
    [string, Record<string, string | undefined>, string[] | undefined, Record<string, string>, string, string]
  >([
    ["without an address", { VAULT_ADDR: undefined }, undefined, {}, "invalid_request", "not_configured"],
    [
      "over http",
      { VAULT_ADDR: "http://localhost:8200" },
      undefined,
      {},
      "invalid_request",
      "not_configured",
    ],
    [
      "without credentials",
      { VAULT_ROLE_ID: undefined },
      undefined,
      {},
      "access_denied",
      "credentials_missing",
    ],
    ["at a private address that nobody allowed", {}, [], {}, "invalid_request", "address_refused"],
    [
      "at an address of the company's own",
      {},
      undefined,
      { address: "https://vault.example.com" },
      "invalid_request",
      "address_mismatch",
    ],
  ])("sends nothing %s", async (_, variables, privateHosts, config, code, reason) => {
    const asked = vaultServer.requests.length;
    const provider = of(variables, privateHosts);
    const refused = await run(readOf(provider, "any", null, scope(config)));
    expect(refused).toMatchObject({ failure: { code, details: { reason } } });
    expect((await Effect.runPromise(provider.probe(scope(config)))).status).toBe("error");
    expect(vaultServer.requests.length).toBe(asked);
  });

  it("trusts only the authority that it was given", async () => {
    expect(await textOf(readOf(of({ VAULT_CACERT: undefined }), "any"))).toBe("provider_unavailable");
  });

  it("passes on no text of the provider", async () => {
    for (const effect of [readOf(of(), "canary/reference"), list(of(), scope({ mountPath: "canary" }))]) {
      const result = await run<unknown, unknown>(effect);
      expect(result._tag).toBe("Failure");
      expect(JSON.stringify(result)).not.toContain("canary");
    }
  });

  it.each([
    ["prod/db", "prod/db"],
    ["prod/db#password", "prod/db#password"],
    ["../sys/seal", null],
    ["a/../b", null],
    ["a//b", null],
    ["/a", null],
    ["a?version=1", null],
    ["a#b#c", null],
    ["", null],
  ])("reduces to one form of %j: %s", (reference, canonical) => {
    expect(of().canonical(scope(), reference)).toBe(canonical);
  });

  it.each([
    ["boardroom/anything", true],
    ["boardroom", true],
    ["boardrooms/x", false],
    ["prod/db", false],
  ])("tells for %s whether the service manages it itself: %s", (reference, managed) => {
    expect(of().manages(scope(), reference)).toBe(managed);
  });
});
