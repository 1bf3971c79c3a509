import { type ReactNode, useId } from "react";

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly name: Name; readonly label: string }[];
  readonly shown: Name;
  readonly onChange: (name: Name) => void;
  /** The pointer or the focus is on a tab: what it shows can be loaded. */
  readonly onNear?: (name: Name) => void;
  readonly children: ReactNode;
}

/** Two views or more of one thing (WAI-ARIA tabs: the arrows change the view). */
export const Tabs = <Name extends string>({
  label,
  tabs,
  shown,
  onChange,
  onNear,
  children,
}: TabsProps<Name>) => {
  const id = useId();
  const at = tabs.findIndex(({ name }) => name === shown);
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs">
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={name === shown}
            aria-controls={`${id}-panel`}
            tabIndex={name === shown ? 0 : -1}
            onPointerEnter={() => onNear?.(name)}
            onFocus={() => onNear?.(name)}
            onClick={() => onChange(name)}
            onKeyDown={({ key, currentTarget }) => {
              const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? tabs.length - 1 : 0;
              if (step === 0) return;
              const next = (at + step) % tabs.length;
              onChange(tabs[next]!.name);
              (currentTarget.parentElement!.children[next] as HTMLElement).focus();
            }}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown}`} className="tab-panel">
        {children}
      </div>
    </>
  );
};
