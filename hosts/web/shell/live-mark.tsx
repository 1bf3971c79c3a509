import { useEffect, useState } from "react";
import { tryNow, useLiveState } from "../live/stream.ts";
import { Button } from "../widgets/button.tsx";
import { Icon } from "../widgets/icon.tsx";

/** Whether the person has tried since the connection was lost; each screen draws the mark anew. */
let triedSinceLost = false;

/** Says that news does not arrive; says nothing while it does. */
export const LiveMark = () => {
  const state = useLiveState();
  const [hasTried, setTried] = useState(triedSinceLost);
  const keepTried = (value: boolean) => {
    triedSinceLost = value;
    setTried(value);
  };
  useEffect(() => {
    if (state !== "lost") keepTried(false);
  }, [state]);
  return (
    <span className={`live-mark ${state}`} role="status">
      {state === "lost" ? (
        <>
          <Icon name="wifi-off" />
          <span>{hasTried ? "Still no connection, trying again" : "Connection lost, trying again"}</span>
          <Button
            small
            onClick={() => {
              keepTried(true);
              tryNow();
            }}
          >
            Try now
          </Button>
        </>
      ) : state === "live" ? (
        <span className="live-dot" title="Live: what happens is shown at once">
          <span className="only-read">Live</span>
        </span>
      ) : null}
    </span>
  );
};
