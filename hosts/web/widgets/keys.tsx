import { createContext, type ReactNode, use, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Dialog } from "./dialog.tsx";

export interface Key {
  /** `j`, `?`, `g i` (one after the other), `mod+k` (Ctrl, or Command on a Mac), `Enter`, `ArrowRight`. */
  readonly keys: string;
  /** The action, for the list that `?` shows. */
  readonly does: string;
  readonly run: () => void;
}

type Register = (keys: readonly Key[]) => () => void;

const Registered = createContext<Register>(() => () => {});

/** Keys that work while the component is there. In text fields and dialogs only those with `mod+` do. */
export const useKeys = (keys: readonly Key[]): void => {
  const register = use(Registered);
  const current = useRef(keys);
  current.current = keys;
  const names = keys.map(({ keys: name, does }) => `${name}\n${does}`).join("\n\n");
  // They work as soon as the component can be seen.
  useLayoutEffect(
    () =>
      register(
        current.current.map(({ keys: name, does }, at) => ({
          keys: name,
          does,
          run: () => current.current[at]?.run(),
        })),
      ),
    [register, names],
  );
};

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    target.matches("input:not([type=checkbox]), textarea, select, [role=menuitem]"));

/** How long the next key of several may take. */
const nextMs = 1500;

const nameOf = (event: KeyboardEvent): string => {
  const isShifted = event.shiftKey && /^[A-Z]$/i.test(event.key);
  const key = event.key.length === 1 && !isShifted ? event.key.toLowerCase() : event.key;
  return event.ctrlKey || event.metaKey ? `mod+${key}` : key;
};

/** Hears the keyboard for the whole page, and shows by `?` which keys work here. */
export const Keys = ({ children }: { readonly children: ReactNode }) => {
  const registered = useRef(new Set<readonly Key[]>());
  const [shown, setShown] = useState<readonly Key[] | null>(null);
  const register = useRef<Register>((keys) => {
    registered.current.add(keys);
    return () => registered.current.delete(keys);
  });
  useEffect(() => {
    let pressed = "";
    let pressedAt = 0;
    const hear = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const name = nameOf(event);
      const isCommand = name.startsWith("mod+");
      if (!isCommand && (isTyping(event.target) || document.querySelector("dialog[open]") !== null)) return;
      // The browser closes an open menu, wherever the focus is.
      if (name === "Escape" && document.querySelector('[popover="auto"]:popover-open') !== null) return;
      const several = pressed !== "" && performance.now() - pressedAt < nextMs ? `${pressed} ${name}` : name;
      // The key that was registered last goes first: a screen before the shell.
      const all = [...registered.current].reverse().flat();
      const keyOf = (pressedKeys: string) => all.find(({ keys }) => keys === pressedKeys);
      // A key that continues nothing works as if it were pressed alone.
      const key = keyOf(several) ?? keyOf(name);
      pressed = "";
      if (key === undefined) {
        if (all.some(({ keys }) => keys.startsWith(`${name} `))) {
          pressed = name;
          pressedAt = performance.now();
        } else if (name === "?") setShown(all);
        return;
      }
      // A button under the focus has its own Enter.
      if (name === "Enter" && event.target instanceof HTMLElement && event.target.closest("a, button"))
        return;
      event.preventDefault();
      key.run();
    };
    document.addEventListener("keydown", hear);
    return () => document.removeEventListener("keydown", hear);
  }, []);
  return (
    <Registered value={register.current}>
      {children}
      {shown === null ? null : (
        <Dialog title="Keyboard shortcuts" wide onClose={() => setShown(null)}>
          <div className="key-lists">
            {listsOf(shown).map((list) => (
              <dl key={list[0]![0]}>
                {list.map(([does, keys]) => (
                  <div key={does}>
                    <dt>{does}</dt>
                    {keys.map((each) => (
                      <dd key={each}>
                        <KeyName keys={each} />
                      </dd>
                    ))}
                  </div>
                ))}
              </dl>
            ))}
          </div>
        </Dialog>
      )}
    </Registered>
  );
};

/** Actions with their keys: those of what is shown, then the ways to other screens. */
const listsOf = (keys: readonly Pick<Key, "keys" | "does">[]) => {
  const lists = [new Map<string, string[]>(), new Map<string, string[]>()] as const;
  for (const { keys: each, does } of [...keys, { keys: "?", does: "Show keyboard shortcuts" }]) {
    const list = lists[each.startsWith("g ") ? 1 : 0];
    list.set(does, [...(list.get(does) ?? []), each]);
  }
  return lists.map((list) => [...list]).filter((list) => list.length > 0);
};

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

/** A key as it is printed on a keyboard. */
export const KeyName = ({ keys }: { readonly keys: string }) => (
  <span className="key-name">
    {keys.split(" ").map((key, at) => (
      <kbd key={`${at}${key}`}>
        {key
          .replace("mod+", isMac ? "⌘ " : "Ctrl ")
          .replace("ArrowRight", "→")
          .replace("ArrowLeft", "←")
          .replace("ArrowUp", "↑")
          .replace("ArrowDown", "↓")
          .replace(/(^|\s)([a-z])$/, (_, before: string, letter: string) => before + letter.toUpperCase())}
      </kbd>
    ))}
  </span>
);
