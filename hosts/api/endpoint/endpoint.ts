import type * as Effect from "effect/Effect";
import { z } from "zod";
import type { Actor, Caller, RunEnded } from "../../../core/access/caller.ts";
import type { ReceivedFile } from "../../../core/assets/asset.ts";
import type { Refusal, RefusalType } from "../../../core/shared/failure.ts";
import type { CompanyId } from "../../../core/shared/ids.ts";
import type { CursorInvalid, Page } from "../../../ports/views/page.ts";
import type { Access } from "./access.ts";
import type { App } from "./app.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Exact } from "./exact.ts";
import type { DownloadedFile, FileAnswer } from "./files.ts";
import type { ParamsOf } from "./params.ts";

export type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** What dispatch knows of a call besides its input. */
export interface Call<C extends Caller> {
  readonly caller: C;
  /** The caller, as it is remembered. */
  readonly by: Actor;
  /** The company the call is about. Only for endpoints whose access names a subject. */
  readonly companyId: CompanyId;
  /** The id that what the call makes shall have. */
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
  /** It changes a company that is archived, which takes no other change. */
  readonly whileArchived?: boolean;
  readonly query?: Q;
  readonly body?: B;
  /** Where one field of the body says what another holds: what it holds, by the value of the first. */
  readonly variants?: Variants;
  /** For a caller who must not wait for a database that accepts connections and says nothing. */
  readonly whenSilent?: WhenSilent;
}

export interface Variants {
  readonly by: string;
  readonly field: string;
  readonly of: Readonly<Record<string, z.ZodType>>;
}

/** How long the caller waits, and what a refusal for an outage says besides its code. */
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
  /** Where a call may make a thing or change it: whether, by its input, it makes it, which is answered with 201. */
  readonly makesWhen?: (input: InputOf<Path, Q, B>) => boolean;
  /**
   * Every refusal the use case can end in, beside that of a run that ended meanwhile, and no other: the compiler holds
   * `run` to it in both directions.
   */
  readonly failures: readonly F[];
  /** For what makes or changes something once: takes an Idempotency-Key, and answers a repetition from the id. */
  readonly creates?: {
    /** Where the id of what is answered is not the one that was chosen. */
    readonly idOf?: (answer: z.output<R>) => string;
  } & (
    | {
        readonly again: Again<InputOf<Path, Q, B>, C, Lost>;
        readonly showsSecret?: false;
      }
    | {
        /** Finds out whether it was made. null: nothing tells; after a crash it is carried out again. */
        readonly again: Again<InputOf<Path, Q, B>, C, Refusal> | null;
        /** The first answer shows a credential, which is not kept: a repetition cannot show it. */
        readonly showsSecret: true;
      }
    | {
        /** The answer is a report of what was done, which is not kept. */
        readonly again: null;
        readonly showsSecret?: false;
      }
  );
  readonly run: (app: App, input: InputOf<Path, Q, B>, call: Call<C>) => Effect.Effect<Made, Failed>;
}

export interface PageLimits {
  readonly default: number;
  readonly max: number;
}

const pageFields = ({ default: usual, max }: PageLimits) => ({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(max)
    .default(usual)
    .describe(`How many rows at most, 1 to ${max}.`),
  cursor: z.string().max(1024).optional().describe("The X-Next-Cursor of the page before."),
});

type PageFields = ReturnType<typeof pageFields>;

/** How an endpoint answers. */
export type Media = "json" | "page" | "text" | "events" | "file";

/** An endpoint as its readers see it: routes, API description, CLI, client, tests. */
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
  readonly whileArchived: boolean;
  readonly query: Q;
  /** null: takes no body. */
  readonly body: B | null;
  /** Takes any bytes, any headers and any query, and asks nobody who they are. Says what the headers mean. */
  readonly raw?: Readonly<Record<string, string>>;
  /** Of a page: the array of its rows. */
  readonly returns: R;
  readonly media: M;
  readonly status: 200 | 201 | 202 | 204;
  // biome-ignore lint/suspicious/noExplicitAny: as for run.
  readonly makesWhen: ((input: any) => boolean) | null;
  readonly failures: readonly RefusalType[];
  /** The answer begins or ends a web session, which a host keeps in a cookie. */
  readonly setsSession: boolean;
  readonly whenSilent: WhenSilent | null;
  readonly variants: Variants | null;
  readonly creates: { readonly showsSecret: boolean } | null;
  // biome-ignore lint/suspicious/noExplicitAny: readers run any endpoint; dispatch parses its input and knows its caller.
  readonly run: (app: App, input: any, call: Call<any>) => Effect.Effect<unknown, Refusal>;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly again: Again<any, any, Refusal> | null;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly idOf?: (answer: any) => string;
}

/** The fields of whatever has none. */
export const nothing = z.strictObject({});

interface Declared<Path extends string, Q extends z.ZodObject, B extends z.ZodObject, C extends Caller>
  extends Omit<Common<Path, Q, B, C>, "method"> {
  readonly failures?: readonly RefusalType[];
  readonly run: Endpoint["run"];
}

/** What most endpoints are: they read, and make nothing. */
export const usual = <Path extends string, Q extends z.ZodObject, B extends z.ZodObject, C extends Caller>(
  declared: Declared<Path, Q, B, C>,
) => ({
  method: "GET" as const,
  path: declared.path,
  summary: declared.summary,
  description: declared.description,
  access: declared.access as Access,
  whileArchived: declared.whileArchived ?? false,
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
  again: null,
});

/** Declares an endpoint that answers with JSON. */
export const endpoint = <
  const Path extends string,
  R extends z.ZodType,
  F extends RefusalType,
  C extends Caller,
  Made extends z.output<R>,
  Failed extends InstanceType<F> | RunEnded,
  Q extends z.ZodObject = Nothing,
  B extends z.ZodObject = Nothing,
  Lost extends InstanceType<F> = never,
>(
  declared: Declaration<Path, Q, B, R, F, C, Made, Failed, Lost> & Exact<Made, z.output<R>, Failed | Lost, F>,
): Endpoint<Path, Q, B, R, "json"> => ({
  ...usual(declared),
  method: declared.method,
  returns: declared.returns,
  media: "json",
  status: declared.status ?? 200,
  makesWhen: declared.makesWhen ?? null,
  creates: declared.creates ? { showsSecret: declared.creates.showsSecret ?? false } : null,
  again: declared.creates?.again ?? null,
  ...(declared.creates?.idOf === undefined ? {} : { idOf: declared.creates.idOf }),
});

/** An answer, and the web session that begins with it; null: the one that there was ends. */
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
  ...usual<Path, Nothing, B, C>(declared),
  method: declared.method,
  returns: declared.returns,
  media: "json",
  status: declared.status ?? 200,
  setsSession: true,
});

/** Declares an endpoint that answers with one page of a list; the next cursor goes into the X-Next-Cursor header. */
export const pageEndpoint = <
  const Path extends string,
  Row extends z.ZodType,
  F extends RefusalType,
  C extends Caller,
  Made extends z.output<Row>,
  Failed extends InstanceType<F> | CursorInvalid | RunEnded,
  Q extends z.ZodRawShape = Record<never, never>,
>(
  declared: Omit<Common<Path, z.ZodObject, Nothing, C>, "query" | "body" | "method"> & {
    readonly row: Row;
    readonly limits: PageLimits;
    readonly query?: Q;
    readonly failures: readonly F[];
    readonly run: (
      app: App,
      input: InputOf<Path, z.ZodObject<Q & PageFields>, Nothing>,
      call: Call<C>,
    ) => Effect.Effect<Page<Made>, Failed>;
  } & Exact<Made, z.output<Row>, Failed, F>,
): Endpoint<Path, z.ZodObject<Q & PageFields>, Nothing, z.ZodArray<Row>, "page"> => {
  const query: unknown = z.strictObject({ ...declared.query, ...pageFields(declared.limits) });
  return {
    ...usual({ ...declared, query: query as z.ZodObject<Q & PageFields> }),
    returns: z.array(declared.row),
    media: "page",
  };
};

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
  ...usual(declared),
  returns: z.string(),
  media: "text",
});

/**
 * The file of an upload: an endpoint whose body has this as its field `file` takes multipart/form-data. Callers give a
 * Blob; the use case is given what was stored of it, which is deleted again unless it takes it into use.
 */
export const UploadedFile = z
  .custom<Blob>((value) => typeof value === "object" && value !== null)
  .transform((file) => file as unknown as ReceivedFile)
  .meta({ type: "string", format: "binary", description: "The file." });

export const takesFile = ({ body }: Pick<Endpoint, "body">): boolean =>
  (body?.shape as Record<string, unknown> | undefined)?.file === UploadedFile;

/** It changes something of a company, which an archived one refuses. */
export const isRefusedOfArchived = ({ method, access, whileArchived }: Endpoint): boolean =>
  method !== "GET" && access.subject !== null && !whileArchived;

/** Declares an endpoint that answers with the bytes of a file, or a part of them. */
export const fileEndpoint = <
  const Path extends string,
  F extends RefusalType,
  C extends Caller,
  Failed extends InstanceType<F> | RunEnded,
  Q extends z.ZodObject = Nothing,
>(
  declared: Omit<Common<Path, Q, Nothing, C>, "method" | "body"> & {
    readonly failures: readonly F[];
    readonly run: (
      app: App,
      input: InputOf<Path, Q, Nothing>,
      call: Call<C>,
    ) => Effect.Effect<FileAnswer, Failed>;
  } & Exact<FileAnswer, FileAnswer, Failed, F>,
): Endpoint<Path, Q, Nothing, z.ZodType<DownloadedFile>, "file"> => ({
  ...usual(declared),
  returns: z.custom<DownloadedFile>(() => true).meta({ type: "string", format: "binary" }),
  media: "file",
});

/**
 * Declares an endpoint that answers with server-sent events, for as long as the caller may see them. The stream is given
 * the Last-Event-ID and a signal that says the reader is gone.
 */
export const eventsEndpoint = <
  const Path extends string,
  R extends z.ZodType,
  C extends Caller,
  Q extends z.ZodObject = Nothing,
>(
  declared: Omit<Common<Path, Q, Nothing, C>, "method" | "body"> & {
    /** Shape of an event's data. */
    readonly returns: R;
    readonly run: (app: App, input: InputOf<Path, Q, Nothing>, call: Call<C>) => Effect.Effect<EventFeed>;
  },
): Endpoint<Path, Q, Nothing, R, "events"> => ({
  ...usual(declared),
  returns: declared.returns,
  media: "events",
});
