/** Called when it is this tab's turn, until the signal. */
type Lead = (over: AbortSignal) => void;

export interface Turns {
  /** Takes the turn from the tab that has it. */
  take(): void;
  /** Ends the turn, or leaves the line. */
  stop(): void;
}

/**
 * Gives one tab of the browser the turn at a time: a browser has six connections for all of its tabs. The tab that was shown
 * last takes it, as browsers may stop hidden ones; the others stand in line for when it closes. Locks need a secure context:
 * over plain HTTP from another machine each tab has its turn while it can be seen.
 */
export const takeTurns = (name: string, lead: Lead): Turns =>
  navigator.locks === undefined ? whileShown(lead) : byLock(name, lead);

const byLock = (name: string, lead: Lead): Turns => {
  let isLeading = false;
  let turn = new AbortController();
  const begin = async (steal: boolean) => {
    const own = new AbortController();
    turn = own;
    const hold = () =>
      new Promise<void>((resolve) => {
        if (own.signal.aborted) return resolve();
        own.signal.addEventListener("abort", () => resolve());
        isLeading = true;
        lead(own.signal);
      });
    // Rejects where the turn was taken by another tab, or where this one has left the line.
    await navigator.locks.request(name, steal ? { steal } : { signal: own.signal }, hold).catch(() => {});
    const wasTaken = !own.signal.aborted;
    if (turn === own) isLeading = false;
    own.abort();
    if (wasTaken) void begin(false);
  };
  const take = () => {
    if (isLeading) return;
    turn.abort();
    void begin(true);
  };
  const onChange = () => {
    if (document.visibilityState === "visible") take();
  };
  document.addEventListener("visibilitychange", onChange);
  void begin(document.visibilityState === "visible");
  return {
    take,
    stop: () => {
      document.removeEventListener("visibilitychange", onChange);
      turn.abort();
    },
  };
};

/** A hidden page ends its turn after this long. */
const hiddenMs = 15_000;

const whileShown = (lead: Lead): Turns => {
  let turn: AbortController | null = null;
  let hiding: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    turn?.abort();
    turn = null;
  };
  const take = () => {
    if (turn !== null) return;
    turn = new AbortController();
    lead(turn.signal);
  };
  const onChange = () => {
    clearTimeout(hiding);
    if (document.visibilityState === "visible") take();
    else hiding = setTimeout(end, hiddenMs);
  };
  onChange();
  document.addEventListener("visibilitychange", onChange);
  return {
    take,
    stop: () => {
      document.removeEventListener("visibilitychange", onChange);
      clearTimeout(hiding);
      end();
    },
  };
};
