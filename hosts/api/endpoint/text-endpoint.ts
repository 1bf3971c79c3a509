import type * as Effect from "effect/Effect";
import { z } from "zod";
import type { Caller, RunEnded } from "../../../core/model/access/caller.ts";
import type { RefusalType } from "../../../core/model/shared/failure.ts";
import type { App } from "./app.ts";
import { type Call, type Common, defaults, type Endpoint, type InputOf, type Nothing } from "./endpoint.ts";
import type { Exact } from "./exact.ts";

/** Declares an endpoint that answers with plain text. */
export const textEndpoint = <
  const Path extends string,
  C extends Caller,
  Failed extends InstanceType<F> | RunEnded,
  F extends RefusalType = never,
  Q extends z.ZodObject = Nothing,
>(
  declared: Omit<Common<Path, Q, Nothing, C>, "method" | "body"> & {
    readonly failures?: readonly F[];
    readonly run: (
      app: App,
      input: InputOf<Path, Q, Nothing>,
      call: Call<C>,
    ) => Effect.Effect<string, Failed>;
  } & Exact<string, string, Failed, F>,
): Endpoint<Path, Q, Nothing, z.ZodString, "text"> => ({
  ...defaults(declared),
  returns: z.string(),
  media: "text",
});
