import { describePermission } from "../../../../core/model/issues/interactions/describe-permission.ts";
import { useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Rules = NonNullable<Agent["runtimeConfig"]["alwaysAllow"]>;

interface Props {
  readonly agent: Agent;
  readonly mayChange: boolean;
}

/** Permissions that the agent has for good, each with its revocation. */
export const AlwaysAllowed = ({ agent, mayChange }: Props) => {
  const say = useToasts();
  const save = useWrite("agents.update");
  const rules = agent.runtimeConfig.alwaysAllow ?? [];
  const change = (alwaysAllow: Rules, onSuccess: () => void) =>
    save.run(
      {
        agentId: agent.id,
        runtimeConfig: { alwaysAllow: alwaysAllow.length === 0 ? null : [...alwaysAllow] },
      },
      { onSuccess },
    );
  const revoke = (rule: Rules[number]) =>
    change(
      rules.filter((each) => each !== rule),
      () => say.done("Permission revoked", () => change(rules, () => {})),
    );
  return (
    <section aria-labelledby="agent-always" className="stack">
      <h2 id="agent-always">Always allowed</h2>
      {save.error === null ? null : <Problem error={save.error} />}
      {rules.length === 0 ? (
        <p className="faint">None. Commands that you always allow for this agent are listed here.</p>
      ) : null}
      <ul className="plain-list">
        {rules.map((rule) => (
          <li key={`${rule.tool} ${rule.path} ${rule.command}`} className="agent-always">
            <span className="grow">
              <span className="muted">May {describePermission({ ...rule, diff: null })}:</span>{" "}
              <code>{rule.command}</code>
            </span>
            {mayChange ? (
              <Button
                small
                busy={save.busy}
                aria-label={`Revoke ${rule.command}`}
                onClick={() => revoke(rule)}
              >
                Revoke
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
};
