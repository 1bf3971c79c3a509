import type { ReactNode } from "react";
import { Link } from "wouter";
import { useRead } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { settingsOf, useConfigSchema } from "../../parts/adapter-fields.tsx";
import { type EnvironmentRow, environmentOf } from "../../parts/agent-draft.ts";
import { grantText } from "../../parts/agent-grants.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { moneyText } from "../../parts/money.tsx";
import { durationText } from "../../parts/time.tsx";
import { timerText } from "../../parts/timer-fields.tsx";
import { wordsOfKey } from "../../parts/words-of-key.ts";
import { useHere } from "../../shell/company.tsx";

const groups = ["first", "permission", "limit", "more"] as const;

/** An agent's settings in words: secrets by their names, and values as they are. */
export const ShownConfiguration = ({ agent }: { readonly agent: Agent }) => {
  const schema = useConfigSchema(agent.adapterType);
  const { data: allGrants = [] } = useRead("grants.list", { companyId: agent.companyId });
  const grants = allGrants.filter(({ agentId, revokedAt }) => agentId === agent.id && revokedAt === null);
  const adapter = useRead("adapters.get", { adapterType: agent.adapterType });
  const { env, ...config } = agent.adapterConfig;
  const named = settingsOf(schema, config, groups).filter(({ key }) => config[key] !== undefined);
  const others = Object.keys(config).filter((key) => named.every((setting) => setting.key !== key));
  const environment = environmentOf(env);
  const { runner, maxCostCents, heartbeat } = agent.runtimeConfig;
  return (
    <dl className="agent-settings">
      {agent.capabilities === null ? null : <Fact name="Capabilities">{agent.capabilities}</Fact>}
      <Fact name="Adapter">{adapter.data?.label ?? agent.adapterType}</Fact>
      {named.map(({ key, label, schema: own }) => (
        <Fact key={key} name={label}>
          {own.contentMediaType === "text/markdown" ? (
            <Markdown text={String(config[key])} />
          ) : (
            <Value value={config[key]} isInSeconds={key.endsWith("Sec")} />
          )}
        </Fact>
      ))}
      {others.map((key) => (
        <Fact key={key} name={wordsOfKey(key)}>
          <Value value={config[key]} isInSeconds={key.endsWith("Sec")} />
        </Fact>
      ))}
      {environment.length === 0 ? null : (
        <Fact name="Environment">
          <ul className="plain-list">
            {environment.map((row) => (
              <li key={row.name}>
                <code>{row.name}</code> <Variable row={row} companyId={agent.companyId} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
      <Fact name="Runs">
        {timerText(heartbeat)}
        {heartbeat?.wakeOnDemand === false ? "; issues, comments and people do not wake it" : ""}
      </Fact>
      {heartbeat?.maxConcurrentRuns === undefined ? null : (
        <Fact name="Concurrent runs, at most">{heartbeat.maxConcurrentRuns}</Fact>
      )}
      {runner === undefined ? null : <Fact name="Where its programs run">{runner}</Fact>}
      {maxCostCents === undefined ? null : (
        <Fact name="Cost of one run">at most {moneyText(maxCostCents)}</Fact>
      )}
      {grants.length === 0 ? null : (
        <Fact name="In people's place">
          <ul className="plain-list">
            {grants.map((grant) => (
              <li key={grant.id}>It {grantText(grant)}.</li>
            ))}
          </ul>
        </Fact>
      )}
      {agent.metadata === null || Object.keys(agent.metadata).length === 0 ? null : (
        <Fact name="Metadata">
          <Value value={agent.metadata} />
        </Fact>
      )}
    </dl>
  );
};

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const Value = ({
  value,
  isInSeconds = false,
}: {
  readonly value: unknown;
  readonly isInSeconds?: boolean;
}) => {
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "string" && !value.includes("\n")) return value;
  if (typeof value === "number") return isInSeconds && value > 0 ? durationText(value * 1000) : value;
  const text =
    typeof value === "string"
      ? value
      : Array.isArray(value) && value.every((item) => typeof item === "string")
        ? value.join("\n")
        : JSON.stringify(value, null, 2);
  return <pre className="agent-value">{text}</pre>;
};

const Variable = ({ row, companyId }: { readonly row: EnvironmentRow; readonly companyId: string }) => {
  const here = useHere();
  const { data: secrets = [] } = useRead("secrets.list", { companyId }, { enabled: row.from === "secret" });
  if (row.from === "text")
    return (
      <>
        = <code>{row.value}</code>
      </>
    );
  const secret = secrets.find(({ id }) => id === row.secretId);
  return (
    <>
      is the secret{" "}
      {secret === undefined ? (
        <span className="faint">that is gone</span>
      ) : (
        <Link href={here("/secrets")} className="in-text">
          {secret.name}
        </Link>
      )}
      {row.version === "latest" ? "" : `, version ${row.version}`}
    </>
  );
};
