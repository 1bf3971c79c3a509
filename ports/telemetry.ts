import type * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import type * as Scope from "effect/Scope";
import type { Instant } from "../core/model/shared/instant.ts";

/** Opens a span of that name around the work. It began at `since`, or begins now. */
export type Span = <A, E>(
  name: string,
  work: Effect.Effect<A, E>,
  options?: { readonly since?: Instant },
) => Effect.Effect<A, E>;

export type SpanAttributes = Readonly<Record<string, string | number>>;

/** A span without a parent in this process. */
export interface BeginSpan<A = unknown, E = unknown> {
  readonly name: string;
  readonly kind: "server" | "internal";
  /** Share one object among the spans that have the same: it is written once. */
  readonly attributes: SpanAttributes;
  /** When it has begun; default: now. */
  readonly since?: string;
  /** The caller's trace, which it continues. */
  readonly traceparent?: string | undefined;
  /** The span of another trace that caused it. */
  readonly causedBy?: string | undefined;
  /** Gives the attributes of how the work ended; one object for those that are the same. */
  readonly outcome?: (exit: Exit.Exit<A, E>) => SpanAttributes;
}

/** Traces and measures where the operator has OpenTelemetry. */
export interface Telemetry {
  begin<A, E>(span: BeginSpan<A, E>, work: Effect.Effect<A, E>): Effect.Effect<A, E>;
  /** A span within one that has begun; otherwise the work alone. */
  readonly span: Span;
  /** Whether runs are shown by the conventions for generative AI, too. */
  readonly genAi: boolean;
  /** Exports the metrics at the operator's interval until the scope closes, where metrics are exported. */
  exportMetrics(collect: Effect.Effect<readonly MetricSamples[]>): Effect.Effect<void, never, Scope.Scope>;
}

/** A metric as prom-client shows it. */
export interface MetricSamples {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    /** That of a part, such as the buckets of a histogram. */
    readonly metricName?: string;
  }[];
}

/** The `error.type` of a failure without a code. */
export const unknownRefusal = "_OTHER";
