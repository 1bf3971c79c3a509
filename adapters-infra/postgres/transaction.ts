import * as Effect from "effect/Effect";
import type { PendingQuery, ReservedSql, Sql } from "postgres";
import { endUnwanted, within } from "./answers.ts";
import type { Statement } from "./database.ts";
import {
  commitUnknown,
  connectionLost,
  DatabaseFailure,
  isOfConnection,
  statementFailed,
} from "./database-failure.ts";
import { type OwnConnection, recordFailure } from "./own-connection.ts";
import { beginStatementSpan, statementParent } from "./statement-span.ts";

/** The interface through which stores send statements. */
export interface Statements {
  /** Waits for the rows, and for no statement but those before it. */
  read<Row extends object>(statement: Statement<Row>): Effect.Effect<readonly Row[]>;
  /** Like `read`, for a statement with at most one row. */
  first<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null>;
  /** Sends it at once, behind earlier statements. The end of the transaction reports its failure. */
  write(statement: Statement): Effect.Effect<void>;
  /** Like `write`, for a statement that followers of events learn of. */
  writeEvent(statement: Statement): Effect.Effect<void>;
}

/** Limit of a rollback before the connection counts as lost. */
const rollbackMs = 5_000;

/**
 * One transaction on one reserved connection. Statements are pipelined: each is sent at once and answered in order, so
 * `begin` and `commit` cost no extra round trip.
 */
export class Transaction implements Statements {
  readonly #sql: ReservedSql;
  readonly #connection: OwnConnection;
  readonly #underWay = new Set<UnderWay>();
  #lastAnswer: Promise<unknown> = Promise.resolve();
  #failure: unknown = null;
  #hasEvents = false;

  /** Takes a reserved connection. */
  constructor(connection: OwnConnection, sql: ReservedSql) {
    this.#connection = connection;
    this.#sql = sql;
    connection.onClose = (error) => this.#lose(error);
    // Shares a packet with the first statement.
    this.#send(sql.unsafe("begin isolation level read committed")).catch(ignore);
  }

  /** The first failure of a statement; later ones are its consequence. */
  get failure(): unknown {
    return this.#failure;
  }

  read<Row extends object>(statement: Statement<Row>): Effect.Effect<readonly Row[]> {
    return Effect.callback((resume) => {
      this.#send(statement(this.#sql as Sql)).then(
        (rows) => resume(Effect.succeed(rows)),
        () => resume(Effect.die(statementFailed(this.#failure))),
      );
    });
  }

  first<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null> {
    return Effect.map(this.read(statement), (rows) => rows[0] ?? null);
  }

  write(statement: Statement): Effect.Effect<void> {
    return Effect.sync(() => {
      this.#send(statement(this.#sql as Sql)).catch(ignore);
    });
  }

  writeEvent(statement: Statement): Effect.Effect<void> {
    this.#hasEvents = true;
    return this.write(statement);
  }

  get hasEvents(): boolean {
    return this.#hasEvents;
  }

  /** Sends the commit behind the writes and waits for all of them. Returns true when everything is stored. */
  async commit(): Promise<boolean> {
    const wasLost = this.#connection.broken;
    let answer = "nothing";
    try {
      answer = await this.#end("commit");
    } catch (error) {
      if (!wasLost && this.#connection.broken && this.#failure === error)
        this.#failure = commitUnknown((error as Error).cause);
    }
    if (answer === "COMMIT" && this.#failure === null) return true;
    this.#failure ??= new DatabaseFailure(`The database answered the commit with ${answer}.`);
    return false;
  }

  /** Rolls back. Never fails: discards a connection whose rollback fails. */
  async rollback(): Promise<void> {
    const queries = () => [...this.#underWay].map(({ query }) => query);
    // Answers come in the order of the statements.
    if (!(await endUnwanted(queries, this.#lastAnswer))) return this.#discard();
    const answer = await within(this.#end("rollback").catch(ignore), rollbackMs);
    if (answer !== "ROLLBACK") this.#discard();
  }

  /** Ends the use of the connection. */
  release(): void {
    if (!this.#connection.broken) this.#sql.release();
  }

  async #end(order: "commit" | "rollback"): Promise<string> {
    const answer = await this.#send(this.#sql.unsafe(order) as PendingQuery<object[]>);
    return (answer as unknown as { readonly command: string }).command;
  }

  /** Also rejects when the connection closes: the client forgets statements that were not yet sent. */
  #send<Row extends object>(query: PendingQuery<Row[]>): Promise<readonly Row[]> {
    if (this.#connection.broken) {
      this.#failure ??= connectionLost(null);
      return Promise.reject(this.#failure);
    }
    const answered = new Promise<readonly Row[]>((resolve, reject) => {
      const underWay: UnderWay = { query: query as unknown as PendingQuery<object[]>, reject };
      this.#underWay.add(underWay);
      const endSpan = beginStatementSpan(statementParent(), underWay.query);
      query.then(
        (rows) => {
          endSpan();
          this.#underWay.delete(underWay);
          resolve(rows);
        },
        (error) => {
          endSpan(error);
          this.#underWay.delete(underWay);
          this.#failure ??= isOfConnection(error) ? connectionLost(error) : error;
          reject(this.#failure);
          recordFailure(this.#connection, error);
          if (this.#connection.broken) this.#lose(error);
        },
      );
    });
    this.#lastAnswer = answered.then(ignore, ignore);
    return answered;
  }

  #lose(error: unknown): void {
    this.#connection.broken = true;
    this.#connection.onClose = null;
    this.#failure ??= connectionLost(error);
    for (const { reject } of this.#underWay) reject(this.#failure);
    this.#underWay.clear();
  }

  #discard(): void {
    if (!this.#connection.broken) this.#lose(new Error("The database did not answer in time."));
  }
}

interface UnderWay {
  readonly query: PendingQuery<object[]>;
  readonly reject: (error: unknown) => void;
}

const ignore = (): null => null;
