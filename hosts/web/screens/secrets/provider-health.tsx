import { useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { providerNames } from "../../nouns/secrets/secret-providers.ts";
import { Status } from "../../nouns/status.tsx";
import { Problem } from "../../widgets/field.tsx";

const statuses = { ok: "ok", warn: "warning", error: "error" } as const;

/** How this installation can reach each provider of values, and what of it is to be backed up. */
export const ProviderHealth = () => {
  const { id: companyId } = useCompany();
  const health = useRead("secrets.providersHealth", { companyId });
  return (
    <section className="secrets-section" aria-labelledby="secrets-providers">
      <h2 id="secrets-providers">Providers</h2>
      {health.error === null ? null : <Problem error={health.error} />}
      <ul className="plain-list">
        {(health.data?.providers ?? []).map(({ provider, status, message, warnings, backupGuidance }) => (
          <li key={provider} className="list-row secrets-provider">
            <strong>{providerNames[provider]}</strong>
            <p className="muted">{[message, ...warnings].join(" ")}</p>
            <Status of="other" status={statuses[status]} />
            {backupGuidance.length === 0 ? null : (
              <details>
                <summary className="muted">What to back up</summary>
                <ul className="secrets-list muted">
                  {backupGuidance.map((each) => (
                    <li key={each}>{each}</li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
};
