import type { ReactNode } from "react";
import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useAdapterName } from "../../nouns/agents/adapter-name.ts";
import { Status } from "../../nouns/status.tsx";
import { Button } from "../../widgets/button.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { sizeText } from "../../widgets/size-text.ts";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { durationText, Time } from "../../widgets/time.tsx";

type HealthAnswer = AnswerOf<"system.health">;

const separations = {
  separated: "Sandboxed",
  partly: "Partly sandboxed",
  not: "Not sandboxed",
} as const;

/** How the service works just now; its numbers are no events, so a button reads them again. */
export const Health = () => {
  const adapterName = useAdapterName();
  const health = useRead("system.health", {});
  if (health.isPending) return <Skeleton rows={4} />;
  if (health.isError) return <ErrorView error={health.error} retry={() => void health.refetch()} />;
  const { status, separation, outage, runLimits, disk, accountsHeld = [] } = health.data;
  return (
    <section className="instance-section" aria-labelledby="instance-health">
      <header className="row">
        <h2 id="instance-health">Health</h2>
        <Status of="other" status={status} />
        <span className="grow" />
        <Button
          small
          icon="refresh-cw"
          aria-busy={health.isFetching || undefined}
          onClick={() => void health.refetch()}
        >
          Refresh
        </Button>
      </header>
      {outage === undefined ? null : (
        <p className="problem">
          <Icon name="circle-alert" />
          <span>
            {outage.error} <Time at={outage.at} />
          </span>
        </p>
      )}
      {separation === undefined ? null : <Separation {...separation} />}
      <HealthFacts now={health.data} />
      <LimitsUnavailable reason={runLimits?.gap ?? null} />
      <DiskUse disk={disk ?? null} />
      {accountsHeld.map(({ adapterType, notBefore }) => (
        <p key={adapterType} className="row">
          <Icon name="hourglass" />
          <span>
            A provider asked {adapterName(adapterType)} to wait until <Time at={notBefore} as="full" />.
          </span>
        </p>
      ))}
    </section>
  );
};

const Separation = ({ level, gaps }: NonNullable<HealthAnswer["separation"]>) =>
  gaps.length === 0 ? (
    <p className="row">
      <Icon name="shield-check" /> Agents: {separations[level].toLowerCase()}
    </p>
  ) : (
    <div className="instance-gaps">
      <p className="row">
        <Icon name="triangle-alert" /> Agents: {separations[level].toLowerCase()}
      </p>
      <ul>
        {gaps.map((gap) => (
          <li key={gap}>{gap}</li>
        ))}
      </ul>
    </div>
  );

const seconds = (value: number | null | undefined) =>
  value === null || value === undefined ? null : durationText(value * 1000);

const HealthFacts = ({ now }: { readonly now: HealthAnswer }) => (
  <dl className="instance-facts">
    <Fact label="Version" value={now.version} />
    <Fact label="Started" value={now.startedAt && <Time at={now.startedAt} />} />
    <Fact label="Services on this database" value={now.services} />
    <Fact label="Runs in progress" value={now.runsRunning} />
    <Fact label="Runs queued" value={now.runsQueued} />
    <Fact label="Runs on hold" value={now.runsHeld} />
    <Fact label="Pending wake-ups" value={now.wakesPending} />
    <Fact label="Longest wait for a free slot" value={seconds(now.oldestStartableWakeSec)} />
    <Fact
      label="Last background check"
      value={now.tickAgeSec == null ? null : `${seconds(now.tickAgeSec)} ago`}
    />
    <Fact
      label="Maximum concurrent runs"
      value={
        now.caps === undefined
          ? null
          : `${now.caps.instance} in total, ${now.caps.company} per company, ${now.caps.adapterType} per adapter`
      }
    />
    <Fact
      label="Processes tracked by"
      value={now.processContainment === "cgroup" ? "Control group" : "Process table"}
    />
    <Fact
      label="Run limits enforced by"
      value={now.runLimits && (now.runLimits.gap === null ? "Kernel" : "Regular checks, not the kernel")}
    />
    <Fact label="Orphaned run timeout" value={seconds(now.recoveryBoundSec)} />
    <Fact
      label="Master key fingerprint"
      value={now.masterKeyFingerprint && <span className="mono">{now.masterKeyFingerprint}</span>}
    />
  </dl>
);

/** The reason why the kernel does not limit runs. */
const LimitsUnavailable = ({ reason }: { readonly reason: string | null }) =>
  reason === null ? null : (
    <p className="row instance-limits">
      <Icon name="triangle-alert" /> <span>{reason}</span>
    </p>
  );

const DiskUse = ({ disk }: { readonly disk: HealthAnswer["disk"] | null }) =>
  disk == null ? null : (
    <details>
      <summary>Disk used by company</summary>
      <ul>
        {disk.companies.map((use) => (
          <li key={use.companyId}>
            {use.companyName}: {sizeText(use.bytes)} (files {sizeText(use.files)}, logs {sizeText(use.logs)},
            runs {sizeText(use.runs)}, activity {sizeText(use.activity)}, costs {sizeText(use.costs)}, work{" "}
            {sizeText(use.work)}). <span className="muted">{use.advice}</span>
          </li>
        ))}
      </ul>
      {disk.projects.length === 0 ? null : (
        <>
          <p>Workspaces and repositories by project</p>
          <ul aria-label="Disk used by project">
            {disk.projects.map((use) => (
              <li key={use.projectId}>
                {use.projectName} of {use.companyName}: workspaces {sizeText(use.workspaces)} (
                {sizeText(use.mayGo)} can be cleaned up), repositories {sizeText(use.repositories)}.{" "}
                <span className="muted">{use.advice}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </details>
  );

const Fact = ({ label, value }: { readonly label: string; readonly value: ReactNode }) =>
  value === null || value === undefined ? null : (
    <div>
      <dt className="muted">{label}</dt>
      <dd>{value}</dd>
    </div>
  );
