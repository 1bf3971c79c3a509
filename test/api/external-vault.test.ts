import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiService, startApi } from "../support/api-service.ts";
import { startVault, type VaultServer, vaultVariables } from "../support/vault-server.ts";

let api: ApiService;
let vault: VaultServer;
let folder: string;
let companyId: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "boardroom-vault-"));
  vault = await startVault(folder);
  api = await startApi({
    env: {
      ...vaultVariables(vault, folder),
      SERVICE_SECRET_PROVIDERS: "external_vault",
      SERVICE_OUTBOUND_PRIVATE_HOSTS: "localhost",
    },
  });
  companyId = (await api.make("/api/companies", { name: "Vault" })).id;
});
afterAll(async () => {
  await api?.stop();
  await vault?.stop();
  await rm(folder, { recursive: true, force: true });
});

const canary = "value-of-the-vault-that-nobody-shows";
const vaultOf = (config = {}) =>
  api.make(`/api/companies/${companyId}/secret-provider-configs`, {
    provider: "external_vault",
    displayName: "Vault",
    config,
  });

describe("external_vault, where the operator has turned it on", () => {
  it("stores, rotates, links and imports secrets, and shows no value", async () => {
    const made = await vaultOf({ mountPath: "kv" });
    expect(made).toMatchObject({ status: "ready" });
    vault.put("kv/prod/db", { password: canary });
    expect(await api.make(`/api/secret-provider-configs/${made.id}/health`, {})).toMatchObject({
      status: "ready",
    });
    const own = await api.make(`/api/companies/${companyId}/secrets`, {
      name: "OWN",
      value: canary,
      provider: "external_vault",
      providerConfigId: made.id,
    });
    expect(
      (await api.post(`/api/secrets/${own.id}/rotate`, { value: `${canary}-2`, providerConfigId: made.id }))
        .status,
    ).toBeLessThan(300);
    const stored = [...vault.secrets].find(([path]) => path.startsWith("/kv/boardroom/"));
    expect(stored?.[1].map(({ data }) => data)).toEqual([{ value: canary }, { value: `${canary}-2` }]);
    const preview = await api.post(`/api/companies/${companyId}/secrets/remote-import/preview`, {
      providerConfigId: made.id,
    });
    expect(JSON.stringify(preview.body)).toContain("prod/db");
    const linked = await api.make(`/api/companies/${companyId}/secrets`, {
      name: "DB",
      managedMode: "external_reference",
      externalRef: "prod/db#password",
      provider: "external_vault",
      providerConfigId: made.id,
    });
    expect(linked).toMatchObject({ provider: "external_vault" });
    const shown = JSON.stringify([
      own,
      preview.body,
      linked,
      (await api.get(`/api/companies/${companyId}/secrets`)).body,
    ]);
    expect(shown).not.toContain(canary);
  });

  it("sends its credentials to no address of a company", async () => {
    const asked = vault.requests.length;
    const made = await vaultOf({ address: "https://vault.example.com" });
    const health = await api.post(`/api/secret-provider-configs/${made.id}/health`, {});
    expect(health.body).toMatchObject({ status: "error" });
    expect(vault.requests.length).toBe(asked);
  });

  it("leaves the other provider without a runtime as it is", async () => {
    const made = await api.make(`/api/companies/${companyId}/secret-provider-configs`, {
      provider: "cloud_b_secret_manager",
      displayName: "B",
    });
    expect(made).toMatchObject({ status: "coming_soon" });
  });
});
