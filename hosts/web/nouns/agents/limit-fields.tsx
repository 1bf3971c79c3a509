import { TextField } from "../../widgets/field.tsx";
import { centsOf, numberOf, useTyped } from "../../widgets/typed.ts";
import type { AgentDraft } from "./agent-draft.ts";

interface LimitFieldsProps {
  readonly draft: AgentDraft;
  readonly onChange: (draft: AgentDraft) => void;
}

/** Dollars of cents, empty for none. */
const dollars = (cents: number | undefined): string =>
  cents === undefined || cents === 0 ? "" : String(cents / 100);

export const LimitFields = ({ draft, onChange }: LimitFieldsProps) => {
  const { runtime } = draft;
  const [budget, typeBudget] = useTyped(
    draft.budgetMonthlyCents,
    (budgetMonthlyCents) => onChange({ ...draft, budgetMonthlyCents }),
    dollars,
    centsOf(0),
  );
  const [cap, typeCap] = useTyped<number | undefined>(
    runtime.maxCostCents,
    (maxCostCents) => {
      const { maxCostCents: _, ...others } = runtime;
      onChange({ ...draft, runtime: maxCostCents === undefined ? others : { ...others, maxCostCents } });
    },
    dollars,
    centsOf(undefined),
  );
  const [atOnce, typeAtOnce] = useTyped<unknown>(
    runtime.heartbeat?.maxConcurrentRuns,
    (value) => {
      const { maxConcurrentRuns: _, ...others } = runtime.heartbeat ?? {};
      const heartbeat = value === undefined ? others : { ...others, maxConcurrentRuns: value as number };
      onChange({ ...draft, runtime: { ...runtime, heartbeat } });
    },
    (value) => String(value ?? ""),
    numberOf,
  );
  const money = { type: "number", min: "0", step: "0.01", inputMode: "decimal" } as const;
  return (
    <>
      <div className="agent-form-pair">
        <TextField
          {...money}
          label="Monthly budget (USD)"
          name="budgetMonthlyCents"
          hint="Leave empty for no limit. Runs stop when it's reached."
          value={budget}
          onChange={typeBudget}
        />
        <TextField
          {...money}
          label="Cost limit per run (USD)"
          name="runtimeConfig.maxCostCents"
          hint="Leave empty for no limit. A run stops when it reaches it."
          value={cap}
          onChange={typeCap}
        />
      </div>
      <TextField
        type="number"
        min="1"
        max="50"
        label="Maximum concurrent runs"
        name="runtimeConfig.heartbeat.maxConcurrentRuns"
        hint="Default: 20."
        value={atOnce}
        onChange={typeAtOnce}
      />
    </>
  );
};
