import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { CheckList } from "../../nouns/agents/check-list.tsx";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";

type Runner = AnswerOf<"runners.list">[number];

/** Where agents' programs run: on this machine, or on the engines that the operator's templates name. */
export const Runners = () => {
  const runners = useRead("runners.list", {});
  return (
    <section className="instance-section" aria-labelledby="instance-runners">
      <h2 id="instance-runners">Runners</h2>
      {runners.isPending ? <Skeleton rows={1} /> : null}
      {runners.error === null ? null : <Problem error={runners.error} />}
      <ul className="plain-list">
        {(runners.data ?? []).map((runner) => (
          <RunnerRow key={runner.name} runner={runner} />
        ))}
      </ul>
      {runners.data?.length === 1 ? (
        <p className="muted">
          Programs run on the service's machine alone. A template in <code>runners/</code> of the data
          directory adds a container engine.
        </p>
      ) : null}
    </section>
  );
};

const RunnerRow = ({ runner: { name, kind, usual, reach, problem } }: { readonly runner: Runner }) => {
  const check = useWrite("runners.check");
  return (
    <li className="instance-row">
      <span>{name}</span>
      <span className="faint grow">
        {name === kind ? "This machine" : [kind, reach].filter(Boolean).join(" · ")}
      </span>
      {usual ? <span className="tag">Default</span> : null}
      {problem === null ? null : (
        <span className="status red">
          <Icon name="circle-x" />
          <span>Unavailable</span>
        </span>
      )}
      <Button
        small
        icon="shield-check"
        busy={check.busy}
        aria-label={`Check ${name}`}
        onClick={() => check.run({ runnerName: name })}
      >
        Check
      </Button>
      {problem === null ? null : <p className="instance-problem">{problem}</p>}
      {check.error === null ? null : <Problem error={check.error} />}
      {check.answer === undefined ? null : (
        <div className="instance-checks">
          <CheckList checks={check.answer.checks} />
        </div>
      )}
    </li>
  );
};
