import { inlineSecretsOf } from "../../../core/model/agents/inline-secrets.ts";
import type { Client } from "../../library/client.ts";
import type { Check } from "./check.ts";

const mostNamed = 10;

/**
 * Finds settings of agents that seem to hold a secret in plain text, judged by their names, in the caller's companies.
 */
export const checkInlineSecrets = async (client: Client): Promise<readonly Check[]> => {
  const check = "inline secrets";
  const companies = await client.companies.list({}).catch(() => null);
  if (companies === null) return [];
  const found: string[] = [];
  for (const { id: companyId, name: company } of companies) {
    const agents = await client.agents.list({ companyId }).catch(() => []);
    for (const { name, status, adapterConfig } of agents)
      if (status !== "terminated")
        found.push(...inlineSecretsOf(adapterConfig).map((setting) => `${setting} of ${name} (${company})`));
  }
  if (found.length === 0) return [{ level: "ok", check, message: "none found by name" }];
  const more = found.length > mostNamed ? `, and ${found.length - mostNamed} more` : "";
  return [
    {
      level: "warn",
      check,
      message: `${found.slice(0, mostNamed).join(", ")}${more}`,
      hint: 'The database, its revisions and its backups hold them in plain text. Store each with `boardroom secrets create`, bind it as {"type": "secret_ref", "secretId": "…"}, and rotate it at its source.',
    },
  ];
};
