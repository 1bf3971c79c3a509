import { type ReactNode, useEffect, useRef } from "react";
import { Link, useLocation } from "wouter";
import { useFirstReads } from "../live/first-reads.ts";
import { useLiveState } from "../live/stream.ts";
import { Icon } from "../parts/icon.tsx";
import { KeyName } from "../parts/keys.tsx";
import { Skeleton } from "../parts/skeleton.tsx";
import { usePalette } from "./palette.tsx";
import { RestoredBanner } from "./restored-banner.tsx";
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
  useEffect(() => {
    document.title = `${title} · Boardroom`;
  }, [title]);
  const [location] = useLocation();
  useEffect(() => {
    // At first the focus begins before the navigation.
    const isNew = shownAt !== null && shownAt !== location;
    shownAt = location;
    // A screen may have put it into a field of its own.
    if (isNew && !document.activeElement?.matches("main :is(input, textarea, select)"))
      element.current?.focus({ preventScroll: true });
  }, [location]);
  const hasRead = useFirstReads(location);
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
      <div className={fills ? "page-body fills" : "page-body"}>{children}</div>
    </main>
  );
};

/** Says that news does not arrive; says nothing while it does. */
export const LiveMark = () => {
  const state = useLiveState();
  return (
    <span className={`live-mark ${state}`} role="status">
      {state === "lost" ? (
        <>
          <Icon name="wifi-off" />
          <span>Connection lost, trying again</span>
        </>
      ) : state === "live" ? (
        <span className="live-dot" title="Live: what happens is shown at once">
          <span className="only-read">Live</span>
        </span>
      ) : null}
    </span>
  );
};
