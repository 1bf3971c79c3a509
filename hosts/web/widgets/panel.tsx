import { type ReactNode, useEffect, useId, useRef } from "react";
import { type Key, useKeys } from "./keys.tsx";
import { positionAt } from "./position.ts";

interface PanelProps {
  /** Content of the button; `label` is read out before it. */
  readonly button: ReactNode;
  readonly label: string;
  readonly className?: string;
  readonly opensBy: Omit<Key, "run">;
  readonly children: ReactNode;
}

/** A button that opens a small panel of settings, which are applied at once. Escape or a click elsewhere closes it. */
export const Panel = ({ button, label, className = "button small", opensBy, children }: PanelProps) => {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  useKeys([{ ...opensBy, run: () => panel.current?.showPopover() }]);
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-haspopup="dialog"
        title={label}
        popoverTarget={id}
      >
        {button}
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className="menu panel sheet"
        onToggle={(event) => {
          const isOpen = event.newState === "open";
          opener.current?.setAttribute("aria-expanded", String(isOpen));
          release.current?.();
          release.current = undefined;
          if (!isOpen) return;
          release.current = positionAt(opener.current!, panel.current!, { placement: "bottom-end" });
          event.currentTarget.querySelector<HTMLElement>("button, select, input")?.focus();
        }}
      >
        {children}
      </div>
    </>
  );
};
