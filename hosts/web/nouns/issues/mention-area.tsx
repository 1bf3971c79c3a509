import { type ComponentProps, useEffect, useId, useRef, useState } from "react";
import { TextArea } from "../../widgets/field.tsx";
import { matches } from "../../widgets/matches.ts";
import { OptionRow } from "../../widgets/option-row.tsx";
import { positionAt } from "../../widgets/position.ts";
import { Avatar } from "../avatar.tsx";

export interface Mentionable {
  readonly id: string;
  readonly name: string;
  readonly kind: "agent" | "person";
}

type Props = ComponentProps<typeof TextArea> & {
  /** The agents and people that `@` offers. */
  readonly mentionable: readonly Mentionable[];
};

/** How many are offered at once. */
const offered = 6;

/** The word that begins with `@` before the caret: where it begins, and what is typed of it. */
const begunAt = (text: string, caret: number): { readonly from: number; readonly typed: string } | null => {
  const found = /(?:^|\s)@([^\s@]*)$/.exec(text.slice(0, caret));
  return found === null ? null : { from: caret - found[1]!.length - 1, typed: found[1]! };
};

/** A text in which `@` offers agents and people: the arrows choose, Enter takes, Escape leaves it as typed. */
export const MentionArea = ({ value, onChange, mentionable, ...area }: Props) => {
  const listId = useId();
  const box = useRef<HTMLDivElement>(null);
  const [begun, setBegun] = useState<ReturnType<typeof begunAt>>(null);
  const [at, setAt] = useState(0);
  const shown =
    begun === null ? [] : mentionable.filter(({ name }) => matches(name, begun.typed)).slice(0, offered);
  const textArea = () => box.current!.querySelector("textarea")!;
  const findMention = () => {
    const element = textArea();
    setBegun(begunAt(element.value, element.selectionStart));
    setAt(0);
  };
  const take = (chosen: Mentionable | undefined) => {
    if (begun === null || chosen === undefined) return;
    const before = `${value.slice(0, begun.from)}@${chosen.name} `;
    onChange(before + value.slice(begun.from + begun.typed.length + 1));
    setBegun(null);
    const element = textArea();
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(before.length, before.length);
    });
  };
  const isOpen = shown.length > 0;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    list.current!.showPopover();
    return positionAt(box.current!, list.current!, { placement: "top-start" });
  }, [isOpen]);
  return (
    <div ref={box} className="mention">
      <TextArea
        {...area}
        value={value}
        aria-autocomplete="list"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? `${listId}-${at}` : undefined}
        onChange={(text) => {
          onChange(text);
          findMention();
        }}
        onBlur={() => setBegun(null)}
        onKeyDown={(event) => {
          if (!isOpen || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
          if (event.key === "ArrowDown") setAt((at + 1) % shown.length);
          else if (event.key === "ArrowUp") setAt((at + shown.length - 1) % shown.length);
          else if (event.key === "Enter" || event.key === "Tab") take(shown[at]);
          else if (event.key === "Escape") setBegun(null);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {isOpen ? (
        <div
          ref={list}
          id={listId}
          popover="manual"
          role="listbox"
          aria-label="Agents and people"
          className="options"
          tabIndex={-1}
        >
          {shown.map((each, index) => (
            <OptionRow
              key={each.id}
              id={`${listId}-${index}`}
              isChosen={index === at}
              onChoose={() => take(each)}
            >
              <Avatar kind={each.kind} name={each.name} /> {each.name}
            </OptionRow>
          ))}
        </div>
      ) : null}
    </div>
  );
};
