import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { positionAt } from "./position.ts";

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  /** Content before the label in place of an icon. */
  readonly mark?: ReactNode;
  readonly kind?: "plain" | "danger";
  readonly isChosen?: boolean;
  readonly disabled?: boolean;
  /** Why it is disabled, or what it does next to its name. */
  readonly hint?: string;
  readonly run: () => void;
}

interface MenuProps {
  /** Content of the button; `label` is read out before it. */
  readonly button: ReactNode;
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly className?: string;
  readonly align?: "start" | "end";
}

/** A button that opens a list of actions (WAI-ARIA menu button): arrows, Home, End, first letters, Escape. */
export const Menu = ({ button, label, items, className = "button quiet", align = "start" }: MenuProps) => {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  const entries = () => [...list.current!.querySelectorAll<HTMLElement>("[role^=menuitem]")];
  const close = () => {
    list.current?.hidePopover();
    opener.current?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const last = all.length - 1;
    const next =
      event.key === "ArrowDown"
        ? at === last
          ? 0
          : at + 1
        : event.key === "ArrowUp"
          ? at <= 0
            ? last
            : at - 1
          : event.key === "Home"
            ? 0
            : event.key === "End"
              ? last
              : event.key.length === 1
                ? all.findIndex((each) => each.textContent?.toLowerCase().startsWith(event.key.toLowerCase()))
                : -1;
    if (event.key === "Tab") list.current?.hidePopover();
    if (next < 0) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        className={className}
        aria-haspopup="menu"
        title={label}
        popoverTarget={id}
      >
        <span className="only-read">{label} </span>
        {button}
      </button>
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        className="menu"
        onToggle={(event) => {
          const isOpen = event.newState === "open";
          opener.current?.setAttribute("aria-expanded", String(isOpen));
          release.current?.();
          release.current = undefined;
          if (!isOpen) return;
          release.current = positionAt(opener.current!, list.current!, { placement: `bottom-${align}` });
          (list.current?.querySelector<HTMLElement>("[aria-checked=true]") ?? entries()[0])?.focus();
        }}
        onKeyDown={move}
      >
        {items.map(({ label: name, icon, mark, kind, isChosen, disabled, hint, run }, at) => (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a radio item has it
          <button
            key={`${at} ${name}`}
            type="button"
            role={isChosen === undefined ? "menuitem" : "menuitemradio"}
            aria-checked={isChosen}
            tabIndex={-1}
            className={kind === "danger" ? "menu-item danger" : "menu-item"}
            aria-disabled={disabled || undefined}
            onClick={() => {
              if (disabled) return;
              close();
              run();
            }}
          >
            {icon === undefined ? mark : <Icon name={icon} />}
            <span className="menu-words grow">
              <span>{name}</span>
              {hint === undefined ? null : <span className="faint">{hint}</span>}
            </span>
            {isChosen ? <Icon name="check" /> : null}
          </button>
        ))}
      </div>
    </>
  );
};
