import { type ReactNode, useState } from "react";
import { type AnswerOf, useWrite } from "../live/calls.ts";
import { useCompany } from "../shell/company.tsx";
import { Button, IconButton } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { Form, TextField } from "./field.tsx";
import { Money } from "./money.tsx";

/** The budget of the company, to be changed by its owners. */
export const CompanyBudget = ({ cents }: { readonly cents: number }) => {
  const { id: companyId, name } = useCompany();
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const save = useWrite("companies.update", { onDone: close });
  return (
    <>
      <Button icon="pencil" onClick={() => setOpen(true)}>
        Change budget
      </Button>
      {isOpen ? (
        <BudgetDialog
          title={`Monthly budget of ${name}`}
          hint="In dollars; 0 is no limit. Where it is used up, the company is paused until the month ends or you raise it."
          cents={cents}
          error={save.error}
          busy={save.busy}
          onSave={(budgetMonthlyCents) => save.run({ companyId, budgetMonthlyCents })}
          onClose={close}
        />
      ) : null}
    </>
  );
};

/** The budget of an agent, with a button for who may change it. */
export const AgentBudget = ({
  row: { agentId, agentName, budgetMonthlyCents: cents, costCents },
  mayDecide,
}: {
  readonly row: AnswerOf<"costs.byAgent">[number];
  readonly mayDecide: boolean;
}) => {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const save = useWrite("agents.update", { onDone: close });
  return (
    <BudgetOf
      name={agentName}
      cents={cents}
      spentCents={costCents}
      onChange={mayDecide ? () => setOpen(true) : null}
    >
      {isOpen ? (
        <BudgetDialog
          title={`Monthly budget of ${agentName}`}
          hint="In dollars; 0 is no limit. Where it is used up, the agent is paused until the month ends or you raise it."
          cents={cents}
          error={save.error}
          busy={save.busy}
          onSave={(budgetMonthlyCents) => save.run({ agentId, budgetMonthlyCents })}
          onClose={close}
        />
      ) : null}
    </BudgetOf>
  );
};

/** The budget of a project, with a button for who may change it. */
export const ProjectBudget = ({
  projectId,
  name,
  cents,
  spentCents,
  mayDecide,
}: {
  readonly projectId: string;
  readonly name: string;
  readonly cents: number;
  readonly spentCents: number;
  readonly mayDecide: boolean;
}) => {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const save = useWrite("projects.update", { onDone: close });
  return (
    <BudgetOf
      name={name}
      cents={cents}
      spentCents={spentCents}
      onChange={mayDecide ? () => setOpen(true) : null}
    >
      {isOpen ? (
        <BudgetDialog
          title={`Monthly budget of ${name}`}
          hint="In dollars; 0 is no limit. Where it is used up, no agent works on the project's issues until the month ends or you raise it."
          cents={cents}
          error={save.error}
          busy={save.busy}
          onSave={(budgetMonthlyCents) => save.run({ projectId, budgetMonthlyCents })}
          onClose={close}
        />
      ) : null}
    </BudgetOf>
  );
};

interface BudgetOfProps {
  readonly name: string;
  readonly cents: number;
  readonly spentCents: number;
  /** null: the reader may not change it. */
  readonly onChange: (() => void) | null;
  readonly children: ReactNode;
}

const BudgetOf = ({ name, cents, spentCents, onChange, children }: BudgetOfProps) => (
  <span className="spend-budget">
    {cents === 0 ? (
      <span className="muted">No limit</span>
    ) : (
      <span title={`${Math.round((spentCents / cents) * 100)} % used`}>
        <Money cents={cents} />
      </span>
    )}
    {onChange === null ? null : (
      <IconButton icon="pencil" small label={`Change the budget of ${name}`} onClick={onChange} />
    )}
    {children}
  </span>
);

interface BudgetDialogProps {
  readonly title: string;
  readonly hint: string;
  readonly cents: number;
  readonly error: unknown;
  readonly busy: boolean;
  readonly onSave: (cents: number) => void;
  readonly onClose: () => void;
}

const BudgetDialog = ({ title, hint, cents, error, busy, onSave, onClose }: BudgetDialogProps) => {
  const [dollars, setDollars] = useState(String(cents / 100));
  return (
    <Dialog title={title} onClose={onClose}>
      <Form label={title} error={error} onSubmit={() => onSave(Math.round(Number(dollars) * 100))}>
        <TextField
          label="Dollars a month"
          name="budgetMonthlyCents"
          hint={hint}
          type="number"
          min={0}
          step="0.01"
          inputMode="decimal"
          required
          value={dollars}
          onChange={setDollars}
        />
        <div className="form-actions">
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" kind="main" busy={busy}>
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  );
};
