interface Position {
  /** How far each part was scrolled, by what finds it. */
  readonly tops: Map<string, number>;
  /** Where the link led that had the focus last. */
  focused: string | null;
}

/** The parts of screens that scroll. */
const parts = [".page-body", ".inbox-side", ".issues-scroll", ".issues-board", "[role=log]"];

const positions = new Map<string, Position>();
const here = (): string => location.pathname + location.search;
const positionHere = (): Position => {
  const position = positions.get(here()) ?? { tops: new Map(), focused: null };
  positions.set(here(), position);
  return position;
};

/** Whether a screen of before is being shown again, by the browser's Back or Forward. */
let isReturning = false;

/** The path of the screen that is shown. */
let shownPath: string | null = null;

/** Frames in which a list may still grow to where it was. */
const patience = 30;

/** Remembers where the reader is on each screen, from now on. */
export const rememberPositions = (): void => {
  addEventListener("popstate", () => {
    // Filters and choices of the screen that is shown are in its address, too.
    isReturning = location.pathname !== shownPath;
  });
  document.addEventListener(
    "scroll",
    ({ target }) => {
      if (isReturning || !(target instanceof Element)) return;
      const part = parts.find((each) => target.matches(each));
      if (part !== undefined) positionHere().tops.set(part, target.scrollTop);
    },
    { capture: true, passive: true },
  );
  document.addEventListener("focusin", ({ target }) => {
    if (isReturning || !(target instanceof Element)) return;
    const link = target.closest("main a[href]");
    if (link !== null) positionHere().focused = link.getAttribute("href");
  });
};

/** A screen begins, which may show later what it has. */
export const arrive = (): void => {
  shownPath = location.pathname;
};

/** Where the reader has come back to a screen, shows it as it was left: scrolled, with the focus on the link that was followed. */
export const returnToPosition = (): void => {
  if (!isReturning) {
    // Another visit begins at the top.
    positions.delete(here());
    return;
  }
  const position = positions.get(here());
  let frames = 0;
  const restore = () => {
    frames += 1;
    let isThere = true;
    for (const [part, top] of position?.tops ?? []) {
      const element = document.querySelector(part);
      if (element === null) continue;
      element.scrollTop = top;
      if (Math.abs(element.scrollTop - top) > 1) isThere = false;
    }
    const focused = position?.focused;
    const link =
      focused == null ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(focused)}"]`);
    link?.focus({ preventScroll: true });
    if (frames < patience && (!isThere || (focused != null && link === null))) requestAnimationFrame(restore);
    else isReturning = false;
  };
  restore();
};
