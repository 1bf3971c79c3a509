import type { ReactNode } from "react";
import { Link } from "wouter";
import { useRead } from "../../live/calls.ts";
import { humanizeKey } from "../../widgets/humanize-key.ts";
import { durationText } from "../../widgets/time.tsx";
import { useCompany, useHere } from "../companies/company.tsx";
import { Markdown } from "../markdown.tsx";
import { settingsOf, useConfigSchema } from "./adapter-settings.ts";
import { type EnvironmentRow, environmentOf } from "./environment.ts";

const groups = ["first", "permission", "limit", "more"] as const;

interface AdapterFactsProps {
  readonly adapterType: string;
  readonly adapterConfig: Readonly<Record<string, unknown>>;
}

/** The settings of an adapter in the words of its form, below a `dl`: secrets by their names, and values as they are. */
export const AdapterFacts = ({ adapterType, adapterConfig }: AdapterFactsProps) => {
  const schema = useConfigSchema(adapterType);
  const { env, ...config } = adapterConfig;
  const named = settingsOf(schema, config, groups).filter(({ key }) => config[key] !== undefined);
  const others = Object.keys(config).filter((key) => named.every((setting) => setting.key !== key));
  const environment = environmentOf(env);
  return (
    <>
      {named.map(({ key, label, schema: own }) => (
        <AdapterFact key={key} name={label}>
          {own.contentMediaType === "text/markdown" ? (
            <Markdown text={String(config[key])} />
          ) : (
            <FactValue value={config[key]} isInSeconds={key.endsWith("Sec")} />
          )}
        </AdapterFact>
      ))}
      {others.map((key) => (
        <AdapterFact key={key} name={humanizeKey(key)}>
          <FactValue value={config[key]} isInSeconds={key.endsWith("Sec")} />
        </AdapterFact>
      ))}
      {environment.length === 0 ? null : (
        <AdapterFact name="Environment">
          <ul className="plain-list">
            {environment.map((row) => (
              <li key={row.name}>
                <code>{row.name}</code> <Variable row={row} />
              </li>
            ))}
          </ul>
        </AdapterFact>
      )}
    </>
  );
};

export const AdapterFact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

export const FactValue = ({
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
  return <pre className="adapter-value">{text}</pre>;
};

/** The text of a variable of the environment, or the secret that fills it. */
export const Variable = ({ row }: { readonly row: EnvironmentRow }) => {
  const here = useHere();
  const { id: companyId } = useCompany();
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
        <span className="faint">(deleted)</span>
      ) : (
        <Link href={here("/secrets")} className="in-text">
          {secret.name}
        </Link>
      )}
      {row.version === "latest" ? "" : `, version ${row.version}`}
    </>
  );
};
