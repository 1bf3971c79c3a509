import { countText } from "../../widgets/size-text.ts";
import type { Column } from "../../widgets/table.tsx";

/** Usage at a price that nobody has named: never money, and never nothing. */
export const Unknown = ({
  unknownEventCount,
  unknownTokens,
}: {
  readonly unknownEventCount: number;
  readonly unknownTokens: number;
}) =>
  unknownEventCount === 0 ? (
    <span className="faint">–</span>
  ) : (
    <span title={`${unknownEventCount} events without cost data`}>{countText(unknownTokens)} tokens</span>
  );

/** Tokens read, cached ones included, and tokens written. */
export const tokenColumns: readonly Column<{
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
}>[] = [
  {
    key: "in",
    title: "Tokens in",
    align: "end",
    wideOnly: true,
    cell: ({ inputTokens, cachedInputTokens }) => countText(inputTokens + cachedInputTokens),
  },
  {
    key: "out",
    title: "Tokens out",
    align: "end",
    wideOnly: true,
    cell: ({ outputTokens }) => countText(outputTokens),
  },
];
