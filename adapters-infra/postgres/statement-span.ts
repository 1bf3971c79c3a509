import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Exit from "effect/Exit";
import * as Fiber from "effect/Fiber";
import * as Option from "effect/Option";
import type * as Tracer from "effect/Tracer";
import type { PendingQuery } from "postgres";

/** The span of the work that sends statements. */
export interface StatementParent {
  readonly span: Tracer.AnySpan;
  readonly tracer: Tracer.Tracer;
  readonly clock: Clock.Clock;
}

/** Call it in the turn of the fiber. Returns null where its work is not traced. */
export const statementParent = (): StatementParent | null => {
  const fiber = Fiber.getCurrent();
  const { span, tracer } = fiber?.cache ?? {};
  return fiber === undefined || span === undefined || tracer === undefined || !span.sampled
    ? null
    : { span, tracer, clock: fiber.getRef(Clock.Clock) };
};

/** Ends the span of a statement; `error` where it failed. */
export type EndStatementSpan = (error?: unknown) => void;

const untraced: EndStatementSpan = () => {};

/** Begins the span of a statement that is about to be sent. It says what the statement does to which table, and no value. */
export const beginStatementSpan = (
  parent: StatementParent | null,
  query: PendingQuery<object[]>,
): EndStatementSpan => {
  if (parent === null) return untraced;
  const { span: work, tracer, clock } = parent;
  const span = tracer.span({
    name: summaryOf((query as unknown as Written).strings),
    parent: Option.some(work),
    annotations: Context.empty(),
    links: [],
    startTime: clock.currentTimeNanosUnsafe(),
    kind: "client",
    root: false,
    sampled: true,
  });
  span.attribute("db.system.name", "postgresql");
  return (error) => {
    if (error === undefined) return span.end(clock.currentTimeNanosUnsafe(), Exit.void);
    const { code } = error as { readonly code?: unknown };
    if (typeof code === "string") span.attribute("db.response.status_code", code);
    span.end(clock.currentTimeNanosUnsafe(), Exit.die(error));
  };
};

/** A statement as the client has it: its text around its values. */
interface Written {
  readonly strings: readonly string[];
}

const summaries = new WeakMap<readonly string[], string>();

/** The operation and its table, such as `update issues`. The strings of a statement in the source are always the same. */
const summaryOf = (strings: readonly string[]): string => {
  let summary = summaries.get(strings);
  if (summary === undefined) {
    summary = summarise(strings.join("$"));
    summaries.set(strings, summary);
  }
  return summary;
};

const summarise = (statement: string): string => {
  let text = statement.toLowerCase().replace(/--.*$/gm, "");
  // Without the queries that it begins with, or contains.
  for (let before = ""; text !== before; ) {
    before = text;
    text = text.replace(/\([^()]*\)/g, "");
  }
  const [, operation, into] =
    /(?<!for |key )\b(insert(?= into)|update|delete(?= from)|select)\b(?: (?:into|from))?(?:\s+([a-z_]+))?/.exec(
      text,
    ) ?? [];
  if (operation === undefined) return /^\s*([a-z]+)/.exec(text)?.[1] ?? "statement";
  const table = operation === "select" ? /\bfrom\s+(?!as\b)([a-z_]+)/.exec(text)?.[1] : into;
  return table === undefined ? operation : `${operation} ${table}`;
};
