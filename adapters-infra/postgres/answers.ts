import type { PendingQuery } from "postgres";

/** How long a statement may take to end by itself before it is cancelled, once nobody wants its answer. */
const patienceMs = 10;
/** How long a cancelled one may take, and being told. */
const lastPatienceMs = 5_000;

/** What the client has behind a statement; not in its types, and pinned with its version. */
interface Cancellable {
  readonly active: boolean;
  readonly canceller: (query: Cancellable) => Promise<void>;
}

/** The value, or null when it takes longer. */
export const within = <A>(promise: Promise<A>, ms: number): Promise<A | null> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, null);
    promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });

/**
 * Ends what nobody waits for any more: a little patience, then the database is asked to give up the statement that
 * runs. `answered` resolves when all of them are. False where even that did not help.
 *
 * The connection must be the caller's alone. It is waited until the database has been told, so that the request cannot
 * hit a later statement; the client's own `cancel()` drops that promise, and its rejection would end the process.
 */
export const endUnwanted = async (
  queries: () => Iterable<PendingQuery<object[]>>,
  answered: Promise<unknown>,
): Promise<boolean> => {
  const done = answered.then(() => true);
  if (await within(done, patienceMs)) return true;
  const running = [...(queries() as unknown as Iterable<Cancellable>)].find(({ active }) => active);
  // Not even sent: there is no connection yet.
  if (running === undefined) return false;
  await within(
    running.canceller(running).catch(() => {}),
    lastPatienceMs,
  );
  return (await within(done, lastPatienceMs)) ?? false;
};
