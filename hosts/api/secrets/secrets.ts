import * as Effect from "effect/Effect";
import { z } from "zod";
import { MasterKeyNotReady } from "../../../core/model/secrets/master-key.ts";
import { providerFailures } from "../../../core/model/secrets/provider-failure.ts";
import {
  managedModes,
  ProviderNotSupported,
  ReferenceGuarded,
  ReferenceTaken,
  RotationOvertaken,
  RotationUnsupported,
  SecretBound,
  SecretDisabled,
  SecretKeyEmpty,
  SecretKeyTaken,
  SecretNameTaken,
  SecretNotFound,
  SecretVersionNotFound,
  secretStatuses,
} from "../../../core/model/secrets/secret.ts";
import { ReferenceNotFound, ValidationFailed } from "../../../core/model/shared/failure.ts";
import type { SecretId, VersionId } from "../../../core/model/shared/ids.ts";
import { providers } from "../../../core/model/vaults/provider.ts";
import { VaultUnusable } from "../../../core/model/vaults/vault.ts";
import { acting, actingOnInstance, boardInCompany, boardInCompanyOf, verified } from "../endpoint/access.ts";
import { endpoint } from "../endpoint/endpoint.ts";
import { pageEndpoint } from "../endpoint/page-endpoint.ts";
import { Done, Flag, FreeObject, Name, upTo } from "../endpoint/values.ts";
import {
  AccessEventShape,
  Description,
  ExternalRef,
  ImportPreviewShape,
  ImportShape,
  MasterKeyRotationShape,
  ProvidersHealthShape,
  SecretKey,
  SecretShape,
  SecretUsageShape,
  SecretValue,
  SecretVersionShape,
  VaultReference,
} from "./secret-shapes.ts";

const vault = VaultReference.nullable()
  .optional()
  .describe("A vault of the company. Default: the provider of the deployment.");

export const secrets = {
  list: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/secrets",
    summary: "List the secrets of a company",
    description: "Newest first, without values.",
    access: boardInCompany("viewer"),
    returns: z.array(SecretShape).readonly(),
    run: ({ views }, { companyId }) => views.secrets.list(companyId),
  }),
  create: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/secrets",
    summary: "Store a value, or link one that a provider stores",
    description:
      "Takes a value, or managedMode external_reference with a provider and an externalRef. The answer holds no value.",
    access: acting("company", "manageSecrets"),
    body: z.strictObject({
      name: Name,
      key: SecretKey.optional().describe("Default: derived from the name."),
      description: Description.nullable().optional(),
      provider: z.enum(providers).optional().describe("Default: the provider of the deployment."),
      managedMode: z.enum(managedModes).optional().describe("Default service_managed."),
      value: SecretValue.optional(),
      externalRef: ExternalRef.optional(),
      providerVersionRef: upTo(512).trim().min(1).nullable().optional(),
      providerConfigId: vault,
      providerMetadata: FreeObject.nullable().optional(),
    }),
    returns: SecretShape,
    status: 201,
    failures: [
      ...providerFailures,
      ProviderNotSupported,
      ReferenceGuarded,
      ReferenceNotFound,
      ReferenceTaken,
      SecretKeyEmpty,
      SecretKeyTaken,
      SecretNameTaken,
      SecretNotFound,
      ValidationFailed,
      VaultUnusable,
    ],
    creates: { again: ({ views }, id) => views.secrets.get(id as SecretId) },
    run: ({ secrets, views }, input, { by, newId }) =>
      secrets
        .create({ ...input, id: newId<SecretId>(), by })
        .pipe(Effect.flatMap(({ id }) => views.secrets.get(id))),
  }),
  get: endpoint({
    method: "GET",
    path: "/api/secrets/{secretId}",
    summary: "Show a secret, without its value",
    description:
      "No endpoint answers with a value: only runs receive it. referenceCount counts the bindings of agents that are not terminated.",
    access: boardInCompanyOf("secret", "viewer"),
    returns: SecretShape,
    failures: [SecretNotFound],
    run: ({ views }, { secretId }) => views.secrets.get(secretId),
  }),
  update: endpoint({
    method: "PATCH",
    path: "/api/secrets/{secretId}",
    summary: "Change a secret's description, or disable it",
    description: "No run receives a disabled secret: runs of agents bound to it fail before they start.",
    access: acting("company", "manageSecrets", "secret"),
    body: z.strictObject({
      name: Name.optional(),
      key: SecretKey.optional(),
      description: Description.nullable().optional(),
      status: z.enum(secretStatuses).optional(),
      providerMetadata: FreeObject.nullable().optional(),
    }),
    returns: SecretShape,
    failures: [SecretKeyTaken, SecretNameTaken, SecretNotFound],
    run: ({ secrets, views }, input, { by }) =>
      secrets.update({ ...input, by }).pipe(Effect.flatMap(({ id }) => views.secrets.get(id))),
  }),
  rotate: endpoint({
    method: "POST",
    path: "/api/secrets/{secretId}/rotate",
    summary: "Rotate a secret to a new value",
    description: "Adds a version. Agents bound to the latest version get it with their next run.",
    access: acting("company", "manageSecrets", "secret"),
    body: z.strictObject({ value: SecretValue, providerConfigId: vault }),
    returns: SecretShape,
    failures: [
      ...providerFailures,
      ReferenceNotFound,
      RotationOvertaken,
      RotationUnsupported,
      SecretDisabled,
      SecretNotFound,
      ValidationFailed,
      VaultUnusable,
    ],
    creates: { again: ({ views }, id) => views.secrets.byVersion(id as VersionId) },
    run: ({ secrets, views }, input, { by, newId }) =>
      secrets
        .rotate({ ...input, id: newId<VersionId>(), by })
        .pipe(Effect.flatMap(({ id }) => views.secrets.get(id))),
  }),
  versions: pageEndpoint({
    path: "/api/secrets/{secretId}/versions",
    summary: "List the versions of a secret",
    description: "Newest first, without values.",
    access: boardInCompanyOf("secret", "viewer"),
    limits: { default: 100, max: 500 },
    row: SecretVersionShape,
    run: ({ views }, { secretId, limit, cursor }) => views.secrets.versions(secretId, { limit, cursor }),
  }),
  updateVersion: endpoint({
    method: "PATCH",
    path: "/api/secrets/{secretId}/versions/{secretVersion}",
    summary: "Disable a version of a secret, or enable it again",
    description: "No run receives a disabled version: runs of agents bound to it fail before they start.",
    access: acting("company", "manageSecrets", "secret"),
    body: z.strictObject({ status: z.enum(secretStatuses) }),
    returns: SecretVersionShape,
    failures: [SecretNotFound, SecretVersionNotFound],
    run: ({ secrets, views }, { secretId, secretVersion: version, status }, { by }) =>
      secrets
        .changeVersion({ secretId, version, status, by })
        .pipe(Effect.andThen(views.secrets.version(secretId, version))),
  }),
  delete: endpoint({
    method: "DELETE",
    path: "/api/secrets/{secretId}",
    summary: "Delete a secret with all its versions",
    description:
      "Cannot be undone; reads end at once. While agents, repositories or MCP servers use it, answers 409 with them, unless force is set. The provider's copy stays.",
    access: verified(acting("company", "manageSecrets", "secret")),
    query: z.strictObject({ force: Flag.optional() }),
    returns: Done,
    failures: [SecretBound, SecretNotFound],
    run: ({ secrets }, { secretId, force = false }, { by }) =>
      secrets.delete({ secretId, force, by }).pipe(Effect.as({ ok: true as const })),
  }),
  usage: endpoint({
    method: "GET",
    path: "/api/secrets/{secretId}/usage",
    summary: "Show what uses a secret",
    description:
      "bindings are agents' variables, sorted by agent's name, with the version of each; terminated agents are omitted. repositories authenticate with it, or check webhooks by it; mcpServers send it in a header or get it in a variable.",
    access: boardInCompanyOf("secret", "viewer"),
    returns: SecretUsageShape,
    run: ({ views }, { secretId }) =>
      views.secrets.usage(secretId).pipe(Effect.map((usage) => ({ secretId, ...usage }))),
  }),
  accessEvents: pageEndpoint({
    path: "/api/secrets/{secretId}/access-events",
    summary: "Show which runs read a secret",
    description: "Newest first.",
    access: boardInCompanyOf("secret", "viewer"),
    limits: { default: 100, max: 500 },
    row: AccessEventShape,
    run: ({ views }, { secretId, limit, cursor }) => views.secrets.accessEvents(secretId, { limit, cursor }),
  }),
  providersHealth: endpoint({
    method: "GET",
    path: "/api/companies/{companyId}/secret-providers/health",
    summary: "Show how the secret providers are set up",
    description: "Names missing settings and what to back up. Holds no value and no credential.",
    access: boardInCompany("viewer"),
    returns: ProvidersHealthShape,
    run: ({ secrets }) => secrets.providersHealth(),
  }),
  previewImport: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/secrets/remote-import/preview",
    summary: "List the secrets of a vault that can be linked",
    description: "Uses only the provider's list operation; reads no value.",
    access: acting("company", "manageSecrets"),
    body: z.strictObject({
      providerConfigId: VaultReference,
      query: upTo(200).optional().describe("Passed to the provider's own filter; not secret."),
      nextToken: upTo(4096).min(1).optional().describe("The nextToken of the previous answer, unchanged."),
      pageSize: z.number().int().min(1).max(100).default(50),
    }),
    returns: ImportPreviewShape,
    failures: [...providerFailures, ReferenceNotFound, VaultUnusable],
    run: ({ secrets }, input, { by }) => secrets.previewImport({ ...input, by }),
  }),
  import: endpoint({
    method: "POST",
    path: "/api/companies/{companyId}/secrets/remote-import",
    summary: "Link secrets of a vault",
    description:
      "1 to 100 rows of externalRef, name, key, description, providerVersionRef, providerMetadata. Each row has its own outcome: imported, skipped or error.",
    access: acting("company", "manageSecrets"),
    body: z.strictObject({
      providerConfigId: VaultReference,
      secrets: z
        .array(
          z.record(z.string(), z.unknown()).meta({
            properties: {
              externalRef: { type: "string" },
              name: { type: "string" },
              key: { type: "string" },
              description: { type: "string" },
              providerVersionRef: { type: "string" },
              providerMetadata: { type: "object" },
            },
          }),
        )
        .min(1)
        .max(100),
    }),
    returns: ImportShape,
    failures: [ReferenceNotFound, ReferenceTaken, SecretKeyTaken, SecretNameTaken, VaultUnusable],
    creates: { again: null, keeps: () => true },
    run: ({ secrets }, input, { by }) => secrets.import({ ...input, by }),
  }),
  rotateMasterKey: endpoint({
    method: "POST",
    path: "/api/master-key/rotate",
    summary: "Change the master key",
    description:
      "Makes a new master key (or takes SERVICE_SECRETS_MASTER_KEY_NEXT) and rewraps all data keys with it, while services keep running. Back up the new key.",
    access: verified(actingOnInstance("rotateMasterKey")),
    returns: MasterKeyRotationShape,
    failures: [MasterKeyNotReady],
    creates: { again: null, keeps: () => true },
    run: ({ secrets }) => secrets.rotateMasterKey(),
  }),
};
