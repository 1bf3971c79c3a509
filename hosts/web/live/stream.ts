import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import type { LiveEvent, LiveState } from "./live-event.ts";
import { live } from "./live-store.ts";
import { everyRun } from "./tab-stream.ts";

/** How the connection that news comes by stands. */
export const useLiveState = (): LiveState => useSyncExternalStore(live.subscribe, () => live.state);

/** Follows what happens while the component is there. */
export const useLiveStream = (userId: string): void => {
  const queries = useQueryClient();
  useEffect(() => live.follow(queries, userId), [queries, userId]);
};

/** Follows the log and the events of a run while the component is there, for it and those below it. null: of no run. */
export const useShownRun = (runId: string | null): void => {
  useEffect(() => {
    if (runId === null) return;
    live.show(runId);
    return () => live.show(null);
  }, [runId]);
};

/**
 * Hears the pieces of the shown run's log while the component is there, and `stream.opened` where some may have been
 * missed. What is read after this effect and what is heard leave no gap between them. null: of no run.
 */
export const useRunLog = (runId: string | null, listener: (event: LiveEvent) => void): void => {
  useEffect(() => {
    if (runId === null) return;
    return live.listen((event) => {
      const isOfLog = event.event === "heartbeat.run.log" && event.data.runId === runId;
      if (event.event === "stream.opened" || isOfLog) listener(event);
    });
  }, [runId, listener]);
};

/** Hears how long the logs of runs are now while the component is there; pieces that were missed are not made up for. */
export const useRunOutput = (listener: (runId: string, logBytes: number) => void): void => {
  useShownRun(everyRun);
  useEffect(
    () =>
      live.listen(({ event, data }) => {
        if (event === "heartbeat.run.output") listener(String(data.runId), Number(data.logBytes));
      }),
    [listener],
  );
};
