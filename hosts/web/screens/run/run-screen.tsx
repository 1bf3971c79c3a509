import { useState } from "react";
import { Link, useParams } from "wouter";
import { hasFailed, isLive } from "../../../../core/model/runs/run-status.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Run } from "../../live/records.ts";
import { useShownRun } from "../../live/stream.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { lastSentence } from "../../nouns/runs/last-sentence.ts";
import { wakeCause } from "../../nouns/runs/wake-cause.ts";
import { runStatusShown, Status } from "../../nouns/status.tsx";
import { ActionButton } from "../../widgets/action-button.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { locale } from "../../widgets/locale.ts";
import { Money } from "../../widgets/money.tsx";
import { Page } from "../../widgets/page.tsx";
import { Duration, Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { Unread } from "../../widgets/unread.tsx";
import { OpenPermissions } from "./open-permissions.tsx";
import { RawLog } from "./raw-log.tsx";
import { RunChanges } from "./run-changes.tsx";
import { RunMessages } from "./run-messages.tsx";
import { RunStory } from "./run-story.tsx";
import { Transcript } from "./transcript.tsx";
import { WhatNext } from "./what-next.tsx";

/** One run: how it goes or went, why, what comes next, and all that its program said. */
export const RunScreen = () => {
  const { run: runId = "" } = useParams<{ run: string }>();
  const here = useHere();
  const run = useRead("runs.get", { runId });
  useOwnCompany(run.data);
  useShownRun(run.data?.id ?? null);
  const [shown, setShown] = useState<"transcript" | "log" | "events" | "changes">("transcript");
  useKeys([
    {
      keys: "l",
      does: "Switch between transcript and raw log",
      run: () => setShown(shown === "log" ? "transcript" : "log"),
    },
  ]);
  const crumbs = [{ label: "Runs", to: here("/runs") }];
  if (run.isPending || run.isError)
    return (
      <Page title="Run" crumbs={crumbs}>
        <Unread read={run} />
      </Page>
    );
  const { agentName, issueIdentifier } = run.data;
  return (
    <Page
      title={`${agentName}${issueIdentifier === null ? "" : ` on ${issueIdentifier}`}`}
      crumbs={crumbs}
      fills
      actions={
        <>
          <Button
            aria-pressed={shown === "log"}
            onClick={() => setShown(shown === "log" ? "transcript" : "log")}
          >
            Raw log
          </Button>
          <Button
            aria-pressed={shown === "events"}
            onClick={() => setShown(shown === "events" ? "transcript" : "events")}
          >
            Events
          </Button>
          {run.data.issueId === null ? null : (
            <Button
              aria-pressed={shown === "changes"}
              onClick={() => setShown(shown === "changes" ? "transcript" : "changes")}
            >
              Changes
            </Button>
          )}
          <RunActions run={run.data} />
        </>
      }
    >
      <RunFacts run={run.data} />
      <OpenPermissions run={run.data} />
      {shown === "events" ? (
        <RunStory runId={run.data.id} />
      ) : shown === "changes" ? (
        <RunChanges run={run.data} />
      ) : shown === "log" ? (
        <RawLog runId={run.data.id} isLive={isLive(run.data.status)} logBytes={run.data.logBytes} />
      ) : (
        <Transcript key={run.data.id} run={run.data} />
      )}
      <RunMessages run={run.data} />
      <p className="run-now" role="status">
        <WhatNext sentence={run.data.whatNext} />
      </p>
    </Page>
  );
};

const RunFacts = ({ run }: { readonly run: Run }) => {
  const here = useHere();
  const achieved = lastSentence(run.summary ?? "");
  return (
    <div className="run-facts">
      <Status of="run" status={runStatusShown(run)} />
      <Link href={here(`/agents/${run.agentId}`)}>{run.agentName}</Link>
      {run.issueIdentifier === null ? null : (
        <Link href={here(`/issues/${run.issueIdentifier}`)} className="cut run-issue">
          {run.issueIdentifier} {run.issueTitle}
        </Link>
      )}
      <span className="muted">
        Trigger: {wakeCause(run.wakeReason)} · <Time at={run.startedAt ?? run.createdAt} />
      </span>
      {run.startedAt === null ? null : (
        <span className="muted">
          Duration: <Duration from={run.startedAt} to={run.finishedAt} />
        </span>
      )}
      {run.usage === null ? null : (
        <span className="muted">
          {(run.usage.inputTokens + run.usage.outputTokens).toLocaleString(locale)} tokens
        </span>
      )}
      {run.costCents === null ? null : <Money cents={run.costCents} />}
      {run.retryOfRunId === null ? null : (
        <Link href={here(`/runs/${run.retryOfRunId}`)}>View original run</Link>
      )}
      {run.error === null ? null : <p className="run-error">{run.error}</p>}
      {run.error !== null || achieved === "" ? null : (
        <p className="run-result">
          <span className="muted">Result:</span> {achieved}
        </p>
      )}
    </div>
  );
};

const RunActions = ({ run }: { readonly run: Run }) => {
  const say = useToasts();
  const cancel = useWrite("runs.cancel", { onDone: () => say.done("Stopping the run") });
  const isWoken = { onDone: () => say.done(`${run.agentName} woken`) };
  const retry = useWrite("runs.retry", isWoken);
  const again = useWrite("agents.invoke", isWoken);
  const error = cancel.error ?? retry.error ?? again.error;
  // An interrupted program ends by itself, and can still be stopped.
  const isStopping = run.stopRequestedAt !== null && run.stopReason !== "turn_interrupted";
  return (
    <>
      {error === null ? null : <Problem error={error} />}
      {run.callerMay.interrupt.allowed ? <Interrupt run={run} /> : null}
      {isLive(run.status) ? (
        <ActionButton
          may={run.callerMay.cancel}
          kind="danger"
          busy={cancel.busy || isStopping}
          onClick={() => cancel.run({ runId: run.id })}
        >
          {isStopping ? "Stopping" : "Cancel run"}
        </ActionButton>
      ) : hasFailed(run.status) ? (
        <ActionButton
          may={run.callerMay.retry}
          kind="main"
          busy={retry.busy}
          onClick={() => retry.run({ runId: run.id })}
        >
          Retry
        </ActionButton>
      ) : (
        <ActionButton
          may={run.callerMay.invoke}
          busy={again.busy}
          onClick={() =>
            again.run({ agentId: run.agentId, ...(run.issueId === null ? {} : { issueId: run.issueId }) })
          }
        >
          Run again
        </ActionButton>
      )}
    </>
  );
};

/** Only where the run's program can be interrupted. */
const Interrupt = ({ run }: { readonly run: Run }) => {
  const say = useToasts();
  const interrupt = useWrite("runs.interrupt", {
    onDone: () => say.done("Interrupted. The next run continues the session."),
  });
  const stop = () => interrupt.run({ runId: run.id });
  useKeys([{ keys: "i", does: "Interrupt the run and keep its session", run: stop }]);
  return (
    <>
      {interrupt.error === null ? null : <Problem error={interrupt.error} />}
      <Button busy={interrupt.busy} onClick={stop}>
        Interrupt
      </Button>
    </>
  );
};
