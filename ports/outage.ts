import { type Refusal, refusal } from "../core/model/shared/failure.ts";

/** The database is unreachable, is starting, or accepts no connections or no writes. */
export class DatabaseUnavailable extends refusal(
  "database_unavailable",
  "upstream_unavailable",
  "The service's database cannot do that at the moment. Try again soon.",
) {}

export class StorageFull extends refusal(
  "storage_full",
  "upstream_unavailable",
  "The service has no room left to store that. Its operator must make room; try again later.",
) {}

/** The database ended a statement at its time limit. */
export class DatabaseTooSlow extends refusal(
  "database_too_slow",
  "upstream_unavailable",
  "That took the service's database too long, and nothing of it is stored. Try again later, or ask for less.",
) {}

/** The connection was lost between the commit and its answer. */
export class OutcomeUnknown extends refusal(
  "outcome_unknown",
  "upstream_unavailable",
  "The database was lost while it stored the change. Look whether it is there before you try again.",
) {}

/**
 * An infrastructure failure of a known kind: a defect that hosts may translate. The message is for the operator;
 * callers get its meaning only.
 */
export class Outage extends Error {
  override readonly name = "Outage";
  readonly meaning: Refusal;
  constructor(message: string, meaning: Refusal, cause: unknown) {
    super(message, { cause });
    this.meaning = meaning;
  }
}
