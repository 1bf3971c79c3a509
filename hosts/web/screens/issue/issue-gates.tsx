import { lazy, Suspense, useState } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import type { Issue } from "../../live/records.ts";
import { ReviewButton } from "../../nouns/issues/review-button.tsx";
import { visible } from "../../nouns/visible-text.ts";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { useAdding } from "./add-menu.tsx";
import { useIssueMay } from "./issue-shown.ts";

const OwnGates = lazy(async () => ({ default: (await import("./own-gates.tsx")).OwnGates }));

type Gates = AnswerOf<"issues.gates">;

/** The gates of the issue, and whether it meets them; without any, only for those who may give it some. */
export const IssueGates = ({ issue }: { readonly issue: Issue }) => {
  const { id: issueId, identifier } = issue;
  const gates = useRead("issues.gates", { issueId });
  const mayReview = useIssueMay("review").allowed;
  const mayFinish = useIssueMay("finish").allowed;
  const mayRerun = useIssueMay("update").allowed;
  const mayManage = useIssueMay("manageGates").allowed;
  const [open, setOpen] = useState<"override" | "gates" | null>(null);
  const finish = useWrite("issues.update", { onDone: () => setOpen(null), onRefused: () => setOpen(null) });
  const rerun = useWrite("issues.rerunGates");
  useAdding("gate", () => setOpen("gates"));
  if (gates.isError) return <Problem error={gates.error} />;
  if (gates.data === undefined || (gates.data.gates.length === 0 && open !== "gates")) return null;
  const isUnmet = gates.data.gates.some(({ reason }) => reason !== null);
  return (
    <section aria-labelledby="issue-gates" className="issue-section">
      <header className="row">
        <h3 id="issue-gates" className="grow">
          Gates
        </h3>
        {mayManage && open !== "gates" ? (
          <Button small kind="quiet" icon="pencil" onClick={() => setOpen("gates")}>
            Edit gates
          </Button>
        ) : null}
      </header>
      {finish.error === null ? null : <Problem error={finish.error} />}
      <ul className="plain-list">
        {gates.data.gates.map(({ name, reason, check }) => (
          <li key={name} className="row-wrap list-row">
            <span className="grow">
              {visible(name)} <span className="muted">· {reason === null ? "met" : visible(reason)}</span>
            </span>
            {check === null || check.state === "running" ? null : <CheckLog name={name} check={check} />}
          </li>
        ))}
      </ul>
      <div className="row-wrap">
        {mayReview ? <ReviewButton issueId={issueId} mayJudge kind="main" /> : null}
        {mayRerun && gates.data.gates.some(({ check }) => check?.state === "failed") ? (
          <Button busy={rerun.busy} onClick={() => rerun.run({ issueId })}>
            Run again
          </Button>
        ) : null}
        {isUnmet && mayFinish && issue.status !== "done" ? (
          <Button onClick={() => setOpen("override")}>Complete without passing gates</Button>
        ) : null}
      </div>
      {open === "gates" ? (
        <Suspense fallback={<Skeleton rows={2} />}>
          <OwnGates issueId={issueId} gates={gates.data} onClose={() => setOpen(null)} />
        </Suspense>
      ) : null}
      {open === "override" ? (
        <ConfirmDialog
          title={`Complete ${identifier} without passing gates?`}
          verb="Override gates"
          busy={finish.busy}
          onConfirm={() => finish.run({ issueId, status: "done", overrideGates: true })}
          onClose={() => setOpen(null)}
        >
          This is recorded in the activity log with the gates that didn't pass.
        </ConfirmDialog>
      ) : null}
    </section>
  );
};

interface CheckLogProps {
  readonly name: string;
  readonly check: NonNullable<Gates["gates"][number]["check"]>;
}

const CheckLog = ({ name, check: { log, durationMs } }: CheckLogProps) => (
  <details>
    <summary>
      Log of {visible(name)}
      {durationMs === null ? "" : `, ${(durationMs / 1_000).toFixed(1)}s`}
    </summary>
    <pre className="run-preformatted">{log.slice(-8_000).split("\n").map(visible).join("\n")}</pre>
  </details>
);
