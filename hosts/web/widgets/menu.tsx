import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { Icon, type IconName } from "./icon.tsx";
import { type Key, useKeys } from "./keys.tsx";
import { matches } from "./matches.ts";
import { positionAt } from "./position.ts";

interface MenuEntry {
  readonly label: string;
  readonly icon?: IconName;
  /** Content before the label in place of an icon. */
  readonly mark?: ReactNode;
  readonly kind?: "plain" | "danger";
  readonly isChosen?: boolean;
  readonly disabled?: boolean;
  /** Why it is disabled, or what it does next to its name. */
  readonly hint?: string;
}

/** An entry of a menu: an action, or more entries, which take the place of the list and are found by its search. */
export type MenuItem = MenuEntry &
  (
    | { readonly run: () => void; readonly items?: undefined }
    | { readonly items: readonly MenuItem[]; readonly run?: undefined }
  );

interface MenuProps {
  /** Content of the button; `label` is read out before it. */
  readonly button: ReactNode;
  readonly label: string;
  /** A function is called while the menu is open. */
  readonly items: readonly MenuItem[] | (() => readonly MenuItem[]);
  readonly className?: string;
  readonly align?: "start" | "end";
  /** On a phone it is a sheet at the lower edge. */
  readonly isSheet?: boolean;
  /** The key that opens it, for the list that `?` shows. */
  readonly opensBy?: Omit<Key, "run"> | undefined;
}

const chosenOf = (menu: HTMLElement) => menu.querySelector<HTMLElement>("[aria-checked=true]");

/** The search field, the chosen entry, or the first one: it has the focus when the menu opens. */
const firstOf = (menu: HTMLElement) =>
  menu.querySelector<HTMLElement>("input") ?? chosenOf(menu) ?? entriesOf(menu)[0];

/** Gives the focus to a menu as the browser opens it: `toggle` comes later, and keys pressed until then would be those of the page. */
const focusWhenOpened = (menu: HTMLElement) => firstOf(menu)?.setAttribute("autofocus", "");

const entriesOf = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>("[role^=menuitem]")];

/** A longer menu has a search field. */
const mostWithoutSearch = 8;

/** Letters that follow each other faster belong to one word. */
const typeaheadMs = 500;

/** The word that is typed at a menu without a search field. */
interface Typed {
  prefix: string;
  at: number;
}

/** The entry whose name begins with the word, or else has a word that does; the one with the focus is looked at last. */
const entryNamed = (prefix: string, entries: readonly HTMLElement[], focused: number) => {
  const from = prefix.length === 1 ? focused + 1 : Math.max(0, focused);
  const inOrder = [...entries.slice(from), ...entries.slice(0, from)];
  const nameOf = (entry: HTMLElement) => (entry.dataset.name ?? "").toLowerCase();
  return (
    inOrder.find((entry) => nameOf(entry).startsWith(prefix)) ??
    inOrder.find((entry) => nameOf(entry).includes(` ${prefix}`))
  );
};

/** The position of the entry that a key moves to; null for other keys. */
const entryAfter = (key: string, at: number, last: number): number | null => {
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
      return null;
  }
};

/** The list that is shown: the items, those of one that was entered, or those that match what is searched for. */
const useShownItems = (items: readonly MenuItem[]) => {
  const [query, setQuery] = useState("");
  const [entered, setEntered] = useState<string | null>(null);
  const within = items.find(({ label, items: own }) => label === entered && own !== undefined) ?? null;
  const listed = within?.items ?? items;
  const isSearched = listed.length > mostWithoutSearch || items.some(({ items: own }) => own !== undefined);
  const found =
    query === ""
      ? listed
      : listed.flatMap((item) => [
          item,
          ...(item.items ?? []).map((own) => ({ ...own, label: `${item.label}: ${own.label}` })),
        ]);
  const shown = isSearched ? found.filter(({ label }) => matches(label, query)) : listed;
  const enter = (label: string | null) => {
    setQuery("");
    setEntered(label);
  };
  return { query, setQuery, within, isSearched, shown, enter };
};

/**
 * Moves the focus by arrows, and by the word that is typed. A word that names no entry leaves none for Enter. `goBack` leaves
 * the entries of an item; null: there is nothing to leave.
 */
const useMenuKeys = (chooseFirst: () => void, goBack: (() => void) | null) => {
  const typed = useRef<Typed>({ prefix: "", at: 0 });
  return (event: KeyboardEvent<HTMLElement>) => {
    const popover = event.currentTarget;
    if (event.key === "Tab") popover.hidePopover();
    const search = popover.querySelector("input");
    const isInSearch = event.target === search;
    // The browser would only clear the field.
    if (event.key === "Escape" && isInSearch) {
      event.preventDefault();
      popover.hidePopover();
    }
    const isAtStart = !isInSearch || search?.value === "";
    if (goBack !== null && isAtStart && (event.key === "ArrowLeft" || event.key === "Backspace")) {
      event.preventDefault();
      return goBack();
    }
    const entries = entriesOf(popover);
    const focused = entries.indexOf(document.activeElement as HTMLElement);
    if (isInSearch && event.key === "Enter" && !event.nativeEvent.isComposing) {
      event.preventDefault();
      return chooseFirst();
    }
    // Home and End move the caret of the search field.
    const to =
      isInSearch && !event.key.startsWith("Arrow")
        ? null
        : entryAfter(event.key, focused, entries.length - 1);
    if (to !== null) {
      event.preventDefault();
      entries[to]?.focus();
      return;
    }
    if (isInSearch || event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    // The letter goes into the field that gets the focus.
    if (search !== null) return search.focus();
    const isNext = event.timeStamp - typed.current.at < typeaheadMs && typed.current.prefix !== "";
    // By itself, a blank presses the entry.
    if (event.key === " " && !isNext) return;
    event.preventDefault();
    const prefix = `${isNext ? typed.current.prefix : ""}${event.key.toLowerCase()}`;
    typed.current = { prefix, at: event.timeStamp };
    (entryNamed(prefix, entries, focused) ?? popover.querySelector<HTMLElement>("[role=menu]")!).focus();
  };
};

/** Keeps the menu at its opener while it is open, with the chosen entry in view. */
const usePlacement = (
  opener: RefObject<HTMLElement | null>,
  menu: RefObject<HTMLElement | null>,
  align: "start" | "end",
) => {
  const release = useRef<() => void>(undefined);
  useEffect(() => () => release.current?.(), []);
  return (isOpen: boolean) => {
    release.current?.();
    release.current = undefined;
    if (!isOpen) return;
    release.current = positionAt(opener.current!, menu.current!, { placement: `bottom-${align}` });
    chosenOf(menu.current!)?.scrollIntoView({ block: "nearest" });
  };
};

/**
 * A button that opens a list of actions (WAI-ARIA menu button): arrows, Home, End, typed words, Escape. A long list has a
 * search field, in which Enter takes the first that matches.
 */
export const Menu = ({
  button,
  label,
  items,
  className = "button quiet",
  align = "start",
  isSheet = false,
  opensBy,
}: MenuProps) => {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const follow = usePlacement(opener, list, align);
  // A list of a thousand rows has as many menus: only an open one has its entries in the page.
  const [isOpened, setOpened] = useState(false);
  const { query, setQuery, within, isSearched, shown, enter } = useShownItems(
    typeof items !== "function" ? items : isOpened ? items() : [],
  );
  useLayoutEffect(() => {
    // The entry that had the focus is gone.
    if (list.current?.matches(":popover-open")) firstOf(list.current)?.focus();
  }, [within?.label]);
  const begin = () => {
    flushSync(() => {
      setOpened(true);
      enter(null);
    });
    focusWhenOpened(list.current!);
  };
  const close = () => {
    list.current?.hidePopover();
    opener.current?.focus();
  };
  const choose = ({ label: name, disabled, run }: MenuItem) => {
    if (disabled) return;
    if (run === undefined) return enter(name);
    close();
    run();
  };
  const leave = within === null ? null : () => enter(null);
  const onKeyDown = useMenuKeys(() => {
    if (shown[0] !== undefined) choose(shown[0]);
  }, leave);
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
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the menu and of its search field */}
      <div
        ref={list}
        id={id}
        popover="auto"
        className={isSheet ? "menu sheet" : "menu"}
        onBeforeToggle={({ newState }) => (newState === "open" ? begin() : undefined)}
        onToggle={({ newState }) => {
          const isOpen = newState === "open";
          setOpened(isOpen);
          opener.current?.setAttribute("aria-expanded", String(isOpen));
          follow(isOpen);
        }}
        onKeyDown={onKeyDown}
      >
        {isOpened ? (
          <Opened label={label} {...{ within, isSearched, query, setQuery, shown, choose, leave }} />
        ) : null}
      </div>
    </>
  );
};

interface OpenedProps extends Omit<ReturnType<typeof useShownItems>, "enter"> {
  readonly label: string;
  readonly choose: (item: MenuItem) => void;
  readonly leave: (() => void) | null;
}

/** An open menu: the way back, the search field, and the entries. */
const Opened = ({ label, within, isSearched, query, setQuery, shown, choose, leave }: OpenedProps) => (
  <>
    {leave === null ? null : <BackButton label={within!.label} onClick={leave} />}
    {isSearched ? <SearchField label={within?.label ?? label} query={query} onChange={setQuery} /> : null}
    <div role="menu" tabIndex={-1} aria-label={label}>
      {shown.map((item, at) => (
        <Entry key={`${at} ${item.label}`} item={item} onChoose={() => choose(item)} />
      ))}
    </div>
    {shown.length === 0 ? <NoMatches /> : null}
  </>
);

const BackButton = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <button type="button" className="menu-back" tabIndex={-1} onClick={onClick}>
    <Icon name="chevron-left" size={14} />
    {label}
  </button>
);

interface SearchFieldProps {
  readonly label: string;
  readonly query: string;
  readonly onChange: (query: string) => void;
}

const SearchField = ({ label, query, onChange }: SearchFieldProps) => (
  <input
    type="search"
    className="input menu-search"
    aria-label={`Search: ${label}`}
    placeholder="Search"
    autoComplete="off"
    value={query}
    onChange={(event) => onChange(event.target.value)}
  />
);

const NoMatches = () => (
  <p className="menu-none faint" role="status">
    No matches
  </p>
);

const Entry = ({ item, onChoose }: { readonly item: MenuItem; readonly onChoose: () => void }) => {
  const { label, icon, mark, kind, isChosen, disabled, hint, items } = item;
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: only a radio item has it
    <button
      type="button"
      role={isChosen === undefined ? "menuitem" : "menuitemradio"}
      aria-checked={isChosen}
      tabIndex={-1}
      data-name={label}
      className={kind === "danger" ? "menu-item danger" : "menu-item"}
      aria-disabled={disabled || undefined}
      aria-haspopup={items === undefined ? undefined : "menu"}
      onClick={onChoose}
    >
      {icon === undefined ? mark : <Icon name={icon} />}
      <span className="menu-words grow">
        <span>{label}</span>
        {hint === undefined ? null : <span className="faint">{hint}</span>}
      </span>
      {isChosen ? <Icon name="check" /> : null}
      {items === undefined ? null : <Icon name="chevron-right" size={14} />}
    </button>
  );
};
