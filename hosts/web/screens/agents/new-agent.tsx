import { useState } from "react";
import { useLocation } from "wouter";
import { useWrite } from "../../live/calls.ts";
import { emptyDraft, newAgentOf } from "../../nouns/agents/agent-draft.ts";
import { AgentForm } from "../../nouns/agents/agent-form.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

export const NewAgent = ({ onClose }: { readonly onClose: () => void }) => {
  const { id: companyId } = useCompany();
  const here = useHere();
  const [, go] = useLocation();
  const say = useToasts();
  const [draft, setDraft] = useState(emptyDraft);
  const create = useWrite("agents.create", {
    onDone: ({ id, name: hired }) => {
      onClose();
      go(here(`/agents/${id}`));
      say.done(`${hired} hired`);
    },
  });
  return (
    <AgentForm
      title="Hire an agent"
      verb="Hire agent"
      draft={draft}
      onChange={setDraft}
      agentId={null}
      write={create}
      onSubmit={() => create.run(newAgentOf(draft, companyId))}
      onClose={onClose}
    />
  );
};
