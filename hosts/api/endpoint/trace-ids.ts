import * as Fiber from "effect/Fiber";

/** The names that OpenTelemetry gives them in logs of other forms. */
export interface TraceIds {
  readonly trace_id: string;
  readonly span_id: string;
}

/** The span of what the current fiber does; null where it is not traced. */
export const traceIds = (): TraceIds | null => {
  const span = Fiber.getCurrent()?.cache.span;
  return span === undefined ? null : { trace_id: span.traceId, span_id: span.spanId };
};
