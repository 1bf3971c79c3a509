import { UrlKeyTaken } from "../../core/agents/agent.ts";
import { LabelNameTaken } from "../../core/labels/label.ts";
import { ReferenceTaken, SecretKeyTaken, SecretNameTaken } from "../../core/secrets/secret.ts";
import type { Refusal } from "../../core/shared/failure.ts";
import { DatabaseUnavailable, Outage, OutcomeUnknown, StorageFull } from "../../ports/outage.ts";

/** The database did not do what it was asked, for a reason that no refusal names. */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure";
}

/** The connection was lost; what had not been committed is undone. */
export const connectionLost = (cause: unknown): Outage =>
  new Outage(
    "The connection to the database was lost; nothing of the transaction is stored.",
    outageOf(cause) ?? new DatabaseUnavailable(),
    cause,
  );

/** The connection was lost between the order to commit and its answer. */
export const commitUnknown = (cause: unknown): Outage =>
  new Outage(
    "The connection to the database was lost while committing: whether the change is stored is not known.",
    new OutcomeUnknown(),
    cause,
  );

export const notReached = (cause: unknown): Outage =>
  new Outage(
    `The database does not answer: ${messageOf(cause)}`,
    outageOf(cause) ?? new DatabaseUnavailable(),
    cause,
  );

export const statementFailed = (cause: unknown): DatabaseFailure | Outage => {
  if (cause instanceof DatabaseFailure || cause instanceof Outage) return cause;
  if (isOfConnection(cause)) return notReached(cause);
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

/** Constraints that people can run into, and what they are told. Any other violation is a defect. */
const refusalsByConstraint: Readonly<Record<string, () => Refusal>> = {
  labels_name_key: () => new LabelNameTaken(),
  agents_url_key_key: () => new UrlKeyTaken(),
  secrets_key_key: () => new SecretKeyTaken(),
  secrets_name_key: () => new SecretNameTaken(),
  secrets_reference_key: () => new ReferenceTaken(),
};

/** The refusal that a failed statement means, or null. */
export const refusalOf = (failure: unknown): Refusal | null =>
  refusalsByConstraint[answerOf(failure).constraint_name ?? ""]?.() ?? null;

const diskFull = "53100";
const readOnlyTransaction = "25006";

/** What lies in the database's own state, whatever it is asked: its class 53 is about what it has too little of. */
const outageOf = (failure: unknown): Refusal | null => {
  const { code = "" } = answerOf(failure);
  if (code === diskFull) return new StorageFull();
  return code === readOnlyTransaction || code.startsWith("53") ? new DatabaseUnavailable() : null;
};

const serializationFailure = "40001";
const deadlockDetected = "40P01";

/** Others waited for it as it waited for them, and it was chosen to give way. */
export const isDeadlock = (failure: unknown): boolean => answerOf(failure).code === deadlockDetected;

/** Whether the same work may succeed when it is done again from its start. */
export const isConflict = (failure: unknown): boolean => {
  const { code, routine } = answerOf(failure);
  return (
    code === serializationFailure ||
    isDeadlock(failure) ||
    // A migration of a later version changed a table under a statement that was prepared before.
    routine === "RevalidateCachedQuery"
  );
};

/** The client's own errors, the system's, and what the database says when it closes a connection. */
export const isOfConnection = (failure: unknown): boolean => {
  const { code, severity } = answerOf(failure);
  // What the database calls fatal ends the connection, or comes instead of one.
  if (severity === "FATAL" || severity === "PANIC") return true;
  return code !== undefined && /^(CONNECTION_|CONNECT_|E[A-Z]{4,}$|57P0[1-5]$|08|25P03$)/.test(code);
};
