/** The text of a value, independent of the order of its fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === "object" && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );

/** Whether two values are equal as JSON, which knows no order of fields. */
export const sameJson = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);
