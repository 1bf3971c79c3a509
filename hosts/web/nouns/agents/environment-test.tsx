import { useWrite } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { CheckList } from "./check-list.tsx";

interface TestedEnvironment {
  readonly companyId: string;
  readonly adapterType: string;
  readonly adapterConfig: Readonly<Record<string, unknown>>;
  /** null: the agent does not exist yet. */
  readonly agentId: string | null;
  readonly runner?: string | undefined;
}

/** Tries, without a run, whether the agent's program could work here. */
export const useEnvironmentTest = ({
  companyId,
  adapterType,
  adapterConfig,
  agentId,
  runner,
}: TestedEnvironment) => {
  const test = useWrite("adapters.testEnvironment");
  // A finding belongs to one adapter.
  const report = test.answer?.adapterType === adapterType ? test.answer : null;
  return {
    busy: test.busy,
    error: test.error,
    report,
    failed: report?.status === "fail",
    start: (onPassed?: () => void) =>
      test.run(
        {
          companyId,
          adapterType,
          adapterConfig: adapterConfig as never,
          ...(agentId === null ? {} : { agentId }),
          ...(runner === undefined ? {} : { runner }),
        },
        { onSuccess: ({ status }) => status === "pass" && onPassed?.() },
      ),
  };
};

export type EnvironmentTestState = ReturnType<typeof useEnvironmentTest>;

/** The button that starts the test, and its findings. */
export const EnvironmentFindings = ({ test }: { readonly test: EnvironmentTestState }) => (
  <section aria-labelledby="agent-environment" className="stack">
    <div className="row-wrap">
      <h2 id="agent-environment" className="grow">
        Environment
      </h2>
      <Button busy={test.busy} onClick={() => test.start()}>
        Test environment
      </Button>
    </div>
    {test.error === null ? null : <Problem error={test.error} />}
    {test.report === null ? (
      <p className="muted">Checks that the program starts. Nothing is saved.</p>
    ) : (
      <CheckList checks={test.report.checks} />
    )}
  </section>
);

export const EnvironmentTest = (tested: TestedEnvironment) => (
  <EnvironmentFindings test={useEnvironmentTest(tested)} />
);
