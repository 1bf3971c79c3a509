import { useSyncExternalStore } from "react";
import { live } from "../live/live-store.ts";
import { useLiveState } from "../live/stream.ts";
import { Button } from "../widgets/button.tsx";
import { Icon } from "../widgets/icon.tsx";

/** Says that news does not arrive; says nothing while it does. */
export const LiveMark = () => {
  const state = useLiveState();
  const hasTried = useSyncExternalStore(live.subscribe, () => live.hasTried);
  return (
    <span className={`live-mark ${state}`} role="status">
      {state === "lost" ? (
        <>
          <Icon name="wifi-off" />
          <span>{hasTried ? "Still offline. Reconnecting…" : "Connection lost. Reconnecting…"}</span>
          <Button small onClick={() => live.tryNow()}>
            Try now
          </Button>
        </>
      ) : state === "live" ? (
        <span className="live-dot" title="Live">
          <span className="only-read">Live</span>
        </span>
      ) : null}
    </span>
  );
};
