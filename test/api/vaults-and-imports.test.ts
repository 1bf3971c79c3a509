// biome-ignore-all lint/suspicious/noExplicitAny: answers of every shape.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { region, type SecretsManager, startSecretsManager, variablesOf } from "../support/secrets-manager.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let manager: SecretsManager;
let companyId: string;
const before = { ...process.env };
const canary = "canary-7f3a9c-never-to-be-seen";

beforeAll(async () => {
  manager = await startSecretsManager();
  Object.assign(process.env, variablesOf(manager));
  service = await startService({ env: { SERVICE_CLOUD_A_ENDPOINT: manager.url } });
  companyId = (await service.admin.companies.create({ name: "Vaults" })).id;
});
afterAll(async () => {
  process.env = before;
  await service?.stop();
  await manager?.stop();
});

const vaultsOf = (company: string) => `/api/companies/${company}/secret-provider-configs`;
const vault = async (provider: string, more: Record<string, unknown> = {}, company = companyId) => {
  const config = provider === "cloud_a_secrets_manager" ? { region } : {};
  const answer = await service.request("POST", vaultsOf(company), {
    body: { provider, displayName: provider, config, ...more },
  });
  expect(answer.status).toBe(201);
  return answer.body;
};
const post = (path: string, body: unknown) => service.request("POST", path, { body });

describe("a vault", () => {
  it.each([
    ["local_encrypted", "ready"],
    ["cloud_a_secrets_manager", "ready"],
    ["cloud_b_secret_manager", "coming_soon"],
    ["external_vault", "coming_soon"],
  ])("of %s begins as %s", async (provider, status) => {
    expect(await vault(provider)).toMatchObject({ provider, status, isDefault: false, healthStatus: null });
  });

  it.each([
    ["cloud_a_secrets_manager", { region, password: canary }],
    ["cloud_a_secrets_manager", { region, nested: { deep: [{ "Secret-Access_KEY": canary }] } }],
    ["cloud_a_secrets_manager", { region, ACCESS__KEY__ID: canary }],
    ["cloud_a_secrets_manager", { region, ｐａｓｓｗｏｒｄ: canary }],
    ["cloud_a_secrets_manager", { region, "pass\u200bword": canary }],
    ["cloud_a_secrets_manager", { region, [`token-${canary}`]: "x" }],
    ["cloud_a_secrets_manager", { region: canary }],
    ["cloud_a_secrets_manager", { region, kmsKeyId: "AKIAABCDEFGHIJKLMNOP" }],
    ["cloud_a_secrets_manager", { region, ownerTag: "-----BEGIN PRIVATE KEY-----AKIA" }],
    ["cloud_a_secrets_manager", { region, ownerTag: "password = AKIA" }],
    ["cloud_a_secrets_manager", {}],
    ["local_encrypted", { serviceAccountJson: { private_key: canary } }],
    ["local_encrypted", { backupReminderAcknowledged: canary }],
    ["external_vault", { address: `https://user:${canary}@vault.example.com` }],
    ["external_vault", { address: "http://vault.example.com" }],
    ["external_vault", { address: "https://vault.example.com/path" }],
    ["external_vault", { address: "https://vault.example.com?q=1" }],
    ["external_vault", { address: "https://vault.example.com?" }],
    ["external_vault", { address: "https://vault.example.com#f" }],
    ["external_vault", { unseal_key: canary }],
    ["cloud_b_secret_manager", { projectId: "1bad" }],
  ])("of %s is refused with %j, without an echo", async (provider, config) => {
    const created = await post(vaultsOf(companyId), { provider, displayName: "x", config });
    const existing = await vault(provider);
    const updated = await service.request("PATCH", `/api/secret-provider-configs/${existing.id}`, {
      body: { config },
    });
    for (const answer of [created, updated]) {
      expect([answer.status, answer.body.code]).toEqual([400, "validation_error"]);
      expect(JSON.stringify(answer.body)).not.toContain(canary);
      expect(JSON.stringify(answer.body)).not.toContain("AKIA");
    }
  });

  it("reduces an address to its origin, and replaces its configuration wholesale", async () => {
    const made = await vault("external_vault", {
      config: { address: "HTTPS://Vault.Example.com:8200/", namespace: "n" },
    });
    expect(made.config).toEqual({ address: "https://vault.example.com:8200", namespace: "n" });
    const path = `/api/secret-provider-configs/${made.id}`;
    const after = await service.request("PATCH", path, { body: { config: { mountPath: "kv" } } });
    expect(after.body.config).toEqual({ mountPath: "kv" });
    const locked = await service.request("PATCH", path, { body: { status: "ready" } });
    expect([locked.status, locked.body.code]).toEqual([422, "runtime_locked"]);
    expect((await post(`${path}/default`, {})).status).toBe(422);
    expect((await post(`${path}/health`, {})).body).toMatchObject({
      configId: made.id,
      status: "coming_soon",
      details: { code: "runtime_locked" },
    });
  });

  it("is the only default of its provider, however many are created at once", async () => {
    const { id: company } = await service.admin.companies.create({ name: "Defaults" });
    const made = await Promise.all(
      Array.from({ length: 6 }, () => vault("local_encrypted", { isDefault: true }, company)),
    );
    await Promise.all(made.map(({ id }) => post(`/api/secret-provider-configs/${id}/default`, {})));
    const cloud = await vault("cloud_a_secrets_manager", { isDefault: true }, company);
    const all = (await service.request("GET", vaultsOf(company))).body as {
      id: string;
      isDefault: boolean;
      provider: string;
    }[];
    expect(
      all
        .filter(({ isDefault }) => isDefault)
        .map(({ provider }) => provider)
        .sort(),
    ).toEqual(["cloud_a_secrets_manager", "local_encrypted"]);
    const gone = await service.request("DELETE", `/api/secret-provider-configs/${cloud.id}`);
    expect(gone.body).toMatchObject({ status: "disabled", isDefault: false });
    expect(gone.body.disabledAt).not.toBeNull();
    const again = await service.request("DELETE", `/api/secret-provider-configs/${cloud.id}`);
    expect(again.body.disabledAt).toBe(gone.body.disabledAt);
    expect((await service.request("GET", vaultsOf(company))).body.length).toBe(7);
    expect((await post(`/api/secret-provider-configs/${cloud.id}/default`, {})).status).toBe(422);
  });

  it("takes the status of its health check, and logs its changes without its configuration", async () => {
    const made = await vault("cloud_a_secrets_manager", { config: { region, ownerTag: "owner-tag-word" } });
    const check = () => post(`/api/secret-provider-configs/${made.id}/health`, {});
    manager.deny("ListSecrets");
    expect((await check()).body).toMatchObject({
      status: "warning",
      details: { code: "provider_needs_attention" },
    });
    manager.deny();
    expect((await check()).body).toMatchObject({ status: "ready", details: { code: "provider_ready" } });
    const stored = await service.request("GET", `/api/secret-provider-configs/${made.id}`);
    expect(stored.body).toMatchObject({ status: "ready", healthStatus: "ready" });
    const story = await service.request("GET", `/api/companies/${companyId}/activity?entityId=${made.id}`);
    expect(story.body.map(({ action }: { action: string }) => action)).toEqual([
      "secret_provider_config.health_checked",
      "secret_provider_config.health_checked",
      "secret_provider_config.created",
    ]);
    expect(JSON.stringify(story.body)).not.toContain("owner-tag-word");
    expect(JSON.stringify(story.body)).not.toContain("guidance");
  });

  it.each(["cloud_b_secret_manager", "cloud_a_secrets_manager"])(
    "of %s accepts no local secret; a disabled one accepts none",
    async (provider) => {
      const wrong = await vault(provider);
      const disabled = await vault("local_encrypted");
      await service.request("DELETE", `/api/secret-provider-configs/${disabled.id}`);
      const secret = await service.admin.secrets.create({
        companyId,
        name: `for ${provider}`,
        value: "value-x",
      });
      for (const providerConfigId of [wrong.id, disabled.id, "00000000-0000-7000-8000-000000000000"]) {
        const created = await post(`/api/companies/${companyId}/secrets`, {
          name: "n",
          value: canary,
          providerConfigId,
        });
        const rotated = await post(`/api/secrets/${secret.id}/rotate`, { value: canary, providerConfigId });
        expect([created.status, rotated.status]).toEqual([422, 422]);
        expect(JSON.stringify([created.body, rotated.body])).not.toContain(canary);
      }
    },
  );
});

describe("a secret", () => {
  const create = (body: Record<string, unknown>) => post(`/api/companies/${companyId}/secrets`, body);

  it.each([
    [{ name: "a" }, 400],
    [{ name: "a", value: " " }, 400],
    [{ name: "a", value: "x", externalRef: "y" }, 400],
    [{ name: "a", managedMode: "external_reference" }, 400],
    [{ name: "a", managedMode: "external_reference", externalRef: "x", provider: "local_encrypted" }, 400],
    [{ name: "a", managedMode: "external_reference", externalRef: "x", provider: "external_vault" }, 422],
    [{ name: "a", value: canary, provider: "cloud_b_secret_manager" }, 422],
    [{ name: "…", value: canary }, 422],
    [{ name: "a", value: `${canary}\u0000` }, 400],
    [{ name: "a", value: { nested: canary } }, 400],
  ])("is refused as %j with %i", async (body, status) => {
    const answer = await create(body);
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain(canary);
  });

  it("has a unique name and key", async () => {
    await create({ name: "Twice", value: "value-1" });
    expect((await create({ name: "tWICE", key: "other", value: "value-2" })).body.code).toBe(
      "secret_name_taken",
    );
    expect((await create({ name: "Other", key: "twice", value: "value-2" })).body.code).toBe(
      "secret_key_taken",
    );
    const racing = await Promise.all(
      Array.from({ length: 5 }, () => create({ name: "Raced", value: "value-3" })),
    );
    expect(racing.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
  });

  it("created twice under one key is one; with another value under it, a conflict", async () => {
    const headers = { "idempotency-key": "once" };
    const send = (value: string) =>
      service.request("POST", `/api/companies/${companyId}/secrets`, {
        headers,
        body: { name: "Once only", value },
      });
    const first = await send("value-first");
    expect((await send("value-first")).body.id).toBe(first.body.id);
    expect((await send("value-other")).body.code).toBe("idempotency_key_reused");
  });

  it("rotated by several at once gets each value as a version, or a refusal", async () => {
    const { body } = await create({ name: "Rotated", value: "value-0" });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, at) => post(`/api/secrets/${body.id}/rotate`, { value: `value-${at}` })),
    );
    const rotated = answers.filter(({ status }) => status === 200).length;
    expect(
      answers.every(({ status, body }) => status === 200 || body.code === "secret_rotated_meanwhile"),
    ).toBe(true);
    expect((await service.admin.secrets.get({ secretId: body.id })).latestVersion).toBe(1 + rotated);
  });

  it("stored by the cloud is written there, and read from there under its version", async () => {
    const cloud = await vault("cloud_a_secrets_manager");
    const { body } = await create({
      name: "Cloudy",
      value: "value-in-the-cloud",
      provider: "cloud_a_secrets_manager",
      providerConfigId: cloud.id,
    });
    expect(body).toMatchObject({
      managedMode: "service_managed",
      externalRef: null,
      providerConfigId: cloud.id,
    });
    const name = `boardroom/${cloud.id}/${companyId}/cloudy`;
    expect(manager.secrets.get(name)?.versions.map(({ value }) => value)).toEqual(["value-in-the-cloud"]);
    expect(body.providerVersionRef).toBe(manager.secrets.get(name)?.versions[0]?.id);
    const stolen = await create({
      name: "Stolen",
      provider: "cloud_a_secrets_manager",
      providerConfigId: cloud.id,
      managedMode: "external_reference",
      externalRef: manager.secrets.get(name)!.arn,
    });
    expect([stolen.status, stolen.body.code]).toEqual([422, "provider_guardrail"]);
  });
});

describe("a remote import", () => {
  const previewOf = (body: Record<string, unknown>, company = companyId) =>
    post(`/api/companies/${company}/secrets/remote-import/preview`, body);
  const importOf = (body: Record<string, unknown>) =>
    post(`/api/companies/${companyId}/secrets/remote-import`, body);

  it("runs once under its Idempotency-Key, and a replay repeats its report", async () => {
    const cloud = await vault("cloud_a_secrets_manager");
    manager.put("once/one", canary);
    const send = () =>
      service.request("POST", `/api/companies/${companyId}/secrets/remote-import`, {
        headers: { "idempotency-key": "import-once" },
        body: {
          providerConfigId: cloud.id,
          secrets: [{ externalRef: "once/one" }, { externalRef: "once/missing" }],
        },
      });
    const first = await send();
    expect(first.body).toMatchObject({ importedCount: 1, skippedCount: 0, errorCount: 1 });
    const again = await send();
    expect([again.status, again.body]).toEqual([first.status, first.body]);
  });

  it("previews only by listing, and marks conflicts", async () => {
    const cloud = await vault("cloud_a_secrets_manager");
    const arns = ["imp/free", "imp/linked", "imp/named"].map((name) => manager.put(name, canary));
    manager.put(`boardroom/imp/managed`, canary);
    await service.admin.secrets.create({ companyId, name: "imp/named", value: "value-z" });
    const linked = await importOf({ providerConfigId: cloud.id, secrets: [{ externalRef: "imp/linked" }] });
    expect(linked.body).toMatchObject({
      importedCount: 1,
      results: [{ status: "imported", name: "imp/linked", key: "imp-linked" }],
    });
    manager.operations.length = 0;
    const { status, body } = await previewOf({ providerConfigId: cloud.id, query: "imp/" });
    expect(status).toBe(200);
    expect(new Set(manager.operations)).toEqual(new Set(["ListSecrets"]));
    const states = body.candidates.map((candidate: any) => [
      candidate.remoteName,
      candidate.status,
      candidate.importable,
      candidate.conflicts.map(({ type }: any) => type),
    ]);
    expect(states).toEqual([
      ["imp/free", "ready", true, []],
      ["imp/linked", "duplicate", false, ["exact_reference"]],
      ["imp/named", "conflict", false, ["name", "key"]],
      ["boardroom/imp/managed", "conflict", false, ["provider_guardrail"]],
    ]);
    expect(JSON.stringify(body)).not.toContain(canary);
    const imported = await importOf({
      providerConfigId: cloud.id,
      secrets: [
        { externalRef: arns[0], description: "  " },
        { externalRef: arns[0], name: "again", key: "again" },
        { externalRef: arns[2], name: "imp/named" },
        { externalRef: "boardroom/imp/managed" },
        { externalRef: "not a reference" },
        { externalRef: "" },
        { externalRef: "imp/else", name: 7 },
        { externalRef: "imp/else", value: canary },
      ],
    });
    expect(imported.body).toMatchObject({ importedCount: 1, skippedCount: 2, errorCount: 5 });
    expect(imported.body.results.map((row: any) => [row.status, row.reason])).toMatchObject([
      ["imported", null],
      ["skipped", "exact_reference_duplicate"],
      ["skipped", "name_or_key_conflict"],
      ["error", "provider_guardrail"],
      ["error", expect.any(String)],
      ["error", expect.any(String)],
      ["error", expect.any(String)],
      ["error", expect.any(String)],
    ]);
    const made = await service.admin.secrets.get({ secretId: imported.body.results[0].secretId });
    expect(made).toMatchObject({
      description: null,
      managedMode: "external_reference",
      latestVersion: 1,
      status: "active",
    });
    expect(new Set(manager.operations)).toEqual(new Set(["ListSecrets", "DescribeSecret"]));
    const story = await service.request("GET", `/api/companies/${companyId}/activity?entityId=${cloud.id}`);
    expect(JSON.stringify(story.body)).not.toContain("imp/");
    expect(story.body.map(({ action, entityType }: any) => [action, entityType])).toContainEqual([
      "secret.remote_import.completed",
      "secret_provider_config",
    ]);
  });

  it("checks that each row exists, and writes only counts to the activity log", async () => {
    const cloud = await vault("cloud_a_secrets_manager");
    manager.put("there/one", canary);
    manager.operations.length = 0;
    const { body } = await importOf({
      providerConfigId: cloud.id,
      secrets: [{ externalRef: "there/one" }, { externalRef: "nowhere/two" }],
    });
    expect(body).toMatchObject({ importedCount: 1, skippedCount: 0, errorCount: 1 });
    expect(body.results[1]).toMatchObject({
      status: "error",
      secretId: null,
      reason: "The provider has nothing at this reference.",
    });
    expect(new Set(manager.operations)).toEqual(new Set(["DescribeSecret"]));
    const story = await service.request("GET", `/api/companies/${companyId}/activity`);
    expect(JSON.stringify(story.body)).not.toMatch(/there\W+one/);
    expect(story.body.filter(({ entityId }: any) => entityId === body.results[0].secretId)).toEqual([]);
  });

  it("checks again at submit: of the same row sent by several at once, one is imported", async () => {
    const cloud = await vault("cloud_a_secrets_manager");
    const secrets = [{ externalRef: manager.put("race/one", "v"), name: "race one" }];
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => importOf({ providerConfigId: cloud.id, secrets })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.map(({ body }) => body.importedCount).sort()).toEqual([0, 0, 0, 0, 1]);
  });

  it("is refused for unsuitable vaults, and those of another company", async () => {
    const other = await service.admin.companies.create({ name: "Other" });
    const disabled = await vault("cloud_a_secrets_manager");
    await service.request("DELETE", `/api/secret-provider-configs/${disabled.id}`);
    for (const { id } of [
      await vault("local_encrypted"),
      await vault("cloud_b_secret_manager"),
      disabled,
      await vault("cloud_a_secrets_manager", {}, other.id),
    ])
      expect((await previewOf({ providerConfigId: id })).status).toBe(422);
  });

  it.each([{ pageSize: 0 }, { pageSize: 101 }, { nextToken: "" }])("preview refuses %j", async (more) => {
    const cloud = await vault("cloud_a_secrets_manager");
    expect((await previewOf({ providerConfigId: cloud.id, ...more })).status).toBe(400);
  });

  it.each([[[]], [Array.from({ length: 101 }, () => ({ externalRef: "x" }))]])(
    "accepts 1 to 100 rows",
    async (secrets) => {
      const cloud = await vault("cloud_a_secrets_manager");
      expect((await importOf({ providerConfigId: cloud.id, secrets })).status).toBe(400);
    },
  );

  it.each([
    [() => manager.deny("ListSecrets"), 403, "access_denied"],
    [() => manager.throttle(100), 429, "throttled"],
    [() => manager.goAway(), 503, "provider_unavailable"],
  ])("rewords the provider's answer: %#", async (trouble, status, code) => {
    const cloud = await vault("cloud_a_secrets_manager");
    trouble();
    const answer = await previewOf({ providerConfigId: cloud.id, query: canary });
    manager.deny();
    manager.throttle(0);
    manager.comeBack();
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(JSON.stringify(answer.body)).not.toContain(canary);
  });
});

describe("a vault that is disabled", () => {
  it("and enabled again has an unknown health until it is checked", async () => {
    const made = await vault("local_encrypted");
    const path = `/api/secret-provider-configs/${made.id}`;
    await post(`${path}/health`, {});
    await service.request("DELETE", path);
    await post(`${path}/health`, {});
    expect((await service.request("GET", path)).body.healthStatus).toBe("disabled");
    const enabled = await service.request("PATCH", path, { body: { status: "ready" } });
    expect(enabled.body).toMatchObject({
      status: "ready",
      healthStatus: null,
      healthCheckedAt: null,
      healthMessage: null,
      healthDetails: null,
    });
  });
});

describe("the life of a secret", () => {
  const runOf = async (env: Record<string, unknown>) => {
    const { admin } = service;
    const { id: agentId } = await admin.agents.create({
      companyId,
      name: `Reader ${Math.random()}`,
      adapterType: "process",
      adapterConfig: { command: "true", env } as never,
    });
    const again = async () => {
      const runId = (await admin.agents.invoke({ agentId })).id!;
      return eventually(
        () => admin.runs.get({ runId }),
        ({ status }) => status !== "queued" && status !== "running",
      );
    };
    return { agentId, again };
  };
  const secretIn = async (providerConfigId: string | null, name: string) =>
    service.admin.secrets.create({ companyId, name, value: "a value to read", providerConfigId });

  it("a disabled vault still serves reads, accepts no new values, and names its secrets", async () => {
    const made = await vault("local_encrypted");
    const secret = await secretIn(made.id, "In a vault");
    const { again } = await runOf({ S: { type: "secret_ref", secretId: secret.id, version: "latest" } });
    const named = [{ id: secret.id, name: "In a vault", key: "in-a-vault" }];
    const path = `/api/secret-provider-configs/${made.id}`;
    expect((await service.request("DELETE", path)).body).toMatchObject({
      status: "disabled",
      secrets: named,
    });
    expect((await post(`${path}/health`, {})).body).toMatchObject({ status: "disabled", secrets: named });
    expect(await again()).toMatchObject({ status: "succeeded" });
    const rotated = await post(`/api/secrets/${secret.id}/rotate`, {
      value: "x".repeat(9),
      providerConfigId: made.id,
    });
    expect(rotated.status).toBe(422);
  });

  it("rotated without a vault it goes to the deployment's default, and the answer says so", async () => {
    const marked = await vault("local_encrypted", { isDefault: true });
    const secret = await secretIn(marked.id, "Moves");
    const { body } = await post(`/api/secrets/${secret.id}/rotate`, { value: "another value" });
    expect(body).toMatchObject({ latestVersion: 2, providerConfigId: null, provider: "local_encrypted" });
  });

  it("a disabled version is given to no run, until it is enabled again", async () => {
    const secret = await secretIn(null, "Versions");
    await post(`/api/secrets/${secret.id}/rotate`, { value: "another value" });
    const { again } = await runOf({ S: { type: "secret_ref", secretId: secret.id, version: 1 } });
    const change = (version: number, status: string) =>
      service.request("PATCH", `/api/secrets/${secret.id}/versions/${version}`, { body: { status } });
    expect((await change(1, "disabled")).body).toMatchObject({ version: 1, status: "disabled" });
    expect(await again()).toMatchObject({ status: "failed", errorCode: "secret_version_disabled" });
    expect((await change(1, "active")).body).toMatchObject({ version: 1, status: "previous" });
    expect(await again()).toMatchObject({ status: "succeeded" });
    expect((await change(3, "disabled")).body.code).toBe("secret_version_not_found");
  });

  it("a deleted one cannot be read; while agents are bound to it, only force deletes it", async () => {
    const secret = await secretIn(null, "Goes");
    const { agentId, again } = await runOf({
      S: { type: "secret_ref", secretId: secret.id, version: "latest" },
    });
    expect(await again()).toMatchObject({ status: "succeeded" });
    const refused = await service.request("DELETE", `/api/secrets/${secret.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, "secret_bound"]);
    expect(refused.body.details.bindings).toMatchObject([{ agentId, configPath: "env.S" }]);
    expect((await service.request("DELETE", `/api/secrets/${secret.id}?force=true`)).status).toBe(200);
    expect((await service.request("GET", `/api/secrets/${secret.id}`)).status).toBe(404);
    expect(await again()).toMatchObject({ status: "failed", errorCode: "secret_not_found" });
  });
});

describe("a service without settings or credentials of the cloud", () => {
  let bare: TestService;
  let bareCompany: string;
  const savedEnv = { ...process.env };
  beforeAll(async () => {
    for (const name of Object.keys(process.env))
      if (/^AWS_|^SERVICE_CLOUD_A_/.test(name)) delete process.env[name];
    Object.assign(process.env, {
      AWS_EC2_METADATA_DISABLED: "true",
      AWS_CONFIG_FILE: "/no/where",
      AWS_SHARED_CREDENTIALS_FILE: "/no/where",
    });
    bare = await startService({ env: { SERVICE_CLOUD_A_ENDPOINT: manager.url } });
    bareCompany = (await bare.admin.companies.create({ name: "Bare" })).id;
  });
  afterAll(async () => {
    process.env = savedEnv;
    await bare?.stop();
  });

  it("names the variables that a managed secret needs, and the sources of credentials", async () => {
    const { status, body } = await bare.request("POST", `/api/companies/${bareCompany}/secrets`, {
      body: { name: "n", value: canary, provider: "cloud_a_secrets_manager" },
    });
    expect([status, body.code]).toEqual([422, "invalid_request"]);
    expect(body.error).toMatch(/SERVICE_CLOUD_A_REGION/);
    expect(body.error).toMatch(/the AWS SDK's default chain/);
    expect(body.details.missingConfig).toContain("SERVICE_CLOUD_A_DEPLOYMENT_ID");
    expect(JSON.stringify(body)).not.toContain(canary);
  });

  it("reports the same in a vault's health", async () => {
    const made = await bare.request("POST", vaultsOf(bareCompany), {
      body: { provider: "cloud_a_secrets_manager", displayName: "v", config: { region } },
    });
    const { body } = await bare.request("POST", `/api/secret-provider-configs/${made.body.id}/health`);
    expect(body).toMatchObject({ status: "error", details: { code: "provider_needs_attention" } });
    const guidance = body.details.guidance.join(" ");
    expect(guidance).toMatch(/Credentials are expected from the AWS SDK's default chain/);
    expect(guidance).toMatch(/SERVICE_CLOUD_A_DEPLOYMENT_ID/);
    expect(guidance).toMatch(/must not be stored as company secrets/);
  });
});
