import { type RefObject, useEffect, useRef } from "react";

/** How long a finger rests on a row to choose it, and how far it may move meanwhile. */
const pressMs = 500;
const pressPixels = 10;

/** A long press of a finger chooses the row below it; while any is chosen, a tap does. `onChoose` null: none can be chosen. */
export const useLongPress = (
  list: RefObject<HTMLElement | null>,
  isChoosing: boolean,
  onChoose: ((index: number, isRange: boolean) => void) | null,
): void => {
  const current = useRef({ isChoosing, onChoose });
  current.current = { isChoosing, onChoose };
  useEffect(() => {
    const element = list.current!;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let from = { x: 0, y: 0 };
    let isFinger = false;
    /** The click that ends a long press opens nothing. */
    let wasChosen = false;
    const indexAt = ({ target }: Event) => {
      const row = target instanceof Element ? target.closest<HTMLElement>(".issues-row") : null;
      return row === null ? null : Number(row.dataset.index);
    };
    const stop = () => clearTimeout(timer);
    const begin = (event: PointerEvent) => {
      stop();
      wasChosen = false;
      isFinger = event.pointerType === "touch";
      const index = indexAt(event);
      if (!isFinger || index === null) return;
      from = { x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        wasChosen = current.current.onChoose !== null;
        current.current.onChoose?.(index, false);
      }, pressMs);
    };
    const move = ({ clientX, clientY }: PointerEvent) => {
      if (Math.hypot(clientX - from.x, clientY - from.y) > pressPixels) stop();
    };
    const click = (event: MouseEvent) => {
      const index = indexAt(event);
      if (!isFinger || index === null || event.target instanceof HTMLInputElement) return;
      if (!wasChosen && !current.current.isChoosing) return;
      event.preventDefault();
      event.stopPropagation();
      if (!wasChosen) current.current.onChoose?.(index, false);
      wasChosen = false;
    };
    const keepMenuAway = (event: Event) => {
      if (isFinger && indexAt(event) !== null) event.preventDefault();
    };
    element.addEventListener("pointerdown", begin);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", stop);
    element.addEventListener("pointercancel", stop);
    element.addEventListener("click", click, true);
    element.addEventListener("contextmenu", keepMenuAway);
    return () => {
      stop();
      element.removeEventListener("pointerdown", begin);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", stop);
      element.removeEventListener("pointercancel", stop);
      element.removeEventListener("click", click, true);
      element.removeEventListener("contextmenu", keepMenuAway);
    };
  }, [list]);
};
