import { PasskeyRegistered } from "../../core/model/access/passkey.ts";
import { UrlKeyTaken } from "../../core/model/agents/agent.ts";
import { LabelNameTaken } from "../../core/model/labels/label.ts";
import { McpServerNameTaken } from "../../core/model/mcp-servers/mcp-server.ts";
import { ReferenceTaken, SecretKeyTaken, SecretNameTaken } from "../../core/model/secrets/secret.ts";
import type { Refusal } from "../../core/model/shared/failure.ts";
import {
  DatabaseTooSlow,
  DatabaseUnavailable,
  Outage,
  OutcomeUnknown,
  StorageFull,
} from "../../ports/outage.ts";

/** The database failed for a reason that no refusal covers. */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure";
}

/** The connection was lost; uncommitted work is rolled back. */
export const connectionLost = (cause: unknown): Outage =>
  new Outage(
    "The connection to the database was lost; nothing of the transaction is stored.",
    outageOf(cause) ?? new DatabaseUnavailable(),
    cause,
  );

/** The connection was lost between the commit and its answer. */
export const commitUnknown = (cause: unknown): Outage =>
  new Outage(
    "The connection to the database was lost while committing: whether the change is stored is not known.",
    new OutcomeUnknown(),
    cause,
  );

export const unreachable = (cause: unknown): Outage =>
  new Outage(
    `The database does not answer: ${messageOf(cause)}`,
    outageOf(cause) ?? new DatabaseUnavailable(),
    cause,
  );

export const readOnly = (): Outage =>
  new Outage("The database is read-only; nothing can be stored.", new DatabaseUnavailable(), null);

export const statementFailed = (cause: unknown): DatabaseFailure | Outage => {
  if (cause instanceof DatabaseFailure || cause instanceof Outage) return cause;
  if (isOfConnection(cause)) return unreachable(cause);
  const message = `The database refused a statement: ${messageOf(cause)}`;
  const meaning = outageOf(cause);
  return meaning === null ? new DatabaseFailure(message, { cause }) : new Outage(message, meaning, cause);
};

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

interface PostgresAnswer {
  readonly code?: string;
  readonly severity?: string;
  readonly constraint_name?: string;
  readonly routine?: string;
}

const answerOf = (failure: unknown): PostgresAnswer =>
  typeof failure === "object" && failure !== null ? (failure as PostgresAnswer) : {};

/** Constraints that callers can violate, with their refusals. Any other violation is a defect. */
const refusalsByConstraint: Readonly<Record<string, () => Refusal>> = {
  mcp_servers_name_key: () => new McpServerNameTaken(),
  passkeys_credential_id_key: () => new PasskeyRegistered(),
  labels_name_key: () => new LabelNameTaken(),
  agents_url_key_key: () => new UrlKeyTaken(),
  secrets_key_key: () => new SecretKeyTaken(),
  secrets_name_key: () => new SecretNameTaken(),
  secrets_reference_key: () => new ReferenceTaken(),
};

/** Returns the refusal for a failed statement, or null. */
export const refusalOf = (failure: unknown): Refusal | null =>
  refusalsByConstraint[answerOf(failure).constraint_name ?? ""]?.() ?? null;

const diskFull = "53100";
const readOnlyTransaction = "25006";
const statementEnded = "57014";

/** The database's own state is the cause, whatever the statement; class 53 means insufficient resources. */
const outageOf = (failure: unknown): Refusal | null => {
  const { code = "" } = answerOf(failure);
  if (code === diskFull) return new StorageFull();
  if (code === statementEnded) return new DatabaseTooSlow();
  return code === readOnlyTransaction || code.startsWith("53") ? new DatabaseUnavailable() : null;
};

const serializationFailure = "40001";
const deadlockDetected = "40P01";

/** The database chose this transaction as the victim of a deadlock. */
export const isDeadlock = (failure: unknown): boolean => answerOf(failure).code === deadlockDetected;

/** Whether the same work may succeed when it starts again. */
export const isConflict = (failure: unknown): boolean => {
  const { code, routine } = answerOf(failure);
  return (
    code === serializationFailure ||
    isDeadlock(failure) ||
    // A later version's migration changed a table of a prepared statement.
    routine === "RevalidateCachedQuery"
  );
};

/** The server has become a standby: another connection may lead to the one that took its place. */
export const isReadOnlyAnswer = (failure: unknown): boolean => answerOf(failure).code === readOnlyTransaction;

/** Matches errors of the client, of the system, and of the database when it closes a connection. */
export const isOfConnection = (failure: unknown): boolean => {
  const { code, severity } = answerOf(failure);
  if (code === readOnlyTransaction) return true;
  // A FATAL error ends the connection or prevents it.
  if (severity === "FATAL" || severity === "PANIC") return true;
  return code !== undefined && /^(CONNECTION_|CONNECT_|E[A-Z]{4,}$|57P0[1-5]$|08|25P03$)/.test(code);
};
