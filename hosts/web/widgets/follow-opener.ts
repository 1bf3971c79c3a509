import { autoUpdate, computePosition, flip, offset, type Placement, shift, size } from "@floating-ui/dom";

const margin = 8;

export interface Side {
  readonly placement?: Placement;
  readonly isAsWide?: boolean;
}

/** Keeps a popover at its opener until the function that it returns is called. */
export const followOpener = (
  opener: Element,
  popover: HTMLElement,
  { placement = "bottom-start", isAsWide = false }: Side,
): (() => void) =>
  autoUpdate(opener, popover, async () => {
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
    popover.style.opacity = "";
  });
