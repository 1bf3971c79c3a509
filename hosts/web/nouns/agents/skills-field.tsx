import { useRead } from "../../live/calls.ts";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { useCompany } from "../companies/company.tsx";

interface SkillsFieldProps {
  readonly adapterType: string;
  /** `desiredSkills` of the configuration. */
  readonly desired: readonly string[];
  readonly onChange: (desired: readonly string[]) => void;
}

/** The skills that an agent gets, of those that this service offers. */
export const SkillsField = ({ adapterType, desired, onChange }: SkillsFieldProps) => {
  const { id: companyId } = useCompany();
  const adapter = useRead("adapters.get", { adapterType });
  const offered = useRead("agents.offeredSkills", { companyId });
  if (adapter.isPending || offered.isPending) return <Skeleton rows={1} />;
  if (adapter.data?.supportsSkills !== true)
    return <p className="faint">This adapter doesn't support skills.</p>;
  const { skills = [] } = offered.data ?? {};
  const gone = desired.filter((key) => skills.every((skill) => skill.key !== key));
  return (
    <ul className="plain-list">
      {[...skills, ...gone.map((key) => ({ key, description: "No longer available." }))].map(
        ({ key, description }) => (
          <li key={key}>
            <label className="check">
              <input
                type="checkbox"
                checked={desired.includes(key)}
                onChange={(event) =>
                  onChange(event.target.checked ? [...desired, key] : desired.filter((each) => each !== key))
                }
              />
              <span>
                {key}
                <span className="field-hint">{description}</span>
              </span>
            </label>
          </li>
        ),
      )}
    </ul>
  );
};
