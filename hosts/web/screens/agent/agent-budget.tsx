import type { Agent } from "../../live/records.ts";
import { Budget, type BudgetOwner } from "../../nouns/companies/budgets.tsx";
import { Money } from "../../widgets/money.tsx";

export const budgetOwnerOf = ({ id, companyId, name }: Agent): BudgetOwner => ({
  kind: "agent",
  id,
  companyId,
  name,
});

/** Facts: what the agent cost this month, and its budget with what changes it. */
export const BudgetFacts = ({ agent }: { readonly agent: Agent }) => (
  <>
    <div>
      <div className="muted">This month</div>
      <Money cents={agent.spentMonthlyCents} />
    </div>
    <div>
      <div className="muted">Monthly budget</div>
      <Budget
        of={budgetOwnerOf(agent)}
        cents={agent.budgetMonthlyCents}
        spentCents={agent.spentMonthlyCents}
        mayDecide={agent.callerMay.update.allowed}
      />
    </div>
  </>
);
