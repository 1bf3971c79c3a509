import { type ReactNode, useState } from "react";
import { useRead, useWrite } from "../../live/calls.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { TextField } from "../../widgets/field.tsx";
import { FormDialog } from "../../widgets/form-dialog.tsx";
import { Money } from "../../widgets/money.tsx";
import { centsOf, useTyped } from "../../widgets/typed.ts";

/** The holder of a monthly budget. */
export interface BudgetOwner {
  readonly kind: "company" | "agent" | "project";
  readonly id: string;
  readonly companyId: string;
  readonly name: string;
}

interface BudgetDialogProps {
  readonly of: BudgetOwner;
  readonly cents: number;
  /** Before the field: why it opens now. */
  readonly note?: ReactNode;
  readonly onClose: () => void;
}

/** Changes the monthly budget of a company, an agent or a project. */
export const BudgetDialog = ({ of: { kind, id, name }, cents, note, onClose }: BudgetDialogProps) => {
  const [value, setValue] = useState(cents);
  const [dollars, type] = useTyped(value, setValue, (each) => String(each / 100), centsOf(0));
  const company = useWrite("companies.update", { onDone: onClose });
  const agent = useWrite("agents.update", { onDone: onClose });
  const project = useWrite("projects.update", { onDone: onClose });
  const save = { company, agent, project }[kind];
  const budgetMonthlyCents = value;
  return (
    <FormDialog
      title={`Monthly budget of ${name}`}
      verb="Save"
      write={save}
      onSubmit={() => {
        if (kind === "company") company.run({ companyId: id, budgetMonthlyCents });
        else if (kind === "agent") agent.run({ agentId: id, budgetMonthlyCents });
        else project.run({ projectId: id, budgetMonthlyCents });
      }}
      onClose={onClose}
    >
      {note}
      <TextField
        label="Monthly budget (USD)"
        name="budgetMonthlyCents"
        hint="0 means no limit. Work stops when it's reached."
        type="number"
        min={0}
        step="0.01"
        inputMode="decimal"
        required
        value={dollars}
        onChange={type}
      />
    </FormDialog>
  );
};

/** The same where only the holder is known: reads its present budget first. */
export const BudgetDialogOf = (props: Omit<BudgetDialogProps, "cents">) => {
  const { kind, id, companyId } = props.of;
  const summary = useRead("costs.summary", { companyId }, { enabled: kind === "company" });
  const agent = useRead("agents.get", { agentId: id }, { enabled: kind === "agent" });
  const projects = useRead("projects.list", { companyId }, { enabled: kind === "project" });
  const cents = {
    company: summary.data?.budgetCents,
    agent: agent.data?.budgetMonthlyCents,
    project: projects.data?.items.find((each) => each.id === id)?.budgetMonthlyCents,
  }[kind];
  return cents === undefined ? null : <BudgetDialog {...props} cents={cents} />;
};

/** The button that changes the budget of the company. */
export const CompanyBudget = ({ of, cents }: Pick<BudgetDialogProps, "of" | "cents">) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="pencil" onClick={() => setOpen(true)}>
        Edit budget
      </Button>
      {isOpen ? <BudgetDialog of={of} cents={cents} onClose={() => setOpen(false)} /> : null}
    </>
  );
};

interface BudgetProps extends Pick<BudgetDialogProps, "of" | "cents"> {
  readonly spentCents: number;
  readonly mayDecide: boolean;
}

/** The budget of an agent or a project, with a button for who may change it. */
export const Budget = ({ of, cents, spentCents, mayDecide }: BudgetProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <span className="spend-budget">
      {cents === 0 ? (
        <span className="muted">No limit</span>
      ) : (
        <span title={`${Math.round((spentCents / cents) * 100)}% used`}>
          <Money cents={cents} />
        </span>
      )}
      {mayDecide ? (
        <IconButton
          icon="pencil"
          small
          label={`Edit the budget of ${of.name}`}
          onClick={() => setOpen(true)}
        />
      ) : null}
      {isOpen ? <BudgetDialog of={of} cents={cents} onClose={() => setOpen(false)} /> : null}
    </span>
  );
};
