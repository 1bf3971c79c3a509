/** A part of each day's costs, in one colour. */
export interface DayPart {
  readonly label: string;
  readonly tone: 1 | 2 | 3 | 4 | 5 | "others";
  /** In cents, by day. */
  readonly cents: ReadonlyMap<string, number>;
}

interface Row {
  readonly agentId: string;
  readonly agentName: string;
  readonly day: string;
  readonly costCents: number;
}

const tones = [1, 2, 3, 4, 5] as const;

/** The agents that cost most, each as a part, and the others as one. */
export const partsByAgent = (rows: readonly Row[]): readonly DayPart[] => {
  const sums = new Map<string, number>();
  for (const { agentId, costCents } of rows) sums.set(agentId, (sums.get(agentId) ?? 0) + costCents);
  const order = [...sums]
    .filter(([, sum]) => sum > 0)
    .sort(([, one], [, other]) => other - one)
    .map(([id]) => id);
  const shown =
    order.length > tones.length + 1 ? order.slice(0, tones.length) : order.slice(0, tones.length + 1);
  const named = shown.map((id, at): DayPart => {
    const own = rows.filter(({ agentId }) => agentId === id);
    return {
      label: own[0]!.agentName,
      tone: tones[at] ?? "others",
      cents: new Map(own.map(({ day, costCents }) => [day, costCents])),
    };
  });
  if (order.length === shown.length) return named;
  const rest = rows.filter(({ agentId }) => !shown.includes(agentId));
  const cents = new Map<string, number>();
  for (const { day, costCents } of rest) cents.set(day, (cents.get(day) ?? 0) + costCents);
  return [...named, { label: `${order.length - shown.length} others`, tone: "others", cents }];
};

interface Piece {
  readonly label: string;
  readonly tone: DayPart["tone"];
  readonly cents: number;
}

/** The pieces of a day's bar, from the bottom; without parts one of the whole. */
export const partsOfDay = (
  { day, costCents }: { readonly day: string; readonly costCents: number },
  parts: readonly DayPart[],
): readonly Piece[] =>
  parts.length === 0
    ? [{ label: "", tone: 1, cents: costCents }]
    : parts.flatMap(({ label, tone, cents }) => {
        const spent = cents.get(day) ?? 0;
        return spent === 0 ? [] : [{ label, tone, cents: spent }];
      });

/** The end of an axis that has the value: 1, 2 or 5 times a power of ten, whose half is a whole number of cents. */
export const axisTop = (cents: number): number => {
  if (cents <= 2) return 2;
  const power = 10 ** Math.floor(Math.log10(cents));
  return (
    [1, 2, 5, 10].map((times) => times * power).find((top) => top >= cents && top % 2 === 0) ?? 10 * power
  );
};
