import { useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { Button } from "../../parts/button.tsx";
import { CheckList } from "../../parts/check-list.tsx";
import { Problem } from "../../parts/field.tsx";

/** Tries, without a run, whether the agent's program could work here. */
export const EnvironmentTest = ({ agent }: { readonly agent: Agent }) => {
  const test = useWrite("adapters.testEnvironment");
  return (
    <section aria-labelledby="agent-environment" className="stack">
      <div className="row">
        <h2 id="agent-environment" className="grow">
          Environment
        </h2>
        <Button
          busy={test.busy}
          onClick={() =>
            test.run({
              companyId: agent.companyId,
              adapterType: agent.adapterType,
              adapterConfig: agent.adapterConfig as never,
              agentId: agent.id,
            })
          }
        >
          Test environment
        </Button>
      </div>
      {test.error === null ? null : <Problem error={test.error} />}
      {test.answer === undefined ? null : <CheckList checks={test.answer.checks} />}
    </section>
  );
};
