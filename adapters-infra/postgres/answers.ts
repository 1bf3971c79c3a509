import type { PendingQuery } from "postgres";

/** Wait for an unwanted statement to end by itself before it is cancelled. */
const patienceMs = 10;
/** Wait for the cancel request and for the end of the cancelled statement. */
const lastPatienceMs = 5_000;

/** An internal of the client, absent from its types; the client's version is pinned. */
interface Cancellable {
  readonly active: boolean;
  readonly canceller: (query: Cancellable) => Promise<void>;
}

/** Returns the value, or null when it takes longer. */
export const within = <A>(promise: Promise<A>, ms: number): Promise<A | null> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, null);
    promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });

/**
 * Ends statements whose results are unwanted: waits briefly, then cancels the one that runs. `answered` resolves when
 * all have ended. Returns false where cancelling did not help.
 *
 * The caller must own the connection. This waits until the cancel request was sent, so that it cannot
 * hit a later statement; the client's own `cancel()` drops that promise, and its rejection would end the process.
 */
export const endUnwanted = async (
  queries: () => Iterable<PendingQuery<object[]>>,
  answered: Promise<unknown>,
): Promise<boolean> => {
  const done = answered.then(() => true);
  if (await within(done, patienceMs)) return true;
  const running = [...(queries() as unknown as Iterable<Cancellable>)].find(({ active }) => active);
  // The statement was never sent: there is no connection yet.
  if (running === undefined) return false;
  await within(
    running.canceller(running).catch(() => {}),
    lastPatienceMs,
  );
  return (await within(done, lastPatienceMs)) ?? false;
};
