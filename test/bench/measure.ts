/** What one round of a row has shown. */
export interface Figures {
  /** In the unit of the row's aim. */
  readonly value: number;
  /** What processor time is divided by. */
  readonly operations: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** Operations a second that `workers` carry out, each one after the other, over some seconds; and how long each took. */
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

/** The median time of one operation, one after the other. */
export const latency = async (times: number, once: () => Promise<unknown>): Promise<Figures> => {
  const took: number[] = [];
  for (let n = 0; n < times; n++) {
    const begun = performance.now();
    await once();
    took.push(performance.now() - begun);
  }
  return latencies(took);
};

/** Figures of a row whose value is a median of milliseconds. */
export const latencies = (took: readonly number[]): Figures => {
  const shown = percentiles(took);
  return { value: shown.p50Ms, operations: took.length, ...shown };
};

const percentiles = (took: readonly number[]) => {
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
