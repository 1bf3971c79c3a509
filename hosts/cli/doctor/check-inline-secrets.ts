import { inlineSecretsOf } from "../../../core/agents/agent-config.ts";
import type { Client } from "../../library/client.ts";
import type { Check } from "./check.ts";

const mostNamed = 10;

/** Agents of the companies the caller sees that hold what seems to be a secret as it is; names alone are looked at. */
export const checkInlineSecrets = async (client: Client): Promise<readonly Check[]> => {
  const check = "inline secrets";
  const companies = await client.companies.list({}).catch(() => null);
  if (companies === null) return [];
  const found: string[] = [];
  for (const { id: companyId, name: company } of companies) {
    const agents = await client.agents.list({ companyId }).catch(() => []);
    for (const { name, status, adapterConfig } of agents)
      if (status !== "terminated")
        found.push(...inlineSecretsOf(adapterConfig).map((place) => `${place} of ${name} (${company})`));
  }
  if (found.length === 0) return [{ level: "ok", check, message: "none by their names" }];
  const more = found.length > mostNamed ? `, and ${found.length - mostNamed} more` : "";
  return [
    {
      level: "warn",
      check,
      message: `${found.slice(0, mostNamed).join(", ")}${more}`,
      hint: 'They are in the database as they are, also in revisions and backups. Store each with `boardroom secrets create`, bind it as {"type": "secret_ref", "secretId": "…"}, and change it where it came from.',
    },
  ];
};
