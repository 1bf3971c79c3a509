import { usePages } from "../../live/calls.ts";
import { locale } from "../../widgets/locale.ts";
import { moneyText } from "../../widgets/money.tsx";

interface Heartbeat {
  readonly enabled?: boolean | undefined;
  readonly intervalSec?: number | undefined;
  readonly onlyWithWork?: boolean | undefined;
}

/** How many of an agent's last runs the estimate uses. */
const lastRuns = 20;

/** Says before a timer is set how many runs a day it starts, and what the agent's last ones cost. */
export const TimerNote = ({
  heartbeat: { enabled, intervalSec, onlyWithWork = false },
  companyId,
  agentId,
}: {
  readonly heartbeat: Heartbeat;
  readonly companyId: string;
  readonly agentId: string | null;
}) => {
  const isOn = enabled === true && intervalSec !== undefined && intervalSec > 0;
  const { rows } = usePages(
    "runs.list",
    { companyId, agentId: agentId ?? "", limit: lastRuns },
    { enabled: isOn && agentId !== null },
  );
  if (!isOn) return null;
  const perDay = 86_400 / intervalSec;
  const upTo = onlyWithWork ? "up to " : "";
  const costs = rows.flatMap(({ costCents }) => costCents ?? []);
  const mean = costs.reduce((sum, cents) => sum + cents, 0) / Math.max(1, costs.length);
  return (
    <p className="timer-note" role="status">
      {onlyWithWork ? "Up to " : ""}
      {Number(perDay.toFixed(perDay < 10 ? 1 : 0)).toLocaleString(locale)} runs a day
      {onlyWithWork ? ", only while there is work" : ", even without work"}.{" "}
      {costs.length === 0
        ? "Cost per run isn't known yet."
        : `The last ${costs.length} cost ${moneyText(Math.round(mean))} on average: ${upTo}${moneyText(Math.round(mean * perDay))} a day.`}
    </p>
  );
};
