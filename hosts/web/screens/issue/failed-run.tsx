import { Link } from "wouter";
import { hasFailed } from "../../../../core/model/runs/run-status.ts";
import { usePages, useRead, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { runsOfIssue } from "../../nouns/issues/issue-reads.ts";
import { runStatusShown, Status } from "../../nouns/status.tsx";
import { ActionButton } from "../../widgets/action-button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Why the latest run of an issue failed, until another one follows. */
export const FailedRun = ({ issue }: { readonly issue: Issue }) => {
  const here = useHere();
  const say = useToasts();
  const [run] = usePages("runs.ofIssue", runsOfIssue(issue)).rows;
  const isFailed = run !== undefined && hasFailed(run.status);
  const { data } = useRead("runs.get", { runId: run?.id ?? "" }, { enabled: isFailed });
  const retry = useWrite("runs.retry", { onDone: () => say.done(`${run?.agentName} is trying again`) });
  if (!isFailed) return null;
  return (
    <section className="issue-failed" aria-label="Failed run">
      <div className="row-wrap">
        <Status of="run" status={runStatusShown(run)} />
        <Link href={here(`/runs/${run.id}`)} className="in-text">
          {run.agentName}’s last run
        </Link>
        <span className="faint grow">
          <Time at={run.finishedAt ?? run.createdAt} />
        </span>
        {data === undefined ? null : (
          <ActionButton
            small
            may={data.callerMay.retry}
            busy={retry.busy}
            onClick={() => retry.run({ runId: run.id })}
          >
            Retry
          </ActionButton>
        )}
      </div>
      {run.error === null ? null : <p className="issue-failed-reason">{run.error}</p>}
      {retry.error === null ? null : <Problem error={retry.error} />}
    </section>
  );
};
