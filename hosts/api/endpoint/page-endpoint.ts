import type * as Effect from "effect/Effect";
import { z } from "zod";
import type { Caller, RunEnded } from "../../../core/model/access/caller.ts";
import type { RefusalType } from "../../../core/model/shared/failure.ts";
import type { CursorInvalid, JsonText, Page } from "../../../ports/views/page.ts";
import type { App } from "./app.ts";
import { type Call, type Common, defaults, type Endpoint, type InputOf, type Nothing } from "./endpoint.ts";
import type { Exact } from "./exact.ts";

export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

const pageFields = ({ default: defaultLimit, max }: PageLimits) => ({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(max)
    .default(defaultLimit)
    .describe(`How many rows at most, 1 to ${max}.`),
  cursor: z.string().max(1024).optional().describe("The X-Next-Cursor of the previous page."),
});

type PageFields = ReturnType<typeof pageFields>;

/**
 * Declares an endpoint that answers with one page of a list; the next cursor goes into the X-Next-Cursor header. Rows
 * may be JSON text, where the database has written what the endpoint shows.
 */
export const pageEndpoint = <
  const Path extends string,
  Row extends z.ZodType,
  C extends Caller,
  Made extends z.output<Row>,
  Failed extends InstanceType<F> | CursorInvalid | RunEnded,
  F extends RefusalType = never,
  Q extends z.ZodRawShape = Record<never, never>,
>(
  declared: Omit<Common<Path, z.ZodObject, Nothing, C>, "query" | "body" | "method"> & {
    readonly row: Row;
    readonly limits: PageLimits;
    readonly query?: Q;
    readonly failures?: readonly F[];
    readonly run: (
      app: App,
      input: InputOf<Path, z.ZodObject<Q & PageFields>, Nothing>,
      call: Call<C>,
    ) => Effect.Effect<Page<Made | JsonText<Made>>, Failed>;
  } & Exact<Made, z.output<Row>, Failed, F>,
): Endpoint<Path, z.ZodObject<Q & PageFields>, Nothing, z.ZodArray<Row>, "page"> => {
  const query: unknown = z.strictObject({ ...declared.query, ...pageFields(declared.limits) });
  return {
    ...defaults({ ...declared, query: query as z.ZodObject<Q & PageFields> }),
    returns: z.array(declared.row),
    media: "page",
  };
};

/** Rows that are text, for an endpoint that answers with a whole list: hosts write them as they are. */
export const asWritten = <Row>(rows: readonly JsonText<Row>[]): readonly Row[] =>
  rows as readonly unknown[] as readonly Row[];
