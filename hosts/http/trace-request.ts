import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import type { Refusal } from "../../core/model/shared/failure.ts";
import type { BeginSpan, SpanAttributes, Telemetry } from "../../ports/telemetry.ts";
import { type TraceIds, traceIds } from "../api/endpoint/trace-ids.ts";
import type { NamedEndpoint } from "../api/index.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { refused } from "./respond.ts";

/** The spans of requests, for the log of a failure that may come while the request is still being carried out. */
const spans = new WeakMap<HttpRequest, TraceIds>();

/** Names the span of a request in the log; nothing where it is not traced. */
export const traceOf = (request: HttpRequest): TraceIds | Record<string, never> => spans.get(request) ?? {};

/** The part that all spans of an endpoint share. */
type EndpointSpan = Pick<BeginSpan, "name" | "attributes">;

const endpointSpans = new WeakMap<NamedEndpoint, EndpointSpan>();

const endpointSpan = (named: NamedEndpoint): EndpointSpan => {
  let span = endpointSpans.get(named);
  if (span === undefined) {
    const { method, path } = named.endpoint;
    const attributes = {
      "http.request.method": method,
      "http.route": path,
      "boardroom.endpoint": named.name,
    };
    span = { name: `${method} ${path}`, attributes };
    endpointSpans.set(named, span);
  }
  return span;
};

/** Continues the trace of the caller. */
export const traced = (
  telemetry: Telemetry | null | undefined,
  named: NamedEndpoint,
  request: HttpRequest,
  work: Effect.Effect<HttpAnswer, Refusal>,
): Effect.Effect<HttpAnswer, Refusal> => {
  if (telemetry == null) return work;
  const { name, attributes } = endpointSpan(named);
  const { traceparent } = request.headers;
  const outcome = (exit: Exit.Exit<HttpAnswer, Refusal>) => statusAttributes(statusOf(exit));
  return telemetry.begin(
    { name, kind: "server", attributes, traceparent, outcome },
    Effect.suspend(() => {
      const ids = traceIds();
      if (ids !== null) spans.set(request, ids);
      return work;
    }),
  );
};

const attributesByStatus = new Map<number, SpanAttributes>();

const statusAttributes = (status: number): SpanAttributes => {
  let attributes = attributesByStatus.get(status);
  if (attributes === undefined) {
    attributes = { "http.response.status_code": status };
    attributesByStatus.set(status, attributes);
  }
  return attributes;
};

const statusOf = (exit: Exit.Exit<HttpAnswer, Refusal>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status;
  const failure = Cause.findError(exit.cause);
  return Result.isSuccess(failure) ? refused(failure.success).status : 500;
};
