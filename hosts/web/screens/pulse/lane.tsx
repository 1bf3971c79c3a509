import { useMemo } from "react";
import { Link } from "wouter";
import { recentHours } from "../../../../core/model/runs/recent-runs.ts";
import { hasFailed, isLive } from "../../../../core/model/runs/run-status.ts";
import type { AnswerOf } from "../../live/calls.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { displayOf } from "../../nouns/status.tsx";
import { clockText, durationText, useMinute } from "../../widgets/time.tsx";

export type RecentRun = AnswerOf<"companies.pulse">["recent"][number];

const hourMs = 3_600_000;

/** The end of the hours that are shown: now, or the time of the service where its clock is ahead. */
export const useLaneEnd = (at: string): number => Math.max(useMinute(), Date.parse(at));

/** The runs of each agent. */
export const useRunsOfAgents = (recent: readonly RecentRun[]): ReadonlyMap<string, readonly RecentRun[]> =>
  useMemo(() => {
    const runsOf = new Map<string, RecentRun[]>();
    for (const run of recent) {
      const runs = runsOf.get(run.agentId);
      if (runs === undefined) runsOf.set(run.agentId, [run]);
      else runs.push(run);
    }
    return runsOf;
  }, [recent]);

const percentOf = (millis: number, end: number): number =>
  Math.min(100, Math.max(0, 100 * (1 - (end - millis) / (recentHours * hourMs))));

/** Nearer to an end, the name of an hour would stand outside. */
const edgePercent = 6;

/** The full hours above the lanes. */
export const LaneHours = ({ end }: { readonly end: number }) => (
  <div className="pulse-hours faint" aria-hidden="true">
    {Array.from({ length: recentHours }, (_, n) => (Math.floor(end / hourMs) - n) * hourMs)
      .filter((hour) => Math.abs(percentOf(hour, end) - 50) <= 50 - edgePercent)
      .map((hour) => (
        <span key={hour} style={{ insetInlineStart: `${percentOf(hour, end)}%` }}>
          {clockText(hour)}
        </span>
      ))}
  </div>
);

const toneOf = (status: RecentRun["status"]): string =>
  isLive(status) ? "live" : hasFailed(status) ? "failed" : "ended";

interface LaneProps {
  readonly name: string;
  readonly runs: readonly RecentRun[];
  readonly end: number;
}

/**
 * The runs of an agent in the last hours, each where and as long as it was. Tab passes them by: an agent may have many, and
 * its page lists them.
 */
export const Lane = ({ name, runs, end }: LaneProps) => {
  const here = useHere();
  return (
    <ol className="pulse-lane plain-list" aria-label={`Runs of ${name} in the last ${recentHours} hours`}>
      {runs.map(({ id, status, issueIdentifier, startedAt, finishedAt }) => {
        const from = Date.parse(startedAt);
        const to = finishedAt === null ? end : Date.parse(finishedAt);
        const facts = [
          displayOf("run", status).label,
          issueIdentifier,
          clockText(from),
          durationText(Math.max(0, to - from)),
        ];
        const begin = percentOf(from, end);
        return (
          <li
            key={id}
            className={`pulse-bar ${toneOf(status)}`}
            style={{
              insetInlineStart: `min(${begin}%, 100% - 4px)`,
              inlineSize: `${percentOf(to, end) - begin}%`,
            }}
          >
            <Link href={here(`/runs/${id}`)} tabIndex={-1} title={facts.filter(Boolean).join(" · ")}>
              <span className="only-read">{facts.filter(Boolean).join(", ")}</span>
            </Link>
          </li>
        );
      })}
    </ol>
  );
};
