/**
 * Waits for a condition; a timeout fails with the last value. It reads every 50 ms at first, and more seldom the longer it
 * waits, unless `everyMs` says otherwise: most reads are requests, and those of tests that wait took a tenth of the processor.
 */
export const eventually = async <T>(
  read: () => Promise<T>,
  holds: (seen: T) => boolean,
  { withinMs = 120_000, everyMs }: { readonly withinMs?: number; readonly everyMs?: number } = {},
): Promise<T> => {
  const from = performance.now();
  for (;;) {
    const seen = await read();
    if (holds(seen)) return seen;
    const waitedMs = performance.now() - from;
    if (waitedMs > withinMs)
      throw new Error(`not within ${withinMs} ms; last seen: ${JSON.stringify(seen, null, 2)}`);
    const pauseMs = everyMs ?? Math.min(Math.max(50, waitedMs / 10), 400);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};
