import type * as Effect from "effect/Effect";
import type { z } from "zod";
import type { Caller, RunEnded } from "../../../core/access/caller.ts";
import type { RefusalType } from "../../../core/shared/failure.ts";
import type { App } from "./app.ts";
import { type Call, type Common, type Endpoint, type Nothing, usual } from "./endpoint.ts";
import type { Exact } from "./exact.ts";
import type { ParamsOf } from "./params.ts";

/** A request as it came, of an endpoint that makes sense of it by itself. */
export interface RawRequest {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Reads the body; to be asked for only of whom is worth waiting for. It may end in refusals of the host's own. */
  readonly body: Effect.Effect<Uint8Array>;
}

/**
 * Declares an endpoint for strangers' requests, which keep to their own conventions: no credentials of ours, any body of
 * up to 1 MiB, any headers and query. Whether the sender may do it is the use case's to find out. Answers with JSON.
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
  ...usual<Path, Nothing, Nothing, Caller>(declared),
  method: "POST",
  raw: declared.headers,
  returns: declared.returns,
  media: "json",
  status: declared.status ?? 200,
});
