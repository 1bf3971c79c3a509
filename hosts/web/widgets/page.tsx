import {
  type ComponentType,
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useRef,
  useState,
} from "react";
import { Link, useLocation } from "wouter";
import { afterPaint } from "./after-paint.ts";
import { useFirstReads } from "./first-reads.ts";
import { Icon } from "./icon.tsx";
import { InOrder } from "./in-order.tsx";
import { arrive, returnToPosition } from "./scroll-memory.ts";
import { Skeleton } from "./skeleton.tsx";

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

const Nothing = () => null;

/** The tools in the header line of each screen, and the notices below it: the shell gives them. */
export const PageFrame = createContext<{
  readonly Tools: ComponentType<{ readonly title: string }>;
  readonly Notices: ComponentType;
}>({ Tools: Nothing, Notices: Nothing });

/** The path of the screen shown before; null: none. */
let shownAt: string | null = null;

/** Scrolls to the section that the address names: it was not there yet when the browser looked for it. */
const showSection = (): void => {
  const named = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (named?.matches(".section") === true) named.scrollIntoView();
};

/** The title of a screen, which takes the focus when the screen is new. */
const useFocusedHeading = (path: string) => {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    // At first the focus begins before the navigation.
    const isNew = shownAt !== null && shownAt !== path;
    shownAt = path;
    arrive();
    if (!isNew) return;
    // Once the screen is painted: to find out whether the title can have the focus, the browser lays everything out at once.
    return afterPaint(() => {
      // A screen may have put it into a field of its own.
      if (!document.activeElement?.matches("main :is(input, textarea, select)"))
        element.current?.focus({ preventScroll: true });
    });
  }, [path]);
  return element;
};

/** One screen: the header line with where it is, and the content below. A new screen takes the focus to its title. */
export const Page = ({ title, heading, crumbs = [], actions, fills = false, children }: PageProps) => {
  const { Tools, Notices } = use(PageFrame);
  const [path] = useLocation();
  const titleElement = useFocusedHeading(path);
  const hasRead = useFirstReads(path);
  // As classes: a selector that looks for the rest of parts anywhere below would style the whole screen anew at each change.
  // As if all of it were there, until the parts say before the paint what they wait for.
  const [isBegun, setBegun] = useState(true);
  const [hasActions, setActions] = useState(true);
  const onBody = useCallback((count: number) => setBegun(count > 0), []);
  const onActions = useCallback((_: number, isComplete: boolean) => setActions(isComplete), []);
  const isWhole = isBegun && (hasActions || actions === undefined);
  useEffect(() => {
    if (hasRead !== true) return;
    returnToPosition();
    showSection();
  }, [hasRead]);
  return (
    <main className={hasRead === false ? "page waiting" : "page"} id="content">
      {hasRead !== false ? null : (
        <div className="page-waiting" aria-hidden="true">
          <Skeleton />
        </div>
      )}
      <header className={isWhole ? "page-head" : "page-head partial"}>
        <div className="page-where">
          {crumbs.length === 0 ? null : (
            <nav aria-label="Breadcrumb" className="crumbs">
              {crumbs.map(({ label, to }) => (
                <span key={to} className="row">
                  <Link href={to}>{label}</Link>
                  <Icon name="chevron-right" size={12} />
                </span>
              ))}
            </nav>
          )}
          <h1 ref={titleElement} tabIndex={-1} className="cut">
            {heading ?? title}
          </h1>
        </div>
        <Tools title={title} />
        {actions === undefined ? null : (
          <div className="page-actions">
            <InOrder onProgress={onActions}>{actions}</InOrder>
          </div>
        )}
      </header>
      <Notices />
      <div className={fills ? "page-body fills" : "page-body"}>
        <InOrder onProgress={onBody}>{children}</InOrder>
      </div>
    </main>
  );
};
