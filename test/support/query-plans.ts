import * as Effect from "effect/Effect";
import postgres, { type Sql } from "postgres";
import { openDatabase } from "../../adapters-infra/postgres/connection.ts";

/** The work of a database for one query, over all its statements. */
export interface Reading {
  /** Big tables that were scanned completely. */
  readonly scanned: readonly string[];
  /** Rows of big tables and index entries that were read, used or not. */
  readonly rows: number;
  /** Pages of the database that were read, those inside functions with them. */
  readonly blocks: number;
  readonly millis: number;
}

/** How the server plans a prepared statement. */
type Mode = "custom" | "generic";

export interface Plans {
  readonly sql: Sql;
  /**
   * Runs the query and explains its statements with their values: `custom` as planned for these values, `generic` as
   * planned for any, which the server may reuse for a frequent statement. Rolls everything back.
   */
  read<A>(ask: Effect.Effect<A, unknown>, mode: Mode): Promise<Reading & { readonly answer: A }>;
  /** The same in several modes, for a query that changes nothing and is run once. */
  readIn<A>(
    ask: Effect.Effect<A, unknown>,
    modes: readonly Mode[],
  ): Promise<readonly (Reading & { readonly answer: A; readonly mode: Mode })[]>;
  end(): Promise<void>;
}

interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly "Shared Hit Blocks"?: number;
  readonly "Shared Read Blocks"?: number;
  readonly Plans?: readonly Node[];
}

interface Explained {
  readonly Plan: Node;
  readonly "Execution Time": number;
}

const bigFrom = 2_000;

/** Runs on an empty database, which `fill` fills, or on a filled one; `log` receives the plans. */
export const openPlans = async (
  url: string,
  fill?: (sql: Sql) => Promise<void>,
  log?: (plan: string) => void,
): Promise<Plans> => {
  const sent: { text: string; values: readonly unknown[] }[] = [];
  // Its looks for stalled statements are none of those to be explained.
  const sql = openDatabase(url, { max: 5, idleInTransactionSec: 86_400 });
  Object.assign(sql.options, {
    debug: (_connection: number, text: string, values: unknown[]) => {
      sent.push({ text, values });
    },
  });
  const quiet = postgres(url, { max: 1, onnotice: () => {} });
  await fill?.(quiet as unknown as Sql);
  const big = new Set(
    (
      await quiet<{ name: string }[]>`
        select  relname as name
        from    pg_class
        where   relnamespace = 'public'::regnamespace
        and     relkind = 'r'
        and     reltuples >= ${bigFrom}
      `
    ).map(({ name }) => name),
  );
  const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const explain = async (text: string, values: readonly unknown[], mode: string): Promise<Explained> => {
    await quiet.unsafe(`begin; set local plan_cache_mode = force_${mode}_plan; prepare asked as ${text}`);
    try {
      const given = values.length === 0 ? "" : `(${values.map(literal).join(", ")})`;
      const [row] = await quiet.unsafe<Record<string, [Explained]>[]>(
        `explain (analyze, timing off, buffers, format json) execute asked ${given}`,
      );
      return Object.values(row!)[0]![0];
    } finally {
      await quiet.unsafe("rollback; deallocate all");
    }
  };

  const sentBy = async <A>(ask: Effect.Effect<A, unknown>) => {
    sent.length = 0;
    const answer = await Effect.runPromise(ask);
    const asked = sent.filter(
      ({ text }) =>
        /^\s*(with|select|update|insert|delete)\b/i.test(text) &&
        !/pg_catalog|^select set_config\(/.test(text),
    );
    return { answer, asked };
  };
  const readingOf = async (asked: readonly (typeof sent)[number][], mode: Mode): Promise<Reading> => {
    const scanned: string[] = [];
    let rows = 0;
    let blocks = 0;
    let millis = 0;
    for (const { text, values } of asked) {
      const explained = await explain(text, values, mode);
      millis += explained["Execution Time"];
      blocks += (explained.Plan["Shared Hit Blocks"] ?? 0) + (explained.Plan["Shared Read Blocks"] ?? 0);
      log?.(JSON.stringify(explained.Plan, null, 1));
      for (const node of nodesOf(explained.Plan)) {
        const table = node["Relation Name"];
        if (table === undefined ? node["Node Type"] !== "Bitmap Index Scan" : !big.has(table)) continue;
        if (node["Node Type"] === "Seq Scan") scanned.push(table!);
        rows +=
          (node["Actual Rows"] +
            (node["Rows Removed by Filter"] ?? 0) +
            (node["Rows Removed by Index Recheck"] ?? 0)) *
          node["Actual Loops"];
      }
    }
    return { scanned, rows: Math.round(rows), blocks, millis };
  };
  const readIn: Plans["readIn"] = async (ask, modes) => {
    const { answer, asked } = await sentBy(ask);
    const read = [];
    for (const mode of modes) read.push({ mode, answer, ...(await readingOf(asked, mode)) });
    return read;
  };
  return {
    sql,
    read: async (ask, mode) => (await readIn(ask, [mode]))[0]!,
    readIn,
    end: async () => {
      await Promise.all([sql.end({ timeout: 5 }), quiet.end({ timeout: 5 })]);
    },
  };
};

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean") return `${value}`;
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString("hex")}'`;
  if (Array.isArray(value))
    return quoted(`{${value.map((item) => (item === null ? "null" : JSON.stringify(`${item}`))).join(",")}}`);
  // The value that `sql.json` wraps.
  if (typeof value === "object") return quoted(JSON.stringify((value as { value?: unknown }).value ?? value));
  return quoted(`${value}`);
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
