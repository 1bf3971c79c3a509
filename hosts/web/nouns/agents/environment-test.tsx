import { useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { CheckList } from "./check-list.tsx";

interface EnvironmentTestProps {
  readonly companyId: string;
  readonly adapterType: string;
  readonly adapterConfig: Readonly<Record<string, unknown>>;
  /** null: the agent does not exist yet. */
  readonly agentId: string | null;
  readonly runner?: string | undefined;
}

/** Tries, without a run, whether the agent's program could work here. */
export const EnvironmentTest = ({
  companyId,
  adapterType,
  adapterConfig,
  agentId,
  runner,
}: EnvironmentTestProps) => {
  const test = useWrite("adapters.testEnvironment");
  return (
    <section aria-labelledby="agent-environment" className="stack">
      <div className="row-wrap">
        <h2 id="agent-environment" className="grow">
          Environment
        </h2>
        <Button
          busy={test.busy}
          onClick={() =>
            test.run({
              companyId,
              adapterType,
              adapterConfig: adapterConfig as never,
              ...(agentId === null ? {} : { agentId }),
              ...(runner === undefined ? {} : { runner }),
            })
          }
        >
          Test environment
        </Button>
      </div>
      {test.error === null ? null : <Problem error={test.error} />}
      {test.answer === undefined ? (
        <p className="muted">Checks that the program starts. Nothing is saved.</p>
      ) : (
        <CheckList checks={test.answer.checks} />
      )}
    </section>
  );
};
