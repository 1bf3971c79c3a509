const counts = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** "1.2M" */
export const countText = (count: number): string => counts.format(count);

/** What was used at a price that nobody has named: never money, and never nothing. */
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
    <span title={`${unknownEventCount} events of unknown cost`}>{countText(unknownTokens)} tokens</span>
  );
