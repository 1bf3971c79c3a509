/** A field before and after a change. */
export interface Difference {
  readonly field: string;
  readonly from: string | number | boolean | null;
  readonly to: string | number | boolean | null;
}

/** Long texts stay out of the activity log: what somebody removes from one, such as a password, would remain readable there. */
const texts: readonly string[] = ["description", "capabilities"];

const isShort = (value: unknown): value is Difference["from"] =>
  value === null || ["string", "number", "boolean"].includes(typeof value);

/** The changed fields. Only names, numbers, enumerated values and ids come with their values. */
export const differencesOf = <Thing extends object>(
  before: Thing,
  after: Thing,
  changed: readonly string[],
): readonly Difference[] =>
  changed.flatMap((field): Difference[] => {
    const [from, to] = [before[field as keyof Thing], after[field as keyof Thing]];
    return texts.includes(field) || !isShort(from) || !isShort(to) ? [] : [{ field, from, to }];
  });
