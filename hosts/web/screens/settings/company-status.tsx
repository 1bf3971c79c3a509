import { useState } from "react";
import { useLocation } from "wouter";
import { useWrite } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { Status } from "../../nouns/status.tsx";
import { ActionButton } from "../../widgets/action-button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Whether the company works; pausing has an undo, archiving needs a confirmation because it hides the company. */
export const CompanyStatus = () => {
  const { id: companyId, name, status, pauseReason, callerMay: may } = useCompany();
  const [, go] = useLocation();
  const say = useToasts();
  const [isArchiving, setArchiving] = useState(false);
  const resume = useWrite("companies.resume", { onRefused: say.refused });
  const pause = useWrite("companies.pause", {
    onDone: () => say.done(`${name} paused`, () => resume.run({ companyId })),
  });
  const archive = useWrite("companies.archive", {
    onDone: () => {
      go("/inbox");
      say.done(`${name} archived`, () => resume.run({ companyId }));
    },
    onRefused: () => setArchiving(false),
  });
  const error = pause.error ?? archive.error;
  return (
    <Section anchor="work" title="Work">
      <div className="row-wrap">
        <Status of="other" status={status} />
        {pauseReason === "budget" ? <span className="muted">Its budget is used up.</span> : null}
        <span className="grow" />
        {status === "active" ? (
          <ActionButton
            may={may.pause}
            icon="pause"
            busy={pause.busy}
            onClick={() => pause.run({ companyId })}
          >
            Pause
          </ActionButton>
        ) : null}
        {status !== "active" ? (
          <ActionButton
            may={may.resume}
            icon="play"
            busy={resume.busy}
            onClick={() => resume.run({ companyId })}
          >
            Resume
          </ActionButton>
        ) : null}
        {status !== "archived" ? (
          <ActionButton may={may.archive} kind="danger" icon="archive" onClick={() => setArchiving(true)}>
            Archive
          </ActionButton>
        ) : null}
      </div>
      <p className="muted">
        {status === "active"
          ? "Pausing stops all runs until you resume."
          : "All agents are paused. Resuming wakes them for every issue that can continue."}
      </p>
      {error === null ? null : <Problem error={error} />}
      {isArchiving ? (
        <ConfirmDialog
          title={`Archive ${name}?`}
          verb="Archive"
          busy={archive.busy}
          onConfirm={() => archive.run({ companyId })}
          onClose={() => setArchiving(false)}
        >
          This stops its runs and hides the company. Nothing is deleted. An instance admin can resume it on
          the Instance page.
        </ConfirmDialog>
      ) : null}
    </Section>
  );
};
