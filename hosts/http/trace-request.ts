import * as Cause from "effect/Cause";
import type * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import type { Refusal } from "../../core/model/shared/failure.ts";
import type { BeginSpan, SpanAttributes, Telemetry } from "../../ports/telemetry.ts";
import type { TraceIds } from "../api/endpoint/trace-ids.ts";
import type { NamedEndpoint } from "../api/index.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { refused } from "./respond.ts";

/** The spans of requests that failed, for the log of what becomes of them later. */
const spans = new WeakMap<HttpRequest, TraceIds>();

/** Names the span of a failed request in the log; nothing where it is not traced. */
export const traceOf = (request: HttpRequest): TraceIds | Record<string, never> => spans.get(request) ?? {};

/** The common part of an endpoint's spans. */
const beginnings = new WeakMap<NamedEndpoint, Pick<BeginSpan, "name" | "attributes">>();

const beginningOf = (named: NamedEndpoint) => {
  let beginning = beginnings.get(named);
  if (beginning === undefined) {
    const { method, path } = named.endpoint;
    const attributes = {
      "http.request.method": method,
      "http.route": path,
      "boardroom.endpoint": named.name,
    };
    beginning = { name: `${method} ${path}`, attributes };
    beginnings.set(named, beginning);
  }
  return beginning;
};

/** Continues the trace of the caller. */
export const traced = (
  telemetry: Telemetry | null | undefined,
  named: NamedEndpoint,
  request: HttpRequest,
  work: Effect.Effect<HttpAnswer, Refusal>,
): Effect.Effect<HttpAnswer, Refusal> => {
  if (telemetry == null) return work;
  const { name, attributes } = beginningOf(named);
  const { traceparent } = request.headers;
  const outcome: BeginSpan<HttpAnswer, Refusal>["outcome"] = (exit, { traceId, spanId }) => {
    if (Exit.isFailure(exit)) spans.set(request, { trace_id: traceId, span_id: spanId });
    return attributesOf(statusOf(exit));
  };
  return telemetry.begin({ name, kind: "server", attributes, traceparent, outcome }, work);
};

/** By status. */
const outcomes = new Map<number, SpanAttributes>();

const attributesOf = (status: number): SpanAttributes => {
  let attributes = outcomes.get(status);
  if (attributes === undefined) {
    attributes = { "http.response.status_code": status };
    outcomes.set(status, attributes);
  }
  return attributes;
};

const statusOf = (exit: Exit.Exit<HttpAnswer, Refusal>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status;
  const failure = Cause.findError(exit.cause);
  return Result.isSuccess(failure) ? refused(failure.success).status : 500;
};
