import type { z } from "zod";
import type { Id } from "../../core/model/shared/ids.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import type { ParamsOf } from "../api/endpoint/params.ts";
import type { Api } from "../api/index.ts";
import type { ReceivedEvent } from "./event-reader.ts";
import { follow } from "./follow.ts";
import { fileOf, jsonOf, textOf } from "./read-answer.ts";
import { type CallOptions, type Fields, type FollowOptions, type NamedWire, send } from "./send.ts";
import type { Transport } from "./transport.ts";
import type { Wire, WireEndpoint } from "./wire.ts";

/** Maps branded ids to plain strings. */
type Plain<T> =
  T extends Id<string>
    ? string
    : T extends readonly (infer Item)[]
      ? readonly Plain<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Plain<T[Key]> }
        : T;

type PathInput<Path extends string> = { readonly [Name in keyof ParamsOf<Path>]: string };

/** A query field: a list, flag or number, or the text that is sent. */
type QueryInput<Q extends z.ZodType> =
  HasNone<Q> extends true
    ? unknown
    : {
        readonly [Field in keyof z.input<Q>]: Plain<
          z.output<Q>[Field & keyof z.output<Q>] | Texts<z.input<Q>[Field]>
        >;
      };
/** Detects an object without fields, which zod types as a record of never. */
type HasNone<O extends z.ZodType> = string extends keyof z.input<O> ? true : false;

type Texts<T> = unknown extends T ? never : T;

type BodyInput<B extends z.ZodType> =
  HasNone<B> extends true ? unknown : { readonly [Field in keyof z.input<B>]: Plain<z.input<B>[Field]> };

type Simplify<T> = { [Key in keyof T]: T[Key] };

/** The input of a call: path, query and body fields in one object. */
export type Input<E> =
  E extends Endpoint<infer Path, infer Q, infer B, z.ZodType>
    ? Simplify<PathInput<Path> & QueryInput<Q> & BodyInput<B>>
    : never;

export interface PageOf<Row> {
  readonly items: readonly Row[];
  /** Cursor of the next page; null on the last. */
  readonly next: string | null;
}

type Arguments<In, Options> =
  Record<never, never> extends In ? [input?: In, options?: Options] : [input: In, options?: Options];

interface PageCall<In, Row> {
  (...args: Arguments<In, CallOptions>): Promise<PageOf<Row>>;
  /** Every row of every page; `limit` is then the size of a page. */
  all(...args: Arguments<In, CallOptions>): AsyncGenerator<Row, void, undefined>;
}

type CallOf<E> =
  E extends Endpoint<string, z.ZodObject, z.ZodObject, infer Returns, infer M>
    ? M extends "events"
      ? (
          ...args: Arguments<Input<E>, FollowOptions>
        ) => AsyncGenerator<ReceivedEvent<z.output<Returns>>, void, undefined>
      : M extends "page"
        ? PageCall<Input<E>, z.output<Returns> extends readonly (infer Row)[] ? Row : never>
        : (...args: Arguments<Input<E>, CallOptions>) => Promise<z.output<Returns>>
    : never;

/** The client: `client.issues.checkout({ issueId, agentId, expectedStatuses })`. */
export type Client = {
  readonly [Group in keyof Api]: { readonly [Action in keyof Api[Group]]: CallOf<Api[Group][Action]> };
};

/**
 * Makes a client of the service behind the transport, with the shape of the API. It uses only the types of the
 * declarations, so that it runs in a browser with a wire table.
 */
export const createClient = (transport: Transport, wire: Wire): Client => {
  const client: Record<string, Record<string, unknown>> = {};
  for (const [group, actions] of Object.entries(wire)) {
    client[group] = {};
    for (const [action, endpoint] of Object.entries<WireEndpoint>(actions))
      client[group][action] = callOf(transport, { name: `${group}.${action}`, ...endpoint });
  }
  return client as unknown as Client;
};

const callOf = (transport: Transport, named: NamedWire): unknown => {
  switch (named.media) {
    case "page": {
      const page = (input: Fields = {}, options: CallOptions = {}) =>
        getPage(transport, named, input, options);
      return Object.assign(page, {
        async *all(input: Fields = {}, options: CallOptions = {}) {
          for (let cursor = input.cursor; ; ) {
            const { items, next } = await page({ ...input, cursor }, options);
            yield* items;
            if (next === null) return;
            cursor = next;
          }
        },
      });
    }
    case "events":
      return (input: Fields = {}, options: FollowOptions = {}) => follow(transport, named, input, options);
    case "text":
      return async (input: Fields = {}, options: CallOptions = {}) =>
        textOf((await send(transport, named, input, options)).body);
    case "file":
      return async (input: Fields = {}, options: CallOptions = {}) =>
        fileOf(await send(transport, named, input, options));
    case "json":
      return async (input: Fields = {}, options: CallOptions = {}) =>
        jsonOf(await send(transport, named, input, options));
  }
};

const getPage = async (
  transport: Transport,
  named: NamedWire,
  input: Fields,
  options: CallOptions,
): Promise<PageOf<unknown>> => {
  const answer = await send(transport, named, input, options);
  return {
    items: (await jsonOf(answer)) as readonly unknown[],
    next: answer.headers["x-next-cursor"] ?? null,
  };
};
