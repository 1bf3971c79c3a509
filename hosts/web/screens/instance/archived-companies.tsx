import { useRead, useWrite } from "../../live/calls.ts";
import { ActionButton } from "../../widgets/action-button.tsx";
import { Problem } from "../../widgets/field.tsx";

/** Companies that no list shows any more, each with its way back. */
export const ArchivedCompanies = () => {
  const { data: companies = [] } = useRead("companies.list", { status: ["archived"] });
  const resume = useWrite("companies.resume");
  if (companies.length === 0) return null;
  return (
    <section className="instance-section" aria-labelledby="instance-archived">
      <h2 id="instance-archived">Archived companies</h2>
      {resume.error === null ? null : <Problem error={resume.error} />}
      <ul className="plain-list">
        {companies.map(({ id, name, callerMay: may }) => (
          <li key={id} className="instance-row">
            <span className="grow">{name}</span>
            <ActionButton
              may={may.resume}
              small
              busy={resume.busy}
              aria-label={`Resume ${name}`}
              onClick={() => resume.run({ companyId: id })}
            >
              Resume
            </ActionButton>
          </li>
        ))}
      </ul>
    </section>
  );
};
