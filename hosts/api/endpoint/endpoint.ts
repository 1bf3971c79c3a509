import type * as Effect from "effect/Effect";
import { z } from "zod";
import type { Actor, AgentCaller, BoardCaller, Caller, RunEnded } from "../../../core/model/access/caller.ts";
import type { Client } from "../../../core/model/access/client.ts";
import type { Refusal, RefusalType } from "../../../core/model/shared/failure.ts";
import type { CompanyId } from "../../../core/model/shared/ids.ts";
import type { Instant } from "../../../core/model/shared/instant.ts";
import type { Access } from "./access.ts";
import type { App } from "./app.ts";
import type { Exact } from "./exact.ts";
import type { ParamsOf } from "./params.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** The context of a call in addition to its input. */
export interface Call<C extends Caller> {
  readonly caller: C;
  /** The caller as it is recorded. */
  readonly by: Actor;
  /** Where it comes from. */
  readonly client: Client;
  /** The company the call is about. Only for endpoints whose access names a subject. */
  readonly companyId: CompanyId;
  /** The id of the record that the call creates. */
  readonly newId: <T extends string>() => T;
}

export type Nothing = z.ZodObject<Record<never, never>>;

export type InputOf<Path extends string, Q extends z.ZodObject, B extends z.ZodObject> = ParamsOf<Path> &
  z.output<Q> &
  z.output<B>;

export interface Common<Path extends string, Q extends z.ZodObject, B extends z.ZodObject, C extends Caller> {
  readonly method: Method;
  readonly path: Path;
  /** One line, in the imperative: the title in the API description and of the CLI command. */
  readonly summary: string;
  readonly description?: string;
  readonly access: Access<C>;
  readonly query?: Q;
  readonly body?: B;
  /** If one field of the body determines the type of another: that type, by the value of the first. */
  readonly variants?: Variants;
  /** The answer if the database accepts connections but does not respond. */
  readonly whenSilent?: WhenSilent;
}

export interface Variants {
  readonly by: string;
  readonly field: string;
  readonly of: Readonly<Record<string, z.ZodType>>;
}

/** How long the caller waits, and the details of the refusal. */
export interface WhenSilent {
  readonly afterMs: number;
  readonly says: Readonly<Record<string, string>>;
}

type Again<Input, C extends Caller, Lost> = (
  app: App,
  id: string,
  call: Call<C>,
  input: Input,
) => Effect.Effect<unknown, Lost>;

interface Declaration<
  Path extends string,
  Q extends z.ZodObject,
  B extends z.ZodObject,
  R extends z.ZodType,
  F extends RefusalType,
  C extends Caller,
  Made,
  Failed,
  Lost,
> extends Common<Path, Q, B, C> {
  readonly returns: R;
  readonly status?: 201 | 202 | 204;
  /** For calls that create or change: whether the input creates, which answers 201. */
  readonly makesWhen?: (input: InputOf<Path, Q, B>) => boolean;
  /**
   * Exactly the refusals of the use case, except that of a run that ended meanwhile: the compiler checks `run` against
   * it in both directions. Default: none.
   */
  readonly failures?: readonly F[];
  /** For calls that take an Idempotency-Key; a repetition is answered from the id. */
  readonly creates?: {
    /** For answers whose id is not the reserved one. */
    readonly idOf?: (answer: z.output<R>) => string;
  } & (
    | {
        readonly again: Again<InputOf<Path, Q, B>, C, Lost>;
        readonly showsSecret?: false;
      }
    | {
        /** Looks the record up. null: it cannot be found; after a crash the request is carried out again. */
        readonly again: Again<InputOf<Path, Q, B>, C, Refusal> | null;
        /** The first answer shows a credential that is not stored, so a repetition cannot show it. */
        readonly showsSecret: true;
      }
    | {
        /** As above. */
        readonly again: Again<InputOf<Path, Q, B>, C, Refusal> | null;
        readonly showsSecret?: false;
        /** The answer is a report that is stored nowhere else, so it is stored with the key; false: it shows a secret. */
        readonly keeps: (answer: z.output<R>) => boolean;
      }
  );
  readonly run: (app: App, input: InputOf<Path, Q, B>, call: Call<C>) => Effect.Effect<Made, Failed>;
}

/** How an endpoint answers. */
export type Media = "json" | "page" | "text" | "events" | "file";

/** A declared endpoint, as routes, API description, CLI, client and tests read it. */
export interface Endpoint<
  Path extends string = string,
  Q extends z.ZodObject = z.ZodObject,
  B extends z.ZodObject = z.ZodObject,
  R extends z.ZodType = z.ZodType,
  M extends Media = Media,
> {
  readonly method: Method;
  readonly path: Path;
  readonly summary: string;
  readonly description: string | undefined;
  readonly access: Access;
  readonly query: Q;
  /** null: takes no body. */
  readonly body: B | null;
  /** Takes any bytes, headers and query without credentials. The values describe the headers. */
  readonly raw?: Readonly<Record<string, string>>;
  /** For a page: the array of its rows. */
  readonly returns: R;
  readonly media: M;
  readonly status: 200 | 201 | 202 | 204;
  // biome-ignore lint/suspicious/noExplicitAny: as for run.
  readonly makesWhen: ((input: any) => boolean) | null;
  readonly failures: readonly RefusalType[];
  /** The answer begins or ends a web session, which a host stores in a cookie. */
  readonly setsSession: boolean;
  readonly whenSilent: WhenSilent | null;
  readonly variants: Variants | null;
  readonly creates: {
    readonly showsSecret: boolean;
    // biome-ignore lint/suspicious/noExplicitAny: as for run.
    readonly keeps: ((answer: any) => boolean) | null;
  } | null;
  // biome-ignore lint/suspicious/noExplicitAny: readers run any endpoint; dispatch parses its input and knows its caller.
  readonly run: (app: App, input: any, call: Call<any>) => Effect.Effect<unknown, Refusal>;
  /** Shows what its path names (`subjectEndpoint`); null: it does something else. */
  readonly shown: Shown | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly again: Again<any, any, Refusal> | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly idOf?: (answer: any) => string;
}

interface Shown {
  readonly read: (
    app: App,
    id: string,
  ) => Effect.Effect<{ readonly id: string; readonly companyId: CompanyId }, Refusal>;
  readonly present: (
    subject: unknown,
    reader: { readonly caller: BoardCaller | AgentCaller; readonly at: Instant },
  ) => unknown;
}

/** The schema without fields. */
export const nothing = z.strictObject({});

interface Declared<Path extends string, Q extends z.ZodObject, B extends z.ZodObject, C extends Caller>
  extends Omit<Common<Path, Q, B, C>, "method"> {
  readonly failures?: readonly RefusalType[];
  readonly run: Endpoint["run"];
}

/** The defaults: the endpoint reads and creates nothing. */
export const defaults = <Path extends string, Q extends z.ZodObject, B extends z.ZodObject, C extends Caller>(
  declared: Declared<Path, Q, B, C>,
) => ({
  method: "GET" as const,
  path: declared.path,
  summary: declared.summary,
  description: declared.description,
  access: declared.access as Access,
  query: declared.query ?? (nothing as unknown as Q),
  body: declared.body ?? null,
  status: 200 as const,
  makesWhen: null,
  failures: declared.failures ?? [],
  setsSession: false,
  whenSilent: declared.whenSilent ?? null,
  variants: declared.variants ?? null,
  creates: null,
  run: declared.run,
  shown: null,
  again: null,
});

/** Declares an endpoint that answers with JSON. */
export const endpoint = <
  const Path extends string,
  R extends z.ZodType,
  C extends Caller,
  Made extends z.output<R>,
  Failed extends InstanceType<F> | RunEnded,
  F extends RefusalType = never,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodObject = Nothing,
  Lost extends InstanceType<F> = never,
>(
  declared: Declaration<Path, Q, B, R, F, C, Made, Failed, Lost> & Exact<Made, z.output<R>, Failed | Lost, F>,
): Endpoint<Path, Q, B, R, "json"> => ({
  ...defaults(declared),
  method: declared.method,
  returns: declared.returns,
  media: "json",
  status: declared.status ?? 200,
  makesWhen: declared.makesWhen ?? null,
  creates: declared.creates
    ? {
        showsSecret: declared.creates.showsSecret ?? false,
        keeps: "keeps" in declared.creates ? declared.creates.keeps : null,
      }
    : null,
  again: declared.creates?.again ?? null,
  ...(declared.creates?.idOf === undefined ? {} : { idOf: declared.creates.idOf }),
});

/** It changes something of a company, which an archived one refuses. */
export const isRefusedOfArchived = ({ method, access }: Endpoint): boolean =>
  method !== "GET" && access.subject !== null && !access.whileArchived;
