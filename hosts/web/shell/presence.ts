import { useEffect, useRef } from "react";
import { call, useRead } from "../live/calls.ts";

/** The service counts a report for 45 seconds. */
const repeatMs = 25_000;
/** A person who touches nothing for longer may have left the screen on. */
const idleMs = 60_000;

/** Reports that the person sees what waits, so that no notice of it is sent, and that they have left the page. */
export const usePresence = (): void => {
  const { dataUpdatedAt } = useRead("inbox.counts", {});
  const lastInput = useRef(Date.now());
  const report = useRef((_stays: boolean): void => {});
  useEffect(() => {
    const isHere = () => document.visibilityState === "visible" && Date.now() - lastInput.current < idleMs;
    // One after the other: the service counts the report that arrives last.
    let lastReport = Promise.resolve<unknown>(null);
    const tell = (stays: boolean) => {
      lastReport = lastReport.then(() => call("session.seeNotices", { stays }).catch(() => {}));
    };
    let wasHere = false;
    report.current = () => {
      const here = isHere();
      if (here || wasHere) tell(here);
      wasHere = here;
    };
    const onInput = () => {
      lastInput.current = Date.now();
      if (!wasHere) report.current(true);
    };
    const onChange = () => report.current(isHere());
    const timer = setInterval(onChange, repeatMs);
    const inputs = ["pointermove", "pointerdown", "keydown", "wheel", "touchstart"] as const;
    for (const each of inputs) addEventListener(each, onInput, { passive: true });
    document.addEventListener("visibilitychange", onChange);
    return () => {
      clearInterval(timer);
      for (const each of inputs) removeEventListener(each, onInput);
      document.removeEventListener("visibilitychange", onChange);
    };
  }, []);
  // A person who sees the new count has seen its news.
  useEffect(() => {
    if (dataUpdatedAt > 0) report.current(true);
  }, [dataUpdatedAt]);
};
