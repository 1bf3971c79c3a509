import type { ReactNode } from "react";
import { Icon } from "./icon.tsx";
import { Menu, type MenuItem } from "./menu.tsx";

interface FilterMenuProps {
  /** "Filter by status": read out before what is chosen. */
  readonly label: string;
  /** The choice, in words. */
  readonly shown: ReactNode;
  /** Less than everything is shown because of it. */
  readonly isNarrowed: boolean;
  readonly items: readonly MenuItem[];
}

/** A button that says what a list is narrowed to, and opens the choice. */
export const FilterMenu = ({ label, shown, isNarrowed, items }: FilterMenuProps) => (
  <Menu
    label={label}
    className={isNarrowed ? "button small filter-chosen" : "button small"}
    button={
      <>
        <span className="cut">{shown}</span>
        <Icon name="chevron-down" size={14} />
      </>
    }
    items={items}
  />
);

interface FilterChoiceProps<Value extends string> {
  readonly label: string;
  /** The label while nothing is chosen: "Any priority". */
  readonly all: string;
  /** Of more than one that is chosen: "priorities". */
  readonly several: string;
  readonly options: readonly {
    readonly value: Value;
    readonly label: string;
    readonly icon?: MenuItem["icon"];
  }[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

/** Narrows a list to some values of a few; none chosen is all of them. */
export const FilterChoice = <Value extends string>({
  label,
  all,
  several,
  options,
  chosen,
  onChange,
}: FilterChoiceProps<Value>) => {
  const [only] = chosen;
  return (
    <FilterMenu
      label={label}
      isNarrowed={chosen.length > 0}
      shown={
        only === undefined
          ? all
          : chosen.length === 1
            ? options.find(({ value }) => value === only)?.label
            : `${chosen.length} ${several}`
      }
      items={[
        { label: all, isChosen: chosen.length === 0, run: () => onChange([]) },
        ...options.map(({ value, label: name, ...icon }) => ({
          label: name,
          ...icon,
          isChosen: chosen.includes(value),
          run: () =>
            onChange(chosen.includes(value) ? chosen.filter((each) => each !== value) : [...chosen, value]),
        })),
      ]}
    />
  );
};
