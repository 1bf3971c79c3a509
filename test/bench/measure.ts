/** The figures of one round of a row. */
export interface Figures {
  /** The value in the unit of the row's aim. */
  readonly value: number;
  /** The number of operations, by which processor time is divided. */
  readonly operations: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** Measures operations per second of `workers` sequential workers over some seconds, and the duration of each. */
export const rate = async (
  workers: number,
  seconds: number,
  once: (worker: number) => Promise<unknown>,
): Promise<Figures> => {
  const took: number[] = [];
  const from = performance.now();
  const until = from + seconds * 1000;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (performance.now() < until) {
        const begun = performance.now();
        await once(worker);
        took.push(performance.now() - begun);
      }
    }),
  );
  const value = (took.length * 1000) / (performance.now() - from);
  return { value, operations: took.length, ...percentiles(took) };
};

/** Measures the median time of one operation, in sequence. */
export const latency = async (times: number, once: () => Promise<unknown>): Promise<Figures> => {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = performance.now();
    await once();
    took.push(performance.now() - begun);
  }
  return latencies(took);
};

/** Gives the figures of a row whose value is a median of milliseconds. */
export const latencies = (took: readonly number[]): Figures => {
  const shown = percentiles(took);
  return { value: shown.p50Ms, operations: took.length, ...shown };
};

export const percentiles = (took: readonly number[]) => {
  const sorted = [...took].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Milliseconds since 1970, as `date +%s%N` of another program counts them. */
export const wallMs = (): number => performance.timeOrigin + performance.now();
