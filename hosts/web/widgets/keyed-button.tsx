import { type ComponentProps, createContext, use, useRef } from "react";
import { Button } from "./button.tsx";
import { type Key, useKeys } from "./keys.tsx";

/** The keys of a screen that press buttons of what it shows, by the name of their action. */
export const ActionKeys = createContext<Readonly<Record<string, Omit<Key, "run">>>>({});

type KeyedButtonProps = Omit<ComponentProps<typeof Button>, "onClick" | "ref"> & {
  /** The action that `ActionKeys` may have a key for; none: no key presses the button. */
  readonly action?: string | undefined;
  readonly onClick?: ((button: HTMLButtonElement) => void) | undefined;
};

/** A button that a key of the screen presses, too, while it is in view. */
export const KeyedButton = ({ action, onClick, ...rest }: KeyedButtonProps) => {
  const key = use(ActionKeys)[action ?? ""];
  const button = useRef<HTMLButtonElement>(null);
  const run = () => {
    const element = button.current;
    if (!element?.checkVisibility() || element.disabled) return;
    if (rest.type === "submit") element.form?.requestSubmit(element);
    else onClick?.(element);
  };
  useKeys(key === undefined ? [] : [{ ...key, run }]);
  return (
    <Button
      {...rest}
      ref={button}
      data-action={action}
      onClick={({ currentTarget }) => onClick?.(currentTarget)}
    />
  );
};
