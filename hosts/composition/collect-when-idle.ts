import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const pollMs = 10_000;
/** The share of its time for which a service that is idle may work. Runs one after the other take more, and V8 collects then. */
const idleShare = 0.05;
const changeBytes = 8 * 1024 * 1024;

/**
 * Collects garbage when the service is idle and its memory has changed since the last time. V8 collects when it needs
 * room: the bodies and answers of a load would stay until the next one, and C memory with them.
 */
export const collectWhenIdle = (): void => {
  const collect = exposeGc();
  let passed = performance.eventLoopUtilization();
  let lastRss = process.memoryUsage.rss();
  setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(passed);
    passed = performance.eventLoopUtilization();
    const rss = process.memoryUsage.rss();
    // A collection frees memory a little later: that is a change, too, and worth the next collection.
    if (utilization > idleShare || Math.abs(rss - lastRss) < changeBytes) return;
    lastRss = rss;
    collect();
  }, pollMs).unref();
};

/** Gives V8's collection of all garbage; no other code gets it. */
const exposeGc = (): (() => void) => {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc") as () => void;
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
};
