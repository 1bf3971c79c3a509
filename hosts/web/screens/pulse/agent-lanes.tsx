import { useState } from "react";
import { Link } from "wouter";
import type { AnswerOf } from "../../live/calls.ts";
import { Avatar } from "../../nouns/avatar.tsx";
import { useHere } from "../../nouns/companies/company.tsx";
import { ReasonLine } from "../../nouns/runs/situation.tsx";
import { wakeCause } from "../../nouns/runs/wake-cause.ts";
import { Status } from "../../nouns/status.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { OpeningRow } from "../../widgets/opening-row.tsx";
import { Duration } from "../../widgets/time.tsx";
import { Lane, LaneHours, type RecentRun, useLaneEnd, useRunsOfAgents } from "./lane.tsx";
import { LastLine } from "./last-line.tsx";
import { useLogLengths } from "./log-lengths.ts";

type Pulse = AnswerOf<"companies.pulse">;
type Agent = Pulse["agents"][number];

/** Agents that are always in view: those at work, and those that need a person. */
const isInView = ({ status, situation }: Agent): boolean =>
  status === "running" ||
  status === "error" ||
  (situation.state !== "idle" && situation.state !== "draft" && situation.reasons[0]!.needsPerson);

/** Agents at work come first, then those that need a person, then the others. */
const orderOf = ({ status, situation }: Agent): number =>
  status === "running" ? 0 : situation.reasons[0]!.needsPerson ? 1 : 2;

const noRuns: readonly RecentRun[] = [];

/** A lane for each agent: its current work and its last hours. Idle agents that need nobody are collapsed. */
export const AgentLanes = ({ pulse }: { readonly pulse: Pulse }) => {
  const { agents, running, recent, at } = pulse;
  const sorted = agents.toSorted((one, other) => orderOf(one) - orderOf(other));
  const inView = sorted.filter(isInView);
  const idle = sorted.filter((agent) => !isInView(agent));
  const [isOpened, setOpened] = useState<boolean | null>(null);
  const isOpen = isOpened ?? inView.length === 0;
  const logs = useLogLengths(running.runs);
  const runsOf = useRunsOfAgents(recent);
  const end = useLaneEnd(at);
  const lanes = (shown: readonly Agent[]) => (
    <ul className="pulse-agents plain-list">
      {shown.map((agent) => (
        <AgentNow
          key={agent.id}
          agent={agent}
          runs={runsOf.get(agent.id) ?? noRuns}
          end={end}
          logBytes={agent.currentRun === null ? 0 : (logs.get(agent.currentRun.id) ?? 0)}
        />
      ))}
    </ul>
  );
  return (
    <section className="pulse-lanes" aria-labelledby="pulse-now">
      <div className="pulse-lanes-head">
        <h2 id="pulse-now">Agents</h2>
        <LaneHours end={end} />
      </div>
      {inView.length === 0 ? null : lanes(inView)}
      {idle.length === 0 ? null : (
        <>
          <OpeningRow isOpen={isOpen} onToggle={() => setOpened(!isOpen)}>
            <Icon name={isOpen ? "chevron-down" : "chevron-right"} />
            <span>Idle</span> <span className="muted">{idle.length}</span>
          </OpeningRow>
          {isOpen ? lanes(idle) : null}
        </>
      )}
    </section>
  );
};

interface AgentNowProps {
  readonly agent: Agent;
  readonly runs: readonly RecentRun[];
  readonly end: number;
  readonly logBytes: number;
}

/** An agent at work with the last line of its output, or one that does nothing, with the reason; and its last runs. */
const AgentNow = ({
  agent: { id, name, status, currentRun, situation },
  runs,
  end,
  logBytes,
}: AgentNowProps) => {
  const here = useHere();
  const reason = situation.reasons[0]!;
  return (
    <li className="pulse-agent">
      <div className="pulse-who">
        <Avatar kind="agent" name={name} status={status} />
        <Link href={here(`/agents/${id}`)} className="cut grow table-title pulse-name">
          {name}
        </Link>
        {currentRun === null ? (
          <Status of="agent" status={status} bare />
        ) : (
          <span className="muted">
            <Duration from={currentRun.startedAt} to={null} />
          </span>
        )}
      </div>
      <div className="pulse-what">
        {currentRun === null ? null : (
          <Link
            href={here(`/runs/${currentRun.id}`)}
            className="quiet-link cut"
            title={currentRun.issueTitle ?? undefined}
          >
            {currentRun.issueIdentifier === null
              ? wakeCause(currentRun.wakeReason)
              : `${currentRun.issueIdentifier} ${currentRun.issueTitle}`}
          </Link>
        )}
        {currentRun === null || reason.needsPerson ? (
          <p className="muted pulse-why">
            <ReasonLine reason={reason} />
          </p>
        ) : (
          <LastLine runId={currentRun.id} logBytes={logBytes} />
        )}
      </div>
      <Lane name={name} runs={runs} end={end} />
    </li>
  );
};
