import * as Effect from "effect/Effect";
import { z } from "zod";
import { ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { VaultId } from "../../../core/model/shared/ids.ts";
import { providers } from "../../../core/model/vaults/provider.ts";
import { VaultLocked, VaultNotFound, VaultUnusable } from "../../../core/model/vaults/vault.ts";
import { settableStatuses } from "../../../core/model/vaults/vault-status.ts";
import { acting, boardInCompany, boardInCompanyOf } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { FreeObject, Name } from "../endpoint/values.ts";
import { DisabledVaultShape, VaultHealthShape, VaultShape } from "./vault-shapes.ts";

const DisplayName = Name.max(120);

const config = FreeObject.describe("The provider's fields, without secrets. A PATCH replaces all of it.");

const status = z.enum(settableStatuses);

export const vaults = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/secret-provider-configs",
    summary: "List the vaults of a company",
    description: "Newest first, disabled ones included.",
    access: boardInCompany("viewer"),
    returns: z.array(VaultShape).readonly(),
    run: ({ views }, { companyId }) => views.secrets.vaults(companyId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/secret-provider-configs",
    summary: "Configure a vault",
    description:
      "A vault names a provider and its location, without credentials: those belong to the deployment. isDefault clears the mark of the provider's other vaults.",
    access: acting("company", "manageSecrets"),
    body: z.strictObject({
      provider: z.enum(providers),
      displayName: DisplayName,
      status: status.optional(),
      isDefault: z.boolean().optional().describe("A hint for clients; the service never applies it."),
      config: config.optional(),
    }),
    returns: VaultShape,
    status: 201,
    failures: [ValidationFailed, VaultLocked, VaultUnusable],
    creates: { again: ({ views }, id) => views.secrets.vault(id as VaultId).pipe(Effect.orDie) },
    run: ({ vaults }, input, { by, newId }) => vaults.create({ ...input, id: newId<VaultId>(), by }),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/secret-provider-configs/{vaultId}",
    summary: "Show a vault",
    description: "With the result of its last health check.",
    access: boardInCompanyOf("vault", "viewer"),
    returns: VaultShape,
    failures: [VaultNotFound],
    run: ({ views }, { vaultId }) => views.secrets.vault(vaultId),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/secret-provider-configs/{vaultId}",
    summary: "Change a vault",
    description: "config replaces all of the old one.",
    access: acting("company", "manageSecrets", "vault"),
    body: z.strictObject({
      displayName: DisplayName.optional(),
      status: status.optional(),
      isDefault: z.boolean().optional(),
      config: config.optional(),
    }),
    returns: VaultShape,
    failures: [ValidationFailed, VaultLocked, VaultNotFound, VaultUnusable],
    run: ({ vaults }, input, { by, companyId }) => vaults.update({ ...input, companyId, by }),
  }),
  disable: endpoint({
    method: "DELETE",
    path: "/api/secret-provider-configs/{vaultId}",
    summary: "Disable a vault",
    description:
      "It stays in lists and takes no new values; runs still read its secrets. The answer names them.",
    access: acting("company", "manageSecrets", "vault"),
    returns: DisabledVaultShape,
    failures: [VaultNotFound],
    run: ({ vaults, views }, { vaultId }, { by, companyId }) =>
      Effect.zipWith(
        vaults.disable({ vaultId, companyId, by }),
        views.secrets.inVault(vaultId),
        (vault, secrets) => ({ ...vault, secrets }),
      ),
  }),
  setDefault: endpoint({
    method: "POST",
    path: "/api/secret-provider-configs/{vaultId}/default",
    summary: "Make a vault the default of its provider",
    description:
      "The provider's other vaults lose the mark. It is a hint for clients; the service never applies it. A vault that is disabled or coming soon is refused.",
    access: acting("company", "manageSecrets", "vault"),
    returns: VaultShape,
    failures: [VaultLocked, VaultNotFound, VaultUnusable],
    run: ({ vaults }, { vaultId }, { by, companyId }) => vaults.setDefault({ vaultId, companyId, by }),
  }),
  checkHealth: endpoint({
    method: "POST",
    path: "/api/secret-provider-configs/{vaultId}/health",
    summary: "Check whether a vault works",
    description: "Calls the provider, and updates the vault's status.",
    access: acting("company", "manageSecrets", "vault"),
    returns: VaultHealthShape,
    failures: [VaultNotFound],
    run: ({ vaults, views }, { vaultId }, { by, companyId }) =>
      Effect.zipWith(
        vaults.checkHealth({ vaultId, companyId, by }),
        views.secrets.inVault(vaultId),
        (health, secrets) => ({ ...health, secrets }),
      ),
  }),
};
