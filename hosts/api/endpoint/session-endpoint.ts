import type * as Effect from "effect/Effect";
import type { z } from "zod";
import type { Caller, RunEnded } from "../../../core/model/access/caller.ts";
import type { RefusalType } from "../../../core/model/shared/failure.ts";
import type { App } from "./app.ts";
import { type Call, type Common, defaults, type Endpoint, type InputOf, type Nothing } from "./endpoint.ts";
import type { Exact } from "./exact.ts";

/** An answer and the web session that it begins; null: the session ends. */
export interface SessionAnswer<Answer> {
  readonly session: string | null;
  readonly answer: Answer;
}

/** Declares an endpoint that begins or ends a web session. */
export const sessionEndpoint = <
  const Path extends string,
  R extends z.ZodType,
  F extends RefusalType,
  C extends Caller,
  Made extends z.output<R>,
  Failed extends InstanceType<F> | RunEnded,
  B extends z.ZodObject = Nothing,
>(
  declared: Omit<Common<Path, Nothing, B, C>, "query"> & {
    readonly returns: R;
    readonly status?: 201;
    readonly failures: readonly F[];
    readonly run: (
      app: App,
      input: InputOf<Path, Nothing, B>,
      call: Call<C>,
    ) => Effect.Effect<SessionAnswer<Made>, Failed>;
  } & Exact<Made, z.output<R>, Failed, F>,
): Endpoint<Path, Nothing, B, R, "json"> => ({
  ...defaults<Path, Nothing, B, C>(declared),
  method: declared.method,
  returns: declared.returns,
  media: "json",
  status: declared.status ?? 200,
  setsSession: true,
});
