import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "../../widgets/button.tsx";
import { Combobox, type Option } from "../../widgets/combobox.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Fact } from "./fact.tsx";

interface ChosenFactProps {
  readonly label: string;
  readonly mayChange: boolean;
  readonly options: readonly Option[];
  readonly value: string | null;
  readonly onChoose: (value: string) => void;
  readonly onType?: (text: string) => void;
  /** The key that opens the list. */
  readonly opensBy?: string;
  /** The verb of the button that opens the list; without it, a pencil. */
  readonly verb?: string;
  readonly children: ReactNode;
}

/** A fact of an issue that is changed where it stands, by words. */
export const ChosenFact = ({
  label,
  mayChange,
  options,
  value,
  onChoose,
  onType,
  opensBy,
  verb,
  children,
}: ChosenFactProps) => {
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setOpen(true);
    onType?.("");
  };
  const does = verb ?? `Change the ${label.charAt(0).toLowerCase()}${label.slice(1)}`;
  useKeys(opensBy === undefined || !mayChange ? [] : [{ keys: opensBy, does, run: open }]);
  const box = useRef<HTMLDivElement>(null);
  const hasFocus = useRef(false);
  const close = () => {
    hasFocus.current ||= box.current?.contains(document.activeElement) ?? false;
    setOpen(false);
  };
  // The button that opened the list gets the focus back, unless it has gone elsewhere.
  useEffect(() => {
    if (isOpen || !hasFocus.current) return;
    hasFocus.current = false;
    box.current?.querySelector<HTMLElement>("[data-opens]")?.focus();
  }, [isOpen]);
  return (
    <Fact label={label}>
      <div ref={box} className={verb === undefined ? "issue-chosen" : "issue-several"}>
        {isOpen && verb === undefined ? null : <div className="grow">{children}</div>}
        {isOpen ? (
          <div className="grow">
            <Combobox
              label={label}
              opens
              options={options}
              value={value}
              onChange={(chosen) => {
                close();
                if (chosen !== null && chosen !== value) onChoose(chosen);
              }}
              onLeave={close}
              {...(onType === undefined ? {} : { onType })}
            />
          </div>
        ) : mayChange ? (
          verb === undefined ? (
            <IconButton icon="pencil" small data-opens label={does} onClick={open} />
          ) : (
            <div>
              <Button small kind="quiet" icon="plus" data-opens onClick={open}>
                {does}
              </Button>
            </div>
          )
        ) : null}
      </div>
    </Fact>
  );
};
