import { useState } from "react";
import { type AnswerOf, call, useRead } from "../../live/calls.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Agent = AnswerOf<"agents.get">;
type Report = AnswerOf<"adapters.testEnvironment">;

interface Runtime {
  readonly type: string;
  readonly label: string;
}

/** Tests the other adapters without settings of their own, and moves the agents of its company to one that passes. */
export const RuntimeChoice = ({ agent }: { readonly agent: Agent }) => {
  const { companyId, adapterType } = agent;
  const adapters = useRead("adapters.list", {});
  const [reports, setReports] = useState<ReadonlyMap<string, Report>>(new Map());
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const say = useToasts();
  const others = (adapters.data ?? []).flatMap(({ type, label, loaded }): readonly Runtime[] =>
    type === null || type === adapterType || !loaded ? [] : [{ type, label: label ?? type }],
  );
  const doing = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(null);
    await work().catch(setError);
    setBusy(false);
  };
  // One after the other: a company may ask its adapters only a few questions at once.
  const testAll = async () => {
    for (const { type } of others) {
      const report = await call("adapters.testEnvironment", {
        companyId,
        adapterType: type,
        adapterConfig: {},
      });
      setReports((before) => new Map(before).set(type, report));
    }
  };
  const use = async ({ type, label }: Runtime) => {
    const agents = await call("agents.list", { companyId });
    const moved = agents.filter((each) => each.adapterType === adapterType);
    for (const { id } of moved) await call("agents.update", { agentId: id, adapterType: type });
    say.done(`${moved.length === 1 ? "1 agent runs" : `${moved.length} agents run`} on ${label}`);
  };
  return (
    <section className="stack" aria-label="Other runtimes">
      <div className="row-wrap">
        <p className="muted grow">Another agent runtime on this machine may work.</p>
        <Button busy={busy} onClick={() => void doing(testAll)}>
          Test other runtimes
        </Button>
      </div>
      {error === null ? null : <Problem error={error} />}
      {reports.size === 0 ? null : (
        <ul className="plain-list check-list" aria-label="Tested runtimes">
          {others.flatMap((runtime) => {
            const report = reports.get(runtime.type);
            return report === undefined
              ? []
              : [
                  <RuntimeRow
                    key={runtime.type}
                    label={runtime.label}
                    report={report}
                    onUse={busy ? undefined : () => void doing(() => use(runtime))}
                  />,
                ];
          })}
        </ul>
      )}
    </section>
  );
};

const RuntimeRow = ({
  label,
  report,
  onUse,
}: {
  readonly label: string;
  readonly report: Report;
  readonly onUse: (() => void) | undefined;
}) => {
  const passes = report.status === "pass";
  const problem = report.checks.find(({ level }) => level === "error")?.message;
  return (
    <li className={passes ? "passed" : "info"}>
      <Icon name={passes ? "check" : "circle-x"} />
      <span className="grow">
        {label}
        {passes ? null : <span className="muted"> {problem}</span>}
      </span>
      {passes ? (
        <Button disabled={onUse === undefined} onClick={onUse}>
          Use {label}
        </Button>
      ) : null}
    </li>
  );
};
