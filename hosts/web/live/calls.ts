import {
  type InfiniteData,
  infiniteQueryOptions,
  type Query,
  type QueryFunctionContext,
  type UseQueryOptions,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useMemo } from "react";
import type { Client, PageOf } from "../../library/client.ts";
import { mayPass } from "../../library/client-error.ts";
import type { CallOptions } from "../../library/send.ts";
import type { CallName } from "./call-name.ts";
import { client } from "./client.ts";
import { opened } from "./opened.ts";
import { useWaitOfPart } from "./part-of-screen.ts";
import { keysTouchedBy } from "./touched.ts";

type Call<Name extends CallName> = Name extends `${infer Group}.${infer Action}`
  ? Group extends keyof Client
    ? Action extends keyof Client[Group]
      ? Client[Group][Action]
      : never
    : never
  : never;

type Args<Name extends CallName> = Call<Name> extends (...args: infer A) => unknown ? A : never;

/** The input of a call. */
export type InputOf<Name extends CallName> = NonNullable<Args<Name>[0]>;

/** The answer of a call. */
export type AnswerOf<Name extends CallName> =
  Call<Name> extends (...args: never[]) => Promise<infer Answer> ? Answer : never;

/** One row of a call that answers in pages. */
export type RowOf<Name extends CallName> = AnswerOf<Name> extends PageOf<infer Row> ? Row : never;

/** Where an answer is kept. Events and writes find it by its name. */
const keyOf = <Name extends CallName>(name: Name, input: InputOf<Name>) => [name, input] as const;

type AnyCall = (input: unknown, options: CallOptions) => Promise<unknown>;

const callOf = (name: CallName): AnyCall => {
  const [group, action] = name.split(".") as [string, string];
  return (client as unknown as Record<string, Record<string, AnyCall>>)[group]![action]!;
};

/** Calls once, outside of what is kept. */
export const call = <Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  options: CallOptions = {},
): Promise<AnswerOf<Name>> => callOf(name)(input, options) as Promise<AnswerOf<Name>>;

type ReadOptions<Name extends CallName> = Omit<
  UseQueryOptions<AnswerOf<Name>, Error>,
  "queryKey" | "queryFn"
>;

const readOf = <Name extends CallName>(name: Name, input: InputOf<Name>) => ({
  queryKey: keyOf(name, input),
  queryFn: async ({ signal }: QueryFunctionContext): Promise<AnswerOf<Name>> => {
    await opened();
    return call(name, input, { signal });
  },
});

const pagesOf = <Name extends CallName>(name: Name, input: InputOf<Name>) =>
  infiniteQueryOptions<
    PageOf<RowOf<Name>>,
    Error,
    InfiniteData<PageOf<RowOf<Name>>>,
    readonly unknown[],
    string | undefined
  >({
    queryKey: [name, input, "pages"],
    initialPageParam: undefined,
    queryFn: async ({ pageParam, signal }) => {
      await opened();
      const page = { ...(input as object), cursor: pageParam } as InputOf<Name>;
      return (await call(name, page, { signal })) as PageOf<RowOf<Name>>;
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });

/** Reads: shows what was seen before at once, refreshes behind, and follows the events that touch it. */
export const useRead = <Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  options: ReadOptions<Name> = {},
) => {
  const queries = useQueryClient();
  const read = { ...options, ...readOf(name, input) };
  // While the screen is drawn: the library would begin after the paint.
  if (isFirst(queries, read)) void queries.prefetchQuery(read);
  const query = useQuery<AnswerOf<Name>, Error>(read);
  useWaitOfPart(query.isLoading);
  return keepingShown(query);
};

/** Whether nothing was ever asked under the key. */
const isFirst = (
  queries: Queries,
  { enabled, queryKey }: { readonly enabled?: unknown; readonly queryKey: readonly unknown[] },
): boolean => enabled !== false && queries.getQueryState(queryKey) === undefined;

/** The answer that was read last; undefined: none is kept. */
export const kept = <Name extends CallName>(
  queries: Queries,
  name: Name,
  input: InputOf<Name>,
): AnswerOf<Name> | undefined => queries.getQueryData<AnswerOf<Name>>(keyOf(name, input));

/** A row of a list that was read by pages under the name; undefined: none such is kept. */
export const keptRow = <Name extends CallName>(
  queries: Queries,
  name: Name,
  isWanted: (row: RowOf<Name>) => boolean,
): RowOf<Name> | undefined => {
  const lists = queries.getQueriesData<InfiniteData<PageOf<RowOf<Name>>>>({
    predicate: ({ queryKey: [readName, , kind] }) => readName === name && kind === "pages",
  });
  for (const [, list] of lists) {
    for (const { items } of list?.pages ?? []) {
      const row = items.find(isWanted);
      if (row !== undefined) return row;
    }
  }
  return undefined;
};

/** A refusal is for the screen, which asks again. What no screen shows isn't kept for long. */
const ahead = { retry: false, gcTime: 60_000, meta: { isAhead: true } } as const;

/** Reads what a screen will show soon, where it isn't kept yet; undefined: it can't be read. */
export const readBefore = async <Name extends CallName>(
  queries: Queries,
  name: Name,
  input: InputOf<Name>,
): Promise<AnswerOf<Name> | undefined> => {
  const read = readOf(name, input);
  await queries.prefetchQuery({ ...read, ...ahead });
  return kept(queries, name, input);
};

/** The same for the first page of a list that is read by pages; no rows: it can't be read. */
export const readPagesBefore = async <Name extends CallName>(
  queries: Queries,
  name: Name,
  input: InputOf<Name>,
): Promise<readonly RowOf<Name>[]> => {
  const read = pagesOf(name, input);
  await queries.prefetchInfiniteQuery({ ...read, ...ahead });
  return queries.getQueryData(read.queryKey)?.pages.flatMap(({ items }) => items) ?? [];
};

/** How long an answer that was read ahead may be taken where no event says that it is out of date: until the click, as a rule. */
const takenWithinMs = 10_000;

/** Reads for somebody who keeps the answer, or takes what was read ahead a moment ago. */
export const readOrTake = async <Name extends CallName>(
  queries: Queries,
  name: Name,
  input: InputOf<Name>,
): Promise<AnswerOf<Name>> => {
  const read = readOf(name, input);
  const answer = await queries.fetchQuery({ ...read, staleTime: takenWithinMs });
  queries.removeQueries({ queryKey: read.queryKey, exact: true });
  return answer;
};

/**
 * An answer that was read once stays on the screen when it cannot be read again: the header says that the connection is lost. A refusal,
 * as of what was deleted, is news.
 */
const hidesShown = ({ isLoadingError, error }: { isLoadingError: boolean; error: Error | null }): boolean =>
  isLoadingError || !mayPass(error);

/** The same state of a read, in which only what takes the place of the content counts as an error. */
const keepingShown = <Read extends { isError: boolean; isLoadingError: boolean; error: Error | null }>(
  read: Read,
): Read =>
  // A view of it: the library notes which fields are used.
  Object.create(read, { isError: { get: () => read.isError && hidesShown(read) } });

/** Reads a list by pages: `rows` is what has come so far, `more` fetches the next page. */
export const usePages = <Name extends CallName>(
  name: Name,
  input: InputOf<Name>,
  options: { readonly enabled?: boolean } = {},
) => {
  const queries = useQueryClient();
  const read = { ...options, ...pagesOf(name, input) };
  if (isFirst(queries, read)) void queries.prefetchInfiniteQuery(read);
  const query = useInfiniteQuery(read);
  useWaitOfPart(query.isLoading);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ items }) => items) ?? [], [data]);
  return {
    ...query,
    isError: query.isError && hidesShown(query),
    rows,
    more: hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : null,
  };
};

/** The prefix of this tab's request ids. */
const tabId = crypto.getRandomValues(new Uint32Array(2)).join("-");

/** The calls that are read again after the last writes of this tab, by request: their events soon arrive. */
const readAfterWrites = new Map<string, readonly string[]>();
const mostWrites = 50;
let writes = 0;

const nextRequestId = (prefixes: readonly string[]): string => {
  const requestId = `${tabId}-${++writes}`;
  readAfterWrites.set(requestId, prefixes);
  readAfterWrites.delete(`${tabId}-${writes - mostWrites}`);
  return requestId;
};

/** The calls that are read again after the answer to a write of this tab, for an event of it; none: of no such write. */
export const readAfterWriteOf = (requestId: string | null): readonly string[] =>
  readAfterWrites.get(requestId ?? "") ?? [];

export interface WriteOptions<Name extends CallName> {
  /** Changes what is shown at once; what it answers takes the change back where the service refuses. */
  readonly ahead?: (input: InputOf<Name>) => (() => void) | undefined;
  readonly onDone?: (answer: AnswerOf<Name>, input: InputOf<Name>) => void;
  readonly onRefused?: (error: Error, input: InputOf<Name>) => void;
}

/**
 * Writes: `run(input)` carries the call out once (creating calls bring an idempotency key of their own), and what it
 * touches is read again. `error` is the last refusal, for the form that it arose in.
 */
export const useWrite = <Name extends CallName>(name: Name, options: WriteOptions<Name> = {}) => {
  const queries = useQueryClient();
  const touched = keysTouchedBy(name);
  const mutation = useMutation<AnswerOf<Name>, Error, InputOf<Name>, (() => void) | undefined>({
    mutationFn: (input) => call(name, input, { requestId: nextRequestId(touched) }),
    onMutate: async (input) => {
      if (options.ahead === undefined) return undefined;
      // A read in progress would restore the old answer.
      await Promise.all(touched.map((prefix) => cancel(queries, prefix)));
      return options.ahead(input);
    },
    onSuccess: (answer, input) => options.onDone?.(answer, input),
    onError: (error, input, takeBack) => {
      takeBack?.();
      options.onRefused?.(error, input);
    },
    onSettled: () => readAgain(queries, ({ queryKey }) => isBelowAny(queryKey, touched)),
  });
  return {
    run: mutation.mutate,
    runAndWait: mutation.mutateAsync,
    busy: mutation.isPending,
    error: mutation.error,
    /** The answer of the last call. */
    answer: mutation.data,
    reset: mutation.reset,
  };
};

export type Queries = ReturnType<typeof useQueryClient>;

const isBelow = (key: readonly unknown[], prefix: string): boolean =>
  typeof key[0] === "string" && (key[0] === prefix || key[0].startsWith(`${prefix}.`));

/** Whether what is kept under the key is the answer of a call below one of the prefixes. */
export const isBelowAny = (key: readonly unknown[], prefixes: readonly string[]): boolean =>
  prefixes.some((prefix) => isBelow(key, prefix));

/** Reads again everything kept of calls below a prefix: `issues`, or `issues.comments`. */
export const invalidate = (queries: Queries, prefix: string): void =>
  readAgain(queries, ({ queryKey }) => isBelow(queryKey, prefix));

/** First reads that will be repeated: many events during a slow one repeat it once. */
const toBeRepeated = new WeakSet<Promise<unknown>>();

/**
 * Reads again what the predicate chooses, all without one. A first read in progress may show what was before the change,
 * and the library would keep that: it is repeated when it has ended.
 */
export const readAgain = (queries: Queries, predicate: (query: Query) => boolean = () => true): void => {
  const firstReads = queries.getQueryCache().findAll({
    fetchStatus: "fetching",
    predicate: (query) => query.state.data === undefined && predicate(query),
  });
  void queries.invalidateQueries({ predicate });
  for (const { promise, queryKey } of firstReads) {
    // In a turn of its own: the library keeps the answer in this one.
    const repeat = () => setTimeout(() => void queries.invalidateQueries({ queryKey, exact: true }));
    if (promise === undefined || toBeRepeated.has(promise)) continue;
    toBeRepeated.add(promise);
    promise.then(repeat, () => {});
  }
};

const cancel = (queries: Queries, prefix: string) =>
  queries.cancelQueries({ predicate: ({ queryKey }) => isBelow(queryKey, prefix) });
