import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { matches } from "./matches.ts";
import { OptionRow } from "./option-row.tsx";
import { positionAt } from "./position.ts";

export interface Option {
  readonly value: string;
  readonly label: string;
  /** In place of the label in the list. */
  readonly shown?: ReactNode;
}

interface ComboboxProps {
  readonly id?: string;
  readonly label: string;
  readonly options: readonly Option[];
  readonly value: string | null;
  readonly onChange: (value: string | null) => void;
  readonly placeholder?: string;
  /** Why a form cannot be sent with the present value. */
  readonly problem?: string | undefined;
  /** May be left empty: clearing the text chooses nothing. */
  readonly clearable?: boolean;
  /** It takes the focus and shows its list at once. */
  readonly opens?: boolean;
  /** The text typed so far, for options that are looked up. */
  readonly onType?: (text: string) => void;
  /** The focus leaves it; of one that opened by itself, also Escape. */
  readonly onLeave?: () => void;
}

type ChoiceProps = Pick<ComboboxProps, "options" | "value" | "onChange" | "onType" | "onLeave"> & {
  readonly clearable: boolean;
  readonly opens: boolean;
};

/** The state of a field that chooses from a list: the text, the options that match it, and the one that Enter takes. */
const useChoice = ({ options, value, onChange, onType, onLeave, clearable, opens }: ChoiceProps) => {
  const atValue = Math.max(
    0,
    options.findIndex((option) => option.value === value),
  );
  /** null: the list is closed. */
  const [typed, setTyped] = useState<string | null>(opens ? "" : null);
  const [at, setAt] = useState(opens ? atValue : 0);
  const shown = typed === null ? options : options.filter((option) => matches(option.label, typed));
  const isOpen = typed !== null;
  const open = (text = "") => {
    setTyped(text);
    setAt(text === "" ? atValue : 0);
    onType?.(text);
  };
  const close = () => setTyped(null);
  const choose = (option: Option) => {
    close();
    onChange(option.value);
  };
  const onBlur = () => {
    if (clearable && typed === "" && !opens) onChange(null);
    close();
    onLeave?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter ends a word of an input method, such as one for Japanese.
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!isOpen) open();
      else setAt((at + (event.key === "ArrowDown" ? 1 : shown.length - 1)) % Math.max(1, shown.length));
    } else if (event.key === "Enter" && isOpen && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      // The typed text stays while nothing matches it.
      if (shown[at] !== undefined) choose(shown[at]);
    } else if (event.key === "Escape" && isOpen) {
      event.preventDefault();
      event.stopPropagation();
      close();
      if (opens) onLeave?.();
    }
  };
  return { typed, shown, at, isOpen, open, choose, onBlur, onKeyDown };
};

/** The list below the field while it is open, with the option at that position in view. */
const useOptionList = (isOpen: boolean, at: number, opens: boolean) => {
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    // It replaces the button that was pressed.
    if (opens) input.current!.focus();
  }, [opens]);
  useEffect(() => {
    const popover = list.current!;
    if (!isOpen) return popover.hidePopover();
    popover.showPopover();
    return positionAt(input.current!, popover, { isAsWide: true });
  }, [isOpen]);
  useEffect(() => {
    if (isOpen) list.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at, isOpen]);
  return { input, list };
};

/** A text field that chooses from a list (WAI-ARIA combobox with a list, no inline completion). */
export const Combobox = ({
  id,
  label,
  options,
  value,
  onChange,
  placeholder,
  problem = "",
  clearable = false,
  opens = false,
  onType,
  onLeave,
}: ComboboxProps) => {
  const listId = useId();
  const { typed, shown, at, isOpen, open, choose, onBlur, onKeyDown } = useChoice({
    options,
    value,
    onChange,
    clearable,
    opens,
    ...(onType === undefined ? {} : { onType }),
    ...(onLeave === undefined ? {} : { onLeave }),
  });
  const chosen = options.find((option) => option.value === value);
  const { input, list } = useOptionList(isOpen, at, opens);
  // A text that was typed and not chosen would be lost.
  const unsent = typed !== null && typed !== "" && !opens ? "Choose an entry from the list." : problem;
  useEffect(() => input.current!.setCustomValidity(unsent), [input, unsent]);
  return (
    <>
      <input
        ref={input}
        id={id}
        className="input"
        role="combobox"
        aria-label={id === undefined ? label : undefined}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && shown[at] !== undefined ? `${listId}-${at}` : undefined}
        autoComplete="off"
        placeholder={placeholder}
        value={typed ?? chosen?.label ?? ""}
        onChange={(event) => open(event.target.value)}
        onClick={() => (isOpen ? undefined : open())}
        onBlur={onBlur}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={listId} popover="manual" role="listbox" aria-label={label} className="options">
        {shown.map((option, index) => (
          <OptionRow
            key={option.value}
            id={`${listId}-${index}`}
            isChosen={index === at}
            onChoose={() => choose(option)}
          >
            {option.shown ?? option.label}
          </OptionRow>
        ))}
        {shown.length === 0 ? (
          <div
            className="option faint"
            role="option"
            aria-selected="false"
            aria-disabled="true"
            tabIndex={-1}
          >
            No matches
          </div>
        ) : null}
      </div>
    </>
  );
};
