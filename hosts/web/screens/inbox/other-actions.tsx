import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import { useResumeAgent } from "../../nouns/agents/resume-agent.tsx";
import { BudgetDialogOf, type BudgetOwner } from "../../nouns/companies/budgets.tsx";
import { Problem } from "../../widgets/field.tsx";
import { KeyedButton } from "../../widgets/keyed-button.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { AssignDialog } from "./assign-dialog.tsx";
import { type Entry, offers, refusalOf } from "./entry.ts";

interface Main {
  readonly verb: string;
  readonly run: () => void;
}

/** The main action on an entry, what its calls refuse, and whether one is in progress. */
const useMain = (entry: Entry, onBudget: () => void) => {
  const say = useToasts();
  const invoke = useWrite("agents.invoke", { onDone: () => say.done(`${entry.agent?.name} woken`) });
  const retry = useWrite("runs.retry", { onDone: () => say.done(`${entry.agent?.name} is retrying`) });
  const resume = useResumeAgent();
  const check = useWrite("vaults.checkHealth", { onDone: ({ message }) => say.done(message) });
  const reload = useWrite("adapters.reload", { onDone: () => say.done("Adapter reloaded") });
  const error = invoke.error ?? retry.error ?? resume.error ?? check.error ?? reload.error;
  const busy = invoke.busy || retry.busy || resume.busy || check.busy || reload.busy;
  const agentId = entry.agent?.id;
  const about = entry.issue === null ? {} : { issueId: entry.issue.id };
  /** The actions that have a button; the others are taken where the subject is shown. */
  const buttons: Readonly<Partial<Record<Entry["actions"][number], Main | null>>> = {
    retry: { verb: "Retry", run: () => retry.run({ runId: entry.subject.id }) },
    resume: agentId === undefined ? null : { verb: "Resume", run: () => resume.run({ agentId }) },
    invoke:
      agentId === undefined ? null : { verb: "Wake agent", run: () => invoke.run({ agentId, ...about }) },
    check_health: { verb: "Check again", run: () => check.run({ vaultId: entry.subject.id }) },
    reload_adapter: { verb: "Reload", run: () => reload.run({ adapterType: entry.subject.id }) },
    raise_budget: { verb: "Edit budget", run: onBudget },
  };
  const main = entry.actions.map((action) => buttons[action] ?? null).find((each) => each !== null) ?? null;
  return { main, error, busy, dialog: resume.dialog };
};

/** The holder of the budget that the entry is about. */
const budgetOf = ({ subject }: Entry, companyId: string): BudgetOwner => ({
  kind: subject.type === "agent" || subject.type === "project" ? subject.type : "company",
  id: subject.id,
  companyId,
  name: subject.title,
});

/** One main action, and giving the issue to somebody. */
export const OtherActions = ({ entry }: { readonly entry: Entry }) => {
  const [isAssigning, setAssigning] = useState(false);
  const [isBudgetOpen, setBudgetOpen] = useState(false);
  const { main, error, busy, dialog } = useMain(entry, () => setBudgetOpen(true));
  const { issue, companyId } = entry;
  const assigns = issue !== null && companyId !== null && offers(entry, "reassign");
  const refusal = refusalOf(entry);
  return (
    <div className="inbox-actions">
      {error === null ? null : <Problem error={error} />}
      {refusal === null ? null : <p className="faint">{refusal}</p>}
      {assigns ? (
        <KeyedButton action="revise" onClick={() => setAssigning(true)}>
          Assign
        </KeyedButton>
      ) : null}
      {main === null ? null : (
        <KeyedButton kind="main" action="approve" busy={busy} onClick={main.run}>
          {main.verb}
        </KeyedButton>
      )}
      {dialog}
      {isBudgetOpen && companyId !== null ? (
        <BudgetDialogOf of={budgetOf(entry, companyId)} onClose={() => setBudgetOpen(false)} />
      ) : null}
      {assigns && isAssigning ? (
        <AssignDialog issue={issue} companyId={companyId} onClose={() => setAssigning(false)} />
      ) : null}
    </div>
  );
};
