/** The code of long lists: a file of its own, so that it is loaded with the first one. */
export {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
} from "@tanstack/react-virtual";
