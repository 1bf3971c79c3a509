/** The most by which the wall clock may differ before spans follow it. */
const mostApartMs = 1000;

/** The wall-clock time at which the monotonic clock began. */
let originMs = performance.timeOrigin;

/** The time in nanoseconds, to a microsecond. Effect's clock calculates in big integers, at several times the cost. */
export const nowNanos = (): bigint => {
  const monotonicMs = performance.now();
  const nowMs = Date.now();
  if (Math.abs(originMs + monotonicMs - nowMs) > mostApartMs) originMs = nowMs - monotonicMs;
  return BigInt(Math.round((originMs + monotonicMs) * 1000)) * 1000n;
};
