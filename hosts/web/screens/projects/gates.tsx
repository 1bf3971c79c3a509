import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { GateList } from "../../nouns/issues/gate-list.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";

/** The gates of a project: conditions that its issues meet before they are done. */
export const Gates = ({ project }: { readonly project: AnswerOf<"projects.get"> }) => {
  const { id: projectId, name, callerMay } = project;
  const gates = useRead("projects.gates", { projectId });
  const set = useWrite("projects.setGates");
  return (
    <Section title="Required gates">
      {gates.isError ? <Problem error={gates.error} /> : null}
      {gates.data?.length === 0 ? <p className="faint">None. Anyone can mark issues as done.</p> : null}
      {gates.data === undefined ? null : (
        <GateList
          label={`Gates of ${name}`}
          gates={gates.data}
          mayManage={callerMay.manageGates.allowed}
          write={set}
          onSet={(next, onDone) => set.run({ projectId, gates: next }, { onSuccess: onDone })}
        />
      )}
    </Section>
  );
};
