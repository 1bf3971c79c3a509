import * as Tracer from "effect/Tracer";

/** Reads the trace of a caller, as W3C Trace Context writes it. */
export const parentIn = (traceparent: string | undefined): Tracer.ExternalSpan | null => {
  const [, traceId, spanId, flags] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId))
    return null;
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags!, 16) & 1) === 1 });
};

/** The link to the span that caused another trace. */
export const linkTo = (traceparent: string | undefined): Tracer.SpanLink[] => {
  const span = parentIn(traceparent);
  return span === null ? [] : [{ span, attributes: {} }];
};
