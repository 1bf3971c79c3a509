import type { Side } from "./follow-opener.ts";

let loading: Promise<typeof import("./follow-opener.ts")> | null = null;

/** Loads what computes places: the first screen opens no popover. */
export const loadPositions = () => {
  loading ??= import("./follow-opener.ts").catch((error) => {
    loading = null;
    throw error;
  });
  return loading;
};

/**
 * Keeps a popover at its opener while it is open: on the named side where it fits, else on the other, within the window,
 * and while the page scrolls or the window changes. A sheet has its place on a phone. Returns a function that ends it.
 */
export const positionAt = (opener: Element, popover: HTMLElement, side: Side = {}): (() => void) => {
  if (popover.classList.contains("sheet") && matchMedia("(width < 720px)").matches) {
    popover.removeAttribute("style");
    return () => {};
  }
  let end = () => {};
  let isOpen = true;
  // Not hidden: what has the focus stays where it is.
  popover.style.opacity = "0";
  loadPositions().then(
    ({ followOpener }) => {
      if (isOpen) end = followOpener(opener, popover, side);
    },
    () => {
      popover.style.opacity = "";
    },
  );
  return () => {
    isOpen = false;
    end();
  };
};
