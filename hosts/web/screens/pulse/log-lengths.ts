import { useCallback, useEffect, useRef, useState } from "react";
import { useRunOutput } from "../../live/stream.ts";

/** The last lines are read at most this often, however much the programs write. */
const pauseMs = 3_000;
const mostRuns = 1_000;

/** How long the logs of the runs are, as the stream tells: at once where nothing was written lately, then in steps. */
export const useLogLengths = (
  runs: readonly { readonly id: string; readonly logBytes: number }[],
): ReadonlyMap<string, number> => {
  const [shown, setShown] = useState<ReadonlyMap<string, number>>(new Map());
  const heard = useRef(new Map<string, number>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const show = useCallback(() => {
    const latest = heard.current;
    heard.current = new Map();
    // Of runs that are not in the list yet, too; of those that have ended, not permanently.
    setShown((before) => new Map([...before, ...latest].slice(-mostRuns)));
    timer.current = setTimeout(() => {
      timer.current = undefined;
      if (heard.current.size > 0) show();
    }, pauseMs);
  }, []);
  useRunOutput(
    useCallback(
      (runId, logBytes) => {
        heard.current.set(runId, logBytes);
        if (timer.current === undefined) show();
      },
      [show],
    ),
  );
  return new Map(runs.map(({ id, logBytes }) => [id, Math.max(logBytes, shown.get(id) ?? 0)]));
};
