import type * as Effect from "effect/Effect";
import type { McpServer } from "../../core/model/mcp-servers/mcp-server.ts";
import type { Repository } from "../../core/model/repositories/repository.ts";
import type {
  Secret,
  SecretNotFound,
  SecretVersion,
  SecretVersionNotFound,
} from "../../core/model/secrets/secret.ts";
import type {
  AgentId,
  CompanyId,
  IssueId,
  RunId,
  SecretId,
  VaultId,
  VersionId,
} from "../../core/model/shared/ids.ts";
import type { Instant } from "../../core/model/shared/instant.ts";
import type { Vault, VaultNotFound } from "../../core/model/vaults/vault.ts";
import type { CursorInvalid, Page, PageRequest } from "./page.ts";

/** A secret without its value; no view shows values. */
export interface SecretView extends Omit<Secret, "vaultId" | "canonicalRef"> {
  readonly providerConfigId: VaultId | null;
  /** Reference of the latest version. */
  readonly providerVersionRef: string | null;
  /** Whether the latest value is masked in output of runs; null where the service has not seen it. */
  readonly masked: boolean | null;
  /** Number of bindings of active agents. */
  readonly referenceCount: number;
  readonly repositoryCount: number;
  readonly mcpServerCount: number;
}

export interface SecretVersionView
  extends Pick<
    SecretVersion,
    "version" | "providerVersionRef" | "fingerprint" | "createdByAgentId" | "createdByUserId" | "createdAt"
  > {
  readonly secretId: SecretId;
  readonly providerConfigId: VaultId | null;
  readonly status: "current" | "previous" | "disabled";
}

/** Everything that would miss the secret: agents' variables, by agent; repositories; MCP servers, by name. */
export interface SecretUsage {
  readonly bindings: readonly AgentBinding[];
  readonly repositories: readonly Pick<Repository, "id" | "projectId" | "url">[];
  readonly mcpServers: readonly Pick<McpServer, "id" | "name">[];
}

/** A part of an agent's configuration that refers to the secret. */
export interface AgentBinding {
  readonly agentId: AgentId;
  readonly agentName: string;
  readonly configPath: string;
  readonly version: number | "latest";
}

/** A run's access to the value, and its outcome. */
export interface AccessEventView {
  readonly id: string;
  readonly secretId: SecretId;
  readonly version: number | null;
  readonly provider: string;
  readonly consumerType: "agent";
  readonly consumerId: AgentId;
  readonly configPath: string;
  readonly issueId: IssueId | null;
  readonly heartbeatRunId: RunId;
  readonly outcome: "success" | "failure";
  readonly errorCode: string | null;
  readonly createdAt: Instant;
}

export interface SecretViews {
  /** Newest first. */
  list(companyId: CompanyId): Effect.Effect<readonly SecretView[]>;
  get(id: SecretId): Effect.Effect<SecretView, SecretNotFound>;
  /** The secret that has that version. */
  byVersion(id: VersionId): Effect.Effect<SecretView, SecretNotFound>;
  /** Newest first. */
  versions(id: SecretId, page: PageRequest): Effect.Effect<Page<SecretVersionView>, CursorInvalid>;
  usage(id: SecretId): Effect.Effect<SecretUsage>;
  /** Newest first. */
  accessEvents(
    id: SecretId,
    page: { readonly limit: number; readonly cursor: string | undefined },
  ): Effect.Effect<Page<AccessEventView>, CursorInvalid>;
  /** Newest first; includes disabled ones. */
  vaults(companyId: CompanyId): Effect.Effect<readonly Vault[]>;
  vault(id: VaultId): Effect.Effect<Vault, VaultNotFound>;
  /** Secrets with a version in the vault, by name. */
  inVault(id: VaultId): Effect.Effect<readonly Pick<Secret, "id" | "name" | "key">[]>;
  version(id: SecretId, version: number): Effect.Effect<SecretVersionView, SecretVersionNotFound>;
}
