import type * as Effect from "effect/Effect";
import type { Span } from "../../../core/access/unit-of-work.ts";

/** A span without a parent in this process. */
export interface BeginSpan {
  readonly name: string;
  readonly kind: "server" | "internal";
  readonly attributes: Readonly<Record<string, string>>;
  /** The caller's trace, which it continues. */
  readonly traceparent?: string | undefined;
}

/** Traces work where the operator has OpenTelemetry. */
export interface Telemetry {
  begin<A, E>(span: BeginSpan, work: Effect.Effect<A, E>): Effect.Effect<A, E>;
  /** A span within one that has begun; otherwise the work alone. */
  readonly span: Span;
}

/** The `error.type` of a failure without a code. */
export const unknownRefusal = "_OTHER";
