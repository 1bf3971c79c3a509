import { useEffect, useRef } from "react";
import { live } from "../live/live-store.ts";
import { useLiveState } from "../live/stream.ts";
import { Button } from "../widgets/button.tsx";
import { Empty } from "../widgets/empty.tsx";
import { Page } from "../widgets/page.tsx";
import { Skeleton } from "../widgets/skeleton.tsx";
import { LiveMark } from "./live-mark.tsx";

/** In place of a screen whose code is not there yet. */
export const Waiting = () => (
  <main className="page">
    <header className="page-head">
      <LiveMark />
    </header>
    <Skeleton />
  </main>
);

/** In place of a screen whose code did not come. It is loaded again when the connection is back. */
export const NotLoaded = ({ onAgain }: { readonly onAgain: () => void }) => {
  const state = useLiveState();
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && state === "live") onAgain();
    isFirst.current = false;
  }, [state]);
  return (
    <Page title="Not loaded">
      <div role="alert">
        <Empty
          icon="circle-alert"
          title="Couldn't load this page"
          action={
            <Button
              icon="refresh-cw"
              // Browsers may remember what they could not load, and an upgraded service has other files.
              onClick={() => (state === "live" ? location.reload() : live.tryNow())}
            >
              Try again
            </Button>
          }
        >
          It loads when you're back online.
        </Empty>
      </div>
    </Page>
  );
};
