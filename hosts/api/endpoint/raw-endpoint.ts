import type * as Effect from "effect/Effect";
import type { z } from "zod";
import type { Caller, RunEnded } from "../../../core/model/access/caller.ts";
import type { RefusalType } from "../../../core/model/shared/failure.ts";
import type { App } from "./app.ts";
import { type Call, type Common, defaults, type Endpoint, type Nothing } from "./endpoint.ts";
import type { Exact } from "./exact.ts";
import type { ParamsOf } from "./params.ts";

/** An uninterpreted request, for an endpoint that parses it itself. */
export interface RawRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Reads the body; run it only for a plausible sender. It may fail with the host's own refusals. */
  readonly body: Effect.Effect<Uint8Array>;
}

/**
 * Declares an endpoint for requests of external systems: none of the service's credentials, any body of up to 1 MiB,
 * any headers and query. The use case authenticates the sender. Answers with JSON.
 */
export const rawEndpoint = <
  const Path extends string,
  R extends z.ZodType,
  F extends RefusalType,
  Made extends z.output<R>,
  Failed extends InstanceType<F> | RunEnded,
>(
  declared: Omit<Common<Path, Nothing, Nothing, Caller>, "method" | "body" | "query"> & {
    readonly returns: R;
    readonly status?: 202;
    readonly headers: Readonly<Record<string, string>>;
    readonly failures: readonly F[];
    readonly run: (
      app: App,
      input: ParamsOf<Path> & { readonly raw: RawRequest },
      call: Call<Caller>,
    ) => Effect.Effect<Made, Failed>;
  } & Exact<Made, z.output<R>, Failed, F>,
): Endpoint<Path, Nothing, Nothing, R, "json"> => ({
  ...defaults<Path, Nothing, Nothing, Caller>(declared),
  method: "POST",
  raw: declared.headers,
  returns: declared.returns,
  media: "json",
  status: declared.status ?? 200,
});
