import { type AnswerOf, useRead } from "../../live/calls.ts";
import { useCompany } from "../../nouns/companies/company.tsx";
import { providerNames } from "../../nouns/secrets/secret-providers.ts";
import { Status } from "../../nouns/status.tsx";
import { Problem } from "../../widgets/field.tsx";

type Health = AnswerOf<"secrets.providersHealth">["providers"][number];

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
        {(health.data?.providers ?? []).map((each) => (
          <ProviderRow key={each.provider} health={each} />
        ))}
      </ul>
    </section>
  );
};

const ProviderRow = ({
  health: { provider, status, message, warnings, backupGuidance, details },
}: {
  readonly health: Health;
}) => (
  <li className="list-row secrets-provider">
    <strong>{providerNames[provider]}</strong>
    <p className="muted">{[message, ...warnings].join(" ")}</p>
    {/* A provider without a runtime needs nobody's attention. */}
    <Status of="other" status={details.code === "runtime_locked" ? "coming_soon" : statuses[status]} />
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
);
