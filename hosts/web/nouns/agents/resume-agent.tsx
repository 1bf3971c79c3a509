import { type ReactNode, useState } from "react";
import { type AnswerOf, useWrite } from "../../live/calls.ts";
import { useToasts } from "../../widgets/toasts.tsx";
import { BudgetDialog } from "../companies/budgets.tsx";
import { stillHeld } from "./still-held.ts";

type Resumed = AnswerOf<"agents.resume">;

/**
 * Resumes an agent. If its budget still holds it, no success is shown: the budget opens, to be raised. `dialog` is to be
 * rendered next to the button.
 */
export const useResumeAgent = () => {
  const say = useToasts();
  const [held, setHeld] = useState<Resumed | null>(null);
  const resume = useWrite("agents.resume", {
    onDone: (agent) => {
      const held = stillHeld(agent);
      if (held === null) say.done(`${agent.name} resumed`);
      else if (agent.pauseReason === "budget" && agent.callerMay.update.allowed) setHeld(agent);
      else say.refused(new Error(held));
    },
  });
  const dialog: ReactNode =
    held === null ? null : (
      <BudgetDialog
        of={{ kind: "agent", id: held.id, companyId: held.companyId, name: held.name }}
        cents={held.budgetMonthlyCents}
        note={
          <p className="form-warning" role="status">
            {stillHeld(held)}
          </p>
        }
        onClose={() => setHeld(null)}
      />
    );
  return { ...resume, dialog };
};
