import type * as Effect from "effect/Effect";
import type { Telemetry } from "../api/endpoint/telemetry.ts";
import type { NamedEndpoint } from "../api/index.ts";
import type { HttpRequest } from "./listener.ts";

/** Continues the trace of the caller. */
export const traced = <A, E>(
  telemetry: Telemetry | null | undefined,
  { name, endpoint }: NamedEndpoint,
  { headers }: HttpRequest,
  work: Effect.Effect<A, E>,
): Effect.Effect<A, E> =>
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
          traceparent: headers.traceparent,
        },
        work,
      );
