import { autoUpdate, computePosition, flip, offset, type Placement, shift, size } from "@floating-ui/dom";

const margin = 8;

/**
 * Keeps a popover at its opener while it is open: on the named side where it fits, else on the other, within the window,
 * and while the page scrolls or the window changes. A sheet has its place on a phone. Returns a function that ends it.
 */
export const positionAt = (
  opener: Element,
  popover: HTMLElement,
  { placement = "bottom-start", isAsWide = false }: { placement?: Placement; isAsWide?: boolean } = {},
): (() => void) => {
  if (popover.classList.contains("sheet") && matchMedia("(width < 720px)").matches) {
    popover.removeAttribute("style");
    return () => {};
  }
  return autoUpdate(opener, popover, async () => {
    const { x, y } = await computePosition(opener, popover, {
      placement,
      strategy: "fixed",
      middleware: [
        offset(4),
        flip({ padding: margin }),
        shift({ padding: margin }),
        size({
          padding: margin,
          apply: ({ rects, availableHeight }) => {
            popover.style.maxHeight = `${Math.max(80, Math.min(420, availableHeight))}px`;
            if (isAsWide) popover.style.minWidth = `${rects.reference.width}px`;
          },
        }),
      ],
    });
    popover.style.left = `${Math.round(x)}px`;
    popover.style.top = `${Math.round(y)}px`;
  });
};
