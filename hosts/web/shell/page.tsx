import { type ReactNode, useEffect, useRef, useState } from "react";
import { Link, useLocation } from "wouter";
import { useFirstReads } from "../live/first-reads.ts";
import { tryNow, useLiveState } from "../live/stream.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { KeyName } from "../parts/keys.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { useInboxCount } from "./inbox-count.ts";
import { NotificationOffer } from "./notifications.tsx";
import { usePalette } from "./palette.tsx";
import { RestoredBanner } from "./restored-banner.tsx";
import { arrive, returnToPosition } from "./scroll-memory.ts";
import { UpgradeBanner } from "./upgrade-banner.tsx";

export interface Crumb {
  readonly label: string;
  readonly to: string;
}

interface PageProps {
  readonly title: string;
  /** Content in place of the title, such as one that can be edited. */
  readonly heading?: ReactNode;
  readonly crumbs?: readonly Crumb[];
  /** Buttons at the right; the main one last. */
  readonly actions?: ReactNode;
  /** The content scrolls by itself, as virtual lists do. */
  readonly fills?: boolean;
  readonly children: ReactNode;
}

/** The path of the screen shown before; null: none. */
let shownAt: string | null = null;

/** One screen: the header line with where it is, and the content below. A new screen takes the focus to its title. */
export const Page = ({ title, heading, crumbs = [], actions, fills = false, children }: PageProps) => {
  const element = useRef<HTMLHeadingElement>(null);
  const open = usePalette();
  useTabSigns(title);
  const [location] = useLocation();
  useEffect(() => {
    // At first the focus begins before the navigation.
    const isNew = shownAt !== null && shownAt !== location;
    shownAt = location;
    arrive();
    // A screen may have put it into a field of its own.
    if (isNew && !document.activeElement?.matches("main :is(input, textarea, select)"))
      element.current?.focus({ preventScroll: true });
  }, [location]);
  const hasRead = useFirstReads(location);
  useEffect(() => {
    if (hasRead) returnToPosition();
  }, [hasRead]);
  return (
    <main className={hasRead ? "page" : "page waiting"} id="content">
      {hasRead ? null : (
        <div className="page-waiting" aria-hidden="true">
          <Skeleton />
        </div>
      )}
      <header className="page-head">
        <div className="page-where">
          {crumbs.length === 0 ? null : (
            <nav aria-label="Where this is" className="crumbs">
              {crumbs.map(({ label, to }) => (
                <span key={to} className="row">
                  <Link href={to}>{label}</Link>
                  <Icon name="chevron-right" size={12} />
                </span>
              ))}
            </nav>
          )}
          <h1 ref={element} tabIndex={-1} className="cut">
            {heading ?? title}
          </h1>
        </div>
        <LiveMark />
        <button type="button" className="button quiet" onClick={open} title="Search and go">
          <Icon name="search" />
          <span className="only-read">Search and go </span>
          <span className="wide-only">
            <KeyName keys="mod+k" />
          </span>
        </button>
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      <RestoredBanner />
      <UpgradeBanner />
      {location === "/inbox" ? <NotificationOffer /> : null}
      <div className={fills ? "page-body fills" : "page-body"}>{children}</div>
    </main>
  );
};

/** How much waits for the person, in the tab: in its title and its icon. */
const useTabSigns = (title: string) => {
  const count = useInboxCount();
  useEffect(() => {
    document.title = `${count === 0 ? "" : `(${count > 99 ? "99+" : count}) `}${title} · Boardroom`;
  }, [title, count]);
  const icon = count === 0 ? "icon.svg" : `assets/icon-${count > 9 ? "more" : count}.svg`;
  useEffect(() => {
    document.querySelector<HTMLLinkElement>("link[rel=icon]")!.href = icon;
  }, [icon]);
};

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
