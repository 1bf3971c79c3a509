import { renewPush } from "../live/push.ts";
import { registerWorker } from "../live/service-worker.ts";

/** Registers the worker of the page, renews the push subscription, and goes where a notice that was opened leads. */
export const beginDevice = (userId: string, go: (path: string) => void): (() => void) => {
  const onMessage = ({ data, ports }: MessageEvent<unknown>) => {
    if (typeof data !== "object" || data === null || !("open" in data)) return;
    go(String(data.open));
    ports[0]?.postMessage(true);
  };
  void registerWorker()
    // The next page that is opened tries again.
    .then(() => renewPush(userId))
    .catch(() => {});
  navigator.serviceWorker?.addEventListener("message", onMessage);
  return () => navigator.serviceWorker?.removeEventListener("message", onMessage);
};
