import type * as Effect from "effect/Effect";
import type { z } from "zod";
import type { Caller } from "../../../core/model/access/caller.ts";
import type { EventFeed } from "../../../ports/event-feed.ts";
import type { App } from "./app.ts";
import { type Call, type Common, defaults, type Endpoint, type InputOf, type Nothing } from "./endpoint.ts";

/**
 * Declares an endpoint that answers with server-sent events while the caller has access. The stream receives the
 * Last-Event-ID and a signal that fires when the reader disconnects.
 */
export const eventsEndpoint = <
  const Path extends string,
  R extends z.ZodType,
  C extends Caller,
  Q extends z.ZodObject = Nothing,
>(
  declared: Omit<Common<Path, Q, Nothing, C>, "method" | "body"> & {
    /** The shape of an event's data. */
    readonly returns: R;
    readonly run: (app: App, input: InputOf<Path, Q, Nothing>, call: Call<C>) => Effect.Effect<EventFeed>;
  },
): Endpoint<Path, Q, Nothing, R, "events"> => ({
  ...defaults(declared),
  returns: declared.returns,
  media: "events",
});
