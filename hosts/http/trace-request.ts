import * as Cause from "effect/Cause";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Result from "effect/Result";
import type { Refusal } from "../../core/model/shared/failure.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { type TraceIds, traceIds } from "../api/endpoint/trace-ids.ts";
import type { NamedEndpoint } from "../api/index.ts";
import type { HttpAnswer, HttpRequest } from "./listener.ts";
import { refused } from "./respond.ts";

/** The spans of requests, for the log of what becomes of them later. */
const spans = new WeakMap<HttpRequest, TraceIds>();

/** Names the span of a request in the log; nothing where it is not traced. */
export const traceOf = (request: HttpRequest): TraceIds | Record<string, never> => spans.get(request) ?? {};

/** Continues the trace of the caller. */
export const traced = (
  telemetry: Telemetry | null | undefined,
  { name, endpoint }: NamedEndpoint,
  request: HttpRequest,
  work: Effect.Effect<HttpAnswer, Refusal>,
): Effect.Effect<HttpAnswer, Refusal> =>
  telemetry == null
    ? work
    : telemetry.begin(
        {
          name: `${endpoint.method} ${endpoint.path}`,
          kind: "server",
          attributes: {
            "http.request.method": endpoint.method,
            "http.route": endpoint.path,
            "boardroom.endpoint": name,
          },
          traceparent: request.headers.traceparent,
        },
        Effect.suspend(() => {
          const ids = traceIds();
          if (ids !== null) spans.set(request, ids);
          return Effect.onExit(work, (exit) =>
            Effect.annotateCurrentSpan("http.response.status_code", statusOf(exit)),
          );
        }),
      );

const statusOf = (exit: Exit.Exit<HttpAnswer, Refusal>): number => {
  if (Exit.isSuccess(exit)) return exit.value.status;
  const failure = Cause.findError(exit.cause);
  return Result.isSuccess(failure) ? refused(failure.success).status : 500;
};
