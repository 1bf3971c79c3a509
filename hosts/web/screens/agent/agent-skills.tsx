import { useRead, useWrite } from "../../live/calls.ts";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";

const stateLabels: Readonly<Record<string, string>> = {
  available: "Available",
  configured: "From the next run",
  installed: "Installed",
  missing: "Requested, but not in the catalogue",
  stale: "Installed in another version",
  external: "Found by the program",
};

/** The skills that an agent has, may have and should have; a change takes effect with its next run. */
export const AgentSkills = ({
  agentId,
  mayChange,
}: {
  readonly agentId: string;
  readonly mayChange: boolean;
}) => {
  const skills = useRead("agents.skills", { agentId });
  const sync = useWrite("agents.syncSkills");
  const { desiredSkills = [], entries = [], warnings = [], supported = true } = skills.data ?? {};
  const error = skills.error ?? sync.error;
  return (
    <section aria-labelledby="agent-skills" className="stack">
      <h2 id="agent-skills">Skills</h2>
      {error === null ? null : <Problem error={error} />}
      {skills.isPending ? <Skeleton rows={2} /> : null}
      {supported ? null : <p className="faint">This agent's adapter doesn't support skills.</p>}
      {skills.isSuccess && supported && entries.length === 0 ? (
        <p className="faint">No skills yet. Add a folder with a SKILL.md to skills/ in the data directory.</p>
      ) : null}
      {warnings.map((warning) => (
        <p key={warning} className="agent-warning">
          {warning}
        </p>
      ))}
      <ul className="plain-list">
        {entries.map(({ key, runtimeName, desired, managed, state }) => (
          <li key={key} className="row list-row">
            <label className="row grow">
              <input
                type="checkbox"
                checked={desired}
                disabled={!mayChange || !managed || !supported || sync.busy}
                onChange={() =>
                  sync.run({
                    agentId,
                    desiredSkills: desired
                      ? desiredSkills.filter((each) => each !== key)
                      : [...desiredSkills, key],
                  })
                }
              />
              <span className="cut">{runtimeName}</span>
            </label>
            <span className="faint">{stateLabels[state] ?? state}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};
