import * as Effect from "effect/Effect";
import type { z } from "zod";
import type { AgentCaller, BoardCaller, Caller } from "../../../core/model/access/caller.ts";
import type { RefusalType } from "../../../core/model/shared/failure.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { App } from "./app.ts";
import { type Common, defaults, type Endpoint, type Nothing } from "./endpoint.ts";
import type { Exact } from "./exact.ts";

/** The caller to whom a thing is shown, and the time. */
export interface ReaderOfSubject {
  readonly caller: BoardCaller | AgentCaller;
  readonly at: Instant;
}

/** A thing that a path names, with what access to it depends on. */
interface Located {
  readonly id: string;
  readonly companyId: CompanyId;
}

/**
 * Declares an endpoint that shows the thing its path names. A host may read it by its id before the caller is known, in
 * the packet of the credentials, and show it once access is granted.
 */
export const subjectEndpoint = <
  const Path extends string,
  R extends z.ZodType,
  F extends RefusalType,
  C extends Caller,
  Subject extends Located,
  Made extends z.output<R>,
  Failed extends InstanceType<F>,
>(
  declared: Omit<Common<Path, Nothing, Nothing, C>, "method" | "query" | "body"> & {
    readonly returns: R;
    readonly failures: readonly F[];
    readonly read: (app: App, id: string) => Effect.Effect<Subject, Failed>;
    readonly present: (subject: Subject, reader: ReaderOfSubject) => Made;
  } & Exact<Made, z.output<R>, Failed, F>,
): Endpoint<Path, Nothing, Nothing, R, "json"> => {
  const { read, present, access } = declared;
  const { param } = access.subject!;
  return {
    ...defaults<Path, Nothing, Nothing, C>({
      ...declared,
      run: (app, input, { caller }) =>
        Effect.map(read(app, input[param]), (subject) => present(subject, { caller, at: app.clock.now() })),
    }),
    returns: declared.returns,
    media: "json",
    shown: { read, present: (subject, reader) => present(subject as Subject, reader) },
  };
};
