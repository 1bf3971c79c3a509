import * as Effect from "effect/Effect";

/** The span of the work, as W3C Trace Context writes it; null where it is not traced. */
export const currentTraceparent: Effect.Effect<string | null> = Effect.match(Effect.currentSpan, {
  onFailure: () => null,
  onSuccess: ({ traceId, spanId, sampled }) => `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`,
});
