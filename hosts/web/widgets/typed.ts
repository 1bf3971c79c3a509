import { useState } from "react";

/**
 * The text of a field whose value is no text: what was typed stays as typed while it stands for the value, and follows
 * the value when that is changed elsewhere.
 */
export const useTyped = <Value>(
  value: Value,
  onChange: (value: Value) => void,
  textOf: (value: Value) => string,
  parse: (text: string) => Value,
): readonly [text: string, type: (text: string) => void] => {
  const [typed, setTyped] = useState<{ readonly text: string; readonly value: string } | null>(null);
  const jsonOf = (each: Value) => JSON.stringify(each) ?? "";
  return [
    typed !== null && typed.value === jsonOf(value) ? typed.text : textOf(value),
    (text) => {
      const next = parse(text);
      setTyped({ text, value: jsonOf(next) });
      onChange(next);
    },
  ];
};

/** A number as it was typed; a text that is none stays a text, which the service refuses by its own rule. */
export const numberOf = (text: string): unknown => {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  const number = Number(trimmed);
  return Number.isFinite(number) ? number : trimmed;
};

/** Dollars as they were typed, in whole cents; empty is `empty`. */
export const centsOf =
  <Empty>(empty: Empty) =>
  (text: string): number | Empty =>
    text.trim() === "" ? empty : Math.round(Number(text) * 100);
