import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { Icon, type IconName } from "./icon.tsx";
import { type Key, useKeys } from "./keys.tsx";
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
  /** The key that opens it, for the list that `?` shows. */
  readonly opensBy?: Omit<Key, "run"> | undefined;
}

const entriesOf = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];

/** The position of the entry that a key moves to; -1: none. */
const entryAfter = (key: string, at: number, entries: readonly HTMLElement[]): number => {
  const last = entries.length - 1;
  switch (key) {
    case "ArrowDown":
      return at === last ? 0 : at + 1;
    case "ArrowUp":
      return at <= 0 ? last : at - 1;
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return key.length === 1
        ? entries.findIndex((each) => each.textContent?.toLowerCase().startsWith(key.toLowerCase()))
        : -1;
  }
};

const moveFocus = (event: KeyboardEvent<HTMLElement>): void => {
  const menu = event.currentTarget;
  const entries = entriesOf(menu);
  const next = entryAfter(event.key, entries.indexOf(document.activeElement as HTMLElement), entries);
  if (event.key === "Tab") menu.hidePopover();
  if (next < 0) return;
  event.preventDefault();
  entries[next]?.focus();
};

/** A button that opens a list of actions (WAI-ARIA menu button): arrows, Home, End, first letters, Escape. */
export const Menu = ({
  button,
  label,
  items,
  className = "button quiet",
  align = "start",
  opensBy,
}: MenuProps) => {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  const close = () => {
    list.current?.hidePopover();
    opener.current?.focus();
  };
  useKeys(opensBy === undefined ? [] : [{ ...opensBy, run: () => list.current?.showPopover() }]);
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
          const menu = event.currentTarget;
          (menu.querySelector<HTMLElement>("[aria-checked=true]") ?? entriesOf(menu)[0])?.focus();
        }}
        onKeyDown={moveFocus}
      >
        {items.map((item, at) => (
          <Entry key={`${at} ${item.label}`} item={item} onChoose={close} />
        ))}
      </div>
    </>
  );
};

const Entry = ({ item, onChoose }: { readonly item: MenuItem; readonly onChoose: () => void }) => {
  const { label, icon, mark, kind, isChosen, disabled, hint, run } = item;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a radio item has it
    <button
      type="button"
      role={isChosen === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={isChosen}
      tabIndex={-1}
      className={kind === "danger" ? "menu-item danger" : "menu-item"}
      aria-disabled={disabled || undefined}
      onClick={() => {
        if (disabled) return;
        onChoose();
        run();
      }}
    >
      {icon === undefined ? mark : <Icon name={icon} />}
      <span className="menu-words grow">
        <span>{label}</span>
        {hint === undefined ? null : <span className="faint">{hint}</span>}
      </span>
      {isChosen ? <Icon name="check" /> : null}
    </button>
  );
};
