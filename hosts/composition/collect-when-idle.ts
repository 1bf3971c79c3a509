import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const pollMs = 10_000;
/**
 * The processor time that an idle service may take, as a share of the time that passes: it needs 0.01 to 0.03. Runs one
 * after the other take more, and V8 collects then. The load of the event loop would grow with that of the machine.
 */
const idleShare = 0.1;
const changeBytes = 8 * 1024 * 1024;

/**
 * Collects garbage when the service is idle and its memory has changed since the last time. V8 collects when it needs
 * room: the bodies and answers of a load would stay until the next one, and C memory with them.
 */
export const collectWhenIdle = (): void => {
  const collect = exposeGc();
  let before = { used: usedMs(), at: performance.now() };
  let lastRss = process.memoryUsage.rss();
  setInterval(() => {
    const now = { used: usedMs(), at: performance.now() };
    const share = (now.used - before.used) / (now.at - before.at);
    before = now;
    const rss = process.memoryUsage.rss();
    // A collection frees memory a little later: that is a change, too, and worth the next collection.
    if (share > idleShare || Math.abs(rss - lastRss) < changeBytes) return;
    lastRss = rss;
    // Newer V8 keeps free pages otherwise: 176 MB in place of 135 on Node 24. Node 20 does not know the flavor.
    // V8 of Node 20 treats options without one that it knows as a request for a minor collection: it knows `async`.
    collect({ type: "major", execution: "async", flavor: "last-resort" });
  }, pollMs).unref();
};

/** The processor time of the service so far, of all its threads. */
const usedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Gives V8's collection of all garbage; no other code gets it. */
const exposeGc = (): ((how: Readonly<Record<"type" | "execution" | "flavor", string>>) => void) => {
  setFlagsFromString("--expose-gc");
  try {
    return runInNewContext("gc");
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
};
