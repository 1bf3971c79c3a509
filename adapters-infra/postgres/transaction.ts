import * as Effect from "effect/Effect";
import type { PendingQuery, ReservedSql, Sql } from "postgres";
import type { Statement } from "./database.ts";
import { commitUnknown, connectionLost, DatabaseFailure, statementFailed } from "./database-failure.ts";

/** What a store sends its statements through. */
export interface Statements {
  /** Waits for the rows, and for no statement but those before it. */
  read<Row extends object>(statement: Statement<Row>): Effect.Effect<readonly Row[]>;
  /** As `read`, of a statement with one row at most. */
  first<Row extends object>(statement: Statement<Row>): Effect.Effect<Row | null>;
  /** Sends it at once, behind what was sent before. How it went is known when the transaction ends. */
  write(statement: Statement): Effect.Effect<void>;
}

/** How long what is under way may take to end by itself before it is cancelled, once nobody wants its answer. */
const patienceMs = 10;
/** How long a cancelled statement, or the rollback, may take before the connection counts as lost. */
const lastPatienceMs = 5_000;

/** What the client has behind a connection; not in its types, and pinned with its version. */
interface ClientConnection {
  onclose: ((error: unknown) => void) | null;
  terminate(): void;
}

/**
 * One transaction on one reserved connection. Statements are pipelined: each is sent at once and answered in order, so
 * `begin` and `commit` cost no round trip of their own.
 */
export class Transaction implements Statements {
  readonly #sql: ReservedSql;
  readonly #underWay = new Set<UnderWay>();
  #connection: ClientConnection | null = null;
  #lost = false;
  #failure: unknown = null;
  #lastAnswer: Promise<unknown> = Promise.resolve();

  constructor(sql: ReservedSql) {
    this.#sql = sql;
    // Sent before anything else can happen, because only a statement under way tells which connection it is. The packet
    // leaves with the first statement.
    this.#send(
      sql.unsafe("begin isolation level read committed", [], {
        onexecute: (connection: ClientConnection) => {
          this.#connection = connection;
          connection.onclose = (error) => this.#lose(error);
          return true;
        },
      } as object) as unknown as PendingQuery<object[]>,
    ).catch(ignore);
  }

  /** The first thing that went wrong with a statement; whatever failed after it failed because of it. */
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

  /** Sends the commit behind the writes and waits for all of them. True when everything is stored. */
  async commit(): Promise<boolean> {
    const wasLost = this.#lost;
    let answer = "nothing";
    try {
      answer = await this.#end("commit");
    } catch (error) {
      if (!wasLost && this.#lost && this.#failure === error) this.#failure = commitUnknown(error);
    }
    if (answer === "COMMIT" && this.#failure === null) return true;
    this.#failure ??= new DatabaseFailure(`The database answered the commit with ${answer}.`);
    return false;
  }

  /** Ends it without a trace. Never fails: a connection that will not do even that is given up. */
  async rollback(): Promise<void> {
    if (!(await this.#allAnswered(patienceMs))) {
      await this.#cancel();
      if (!(await this.#allAnswered(lastPatienceMs))) return this.#giveUp();
    }
    const answer = await within(this.#end("rollback").catch(ignore), lastPatienceMs);
    if (answer !== "ROLLBACK") this.#giveUp();
  }

  /** Gives the connection back to the pool, unless it is gone: then the pool has it back already. */
  release(): void {
    if (this.#lost) return;
    if (this.#connection !== null) this.#connection.onclose = null;
    this.#sql.release();
  }

  async #end(order: "commit" | "rollback"): Promise<string> {
    const answer = await this.#send(this.#sql.unsafe(order) as PendingQuery<object[]>);
    return (answer as unknown as { readonly command: string }).command;
  }

  /** Rejects when the connection closes, too: the client forgets statements that it had not yet put on the wire. */
  #send<Row extends object>(query: PendingQuery<Row[]>): Promise<readonly Row[]> {
    if (this.#lost) return Promise.reject(this.#failure);
    const answered = new Promise<readonly Row[]>((resolve, reject) => {
      const underWay: UnderWay = { query: query as unknown as Cancellable, reject };
      this.#underWay.add(underWay);
      query.then(
        (rows) => {
          this.#underWay.delete(underWay);
          resolve(rows);
        },
        (error) => {
          this.#underWay.delete(underWay);
          this.#failure ??= isOfConnection(error) ? connectionLost(error) : error;
          reject(this.#failure);
          // Nothing more may be written: the client would send it to whoever gets its next connection.
          if (isOfConnection(error)) this.#lose(error);
        },
      );
    });
    this.#lastAnswer = answered.then(ignore, ignore);
    return answered;
  }

  #lose(error: unknown): void {
    this.#lost = true;
    this.#failure ??= connectionLost(error);
    for (const { reject } of this.#underWay) reject(this.#failure);
    this.#underWay.clear();
  }

  #giveUp(): void {
    if (this.#lost) return;
    const connection = this.#connection;
    this.#lose(new Error("The database did not answer in time."));
    connection?.terminate();
  }

  /** Answers come in the order of the statements. */
  async #allAnswered(withinMs: number): Promise<boolean> {
    await within(this.#lastAnswer, withinMs);
    return this.#underWay.size === 0;
  }

  /**
   * Asks the database to give up the statement that runs. Waits until it has been told, so that the request cannot hit
   * a later statement. The client's own `cancel()` drops that promise, and its rejection would end the process.
   */
  async #cancel(): Promise<void> {
    const running = [...this.#underWay].find(({ query }) => query.active)?.query;
    if (running === undefined) return;
    await within(running.canceller(running).catch(ignore), lastPatienceMs);
  }
}

interface Cancellable {
  readonly active: boolean;
  readonly canceller: (query: Cancellable) => Promise<void>;
}

interface UnderWay {
  readonly query: Cancellable;
  readonly reject: (error: unknown) => void;
}

const ignore = (): null => null;

const within = <A>(promise: Promise<A>, ms: number): Promise<A | null> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, null);
    promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });

/** The client's own errors, and the system's; the database's have a code of five characters. */
const isOfConnection = (error: unknown): boolean => {
  const code = (error as { readonly code?: unknown } | null)?.code;
  return (
    typeof code === "string" &&
    (/^(CONNECTION|CONNECT)_/.test(code) || /^E[A-Z]{4,}$/.test(code) || code.startsWith("57P"))
  );
};
