import { useState } from "react";
import { useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { changesOf, draftOf } from "../../nouns/agents/agent-draft.ts";
import { AgentForm } from "../../nouns/agents/agent-form.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

/** Changes an agent by the form that hires one; what somebody else changes meanwhile stays. */
export const EditAgent = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const say = useToasts();
  const [begun] = useState(agent);
  const [before] = useState(() => draftOf(agent));
  const [draft, setDraft] = useState(before);
  const save = useWrite("agents.update", {
    onDone: ({ name }) => {
      onClose();
      say.done(`${name} updated. Changes apply from the next run.`);
    },
  });
  const isOutdated =
    agent.updatedAt !== begun.updatedAt && changesOf(before, draftOf(agent), agent.id) !== null;
  return (
    <AgentForm
      title={`Edit ${begun.name}`}
      verb="Save"
      draft={draft}
      onChange={setDraft}
      agentId={agent.id}
      write={save}
      note={
        isOutdated ? (
          <p className="form-warning" role="status">
            This agent was edited while you were. Review the changes before saving.
          </p>
        ) : null
      }
      onSubmit={() => {
        const changes = changesOf(before, draft, agent.id);
        if (changes === null) onClose();
        else save.run(changes);
      }}
      onClose={onClose}
    />
  );
};
