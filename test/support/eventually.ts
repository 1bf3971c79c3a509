/** Waits for a condition; a timeout fails with the last value. */
export const eventually = async <T>(
  read: () => Promise<T>,
  holds: (seen: T) => boolean,
  { withinMs = 120_000, everyMs = 50 } = {},
): Promise<T> => {
  const until = performance.now() + withinMs;
  for (;;) {
    const seen = await read();
    if (holds(seen)) return seen;
    if (performance.now() > until)
      throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(seen, null, 2)}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
};
