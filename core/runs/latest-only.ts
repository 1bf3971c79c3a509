import * as Effect from "effect/Effect";

/** Processes one value at a time; of those that arrive meanwhile, only the last. */
export const latestOnly = <A>(takeIn: (value: A) => Effect.Effect<void>) => {
  let latest: { readonly value: A } | null = null;
  let isBusy = false;
  const takeLatest: Effect.Effect<void> = Effect.suspend(() => {
    const next = latest;
    latest = null;
    if (next !== null) return Effect.andThen(takeIn(next.value), takeLatest);
    // With the check in one step: nobody would take in a value that arrives between them.
    isBusy = false;
    return Effect.void;
  });
  return (value: A): Effect.Effect<void> =>
    Effect.suspend(() => {
      latest = { value };
      if (isBusy) return Effect.void;
      isBusy = true;
      return Effect.onError(takeLatest, () =>
        Effect.sync(() => {
          isBusy = false;
        }),
      );
    });
};
