import { useSearchParams } from "wouter";

/** A value of the address, and what sets it; null where it is left out or empty. */
export const useAddressValue = (name: string): readonly [string | null, (value: string | null) => void] => {
  const [params, setParams] = useSearchParams();
  const set = (value: string | null) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null || value === "") after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  const value = params.get(name);
  return [value === "" ? null : value, set];
};

/**
 * The values that the address names for a filter, in the order of `known`, and what sets them: a link shows the same list
 * to somebody else.
 */
export const useAddressFilter = <Value extends string>(
  name: string,
  known: readonly Value[],
): readonly [readonly Value[], (chosen: readonly Value[]) => void] => {
  const [params, setParams] = useSearchParams();
  const asked = (params.get(name) ?? "").split(",");
  const set = (chosen: readonly Value[]) =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (chosen.length === 0) after.delete(name);
        else after.set(name, chosen.join(","));
        return after;
      },
      { replace: true },
    );
  return [known.filter((value) => asked.includes(value)), set];
};

/**
 * The tab that the address names by `?tab=`, the first where it names none, and what shows another. Back leads to the tab before; the
 * other values of the address belong to the tab that is left.
 */
export const useAddressTab = <Name extends string>(
  names: readonly [Name, ...Name[]],
): readonly [Name, (name: Name) => void] => {
  const [params, setParams] = useSearchParams();
  const shown = names.find((name) => name === params.get("tab")) ?? names[0];
  const show = (name: Name) => {
    if (name !== shown) setParams(name === names[0] ? {} : { tab: name });
  };
  return [shown, show];
};
