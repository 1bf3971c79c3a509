import { UrlKeyTaken } from "../../core/agents/agent.ts";
import { LabelNameTaken } from "../../core/labels/label.ts";
import { ReferenceTaken, SecretKeyTaken, SecretNameTaken } from "../../core/secrets/secret.ts";
import type { Refusal } from "../../core/shared/failure.ts";

/** The database did not do what it was asked, for a reason that no refusal names. */
export class DatabaseFailure extends Error {
  override readonly name = "DatabaseFailure";
}

/** The connection was lost; what had not been committed is undone. */
export const connectionLost = (cause: unknown): DatabaseFailure =>
  new DatabaseFailure("The connection to the database was lost; nothing of the transaction is stored.", {
    cause,
  });

/** The connection was lost between the order to commit and its answer. */
export const commitUnknown = (cause: unknown): DatabaseFailure =>
  new DatabaseFailure(
    "The connection to the database was lost while committing: whether the change is stored is not known.",
    { cause },
  );

export const notReached = (cause: unknown): DatabaseFailure =>
  new DatabaseFailure(`The database does not answer: ${messageOf(cause)}`, { cause });

export const statementFailed = (cause: unknown): DatabaseFailure => {
  if (cause instanceof DatabaseFailure) return cause;
  return isOfConnection(cause)
    ? notReached(cause)
    : new DatabaseFailure(`The database refused a statement: ${messageOf(cause)}`, { cause });
};

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

interface PostgresAnswer {
  readonly code?: string;
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

const serializationFailure = "40001";
const deadlockDetected = "40P01";

/** Whether the same work may succeed when it is done again from its start. */
export const isConflict = (failure: unknown): boolean => {
  const { code, routine } = answerOf(failure);
  return (
    code === serializationFailure ||
    code === deadlockDetected ||
    // A migration of a later version changed a table under a statement that was prepared before.
    routine === "RevalidateCachedQuery"
  );
};

/** The client's own errors, the system's, and what the database says when it closes a connection. */
export const isOfConnection = (failure: unknown): boolean => {
  const { code } = answerOf(failure);
  return code !== undefined && /^(CONNECTION_|CONNECT_|E[A-Z]{4,}$|57P0[1-5]$|08|25P03$)/.test(code);
};
