import { useRead, useWrite } from "../../live/calls.ts";
import { Credentials } from "../../nouns/access/credentials.tsx";
import { Problem } from "../../widgets/field.tsx";

/** Long-lived keys of an agent, for programs outside of its runs. */
export const AgentKeys = ({ agentId }: { readonly agentId: string }) => {
  const keys = useRead("agents.keys", { agentId });
  const create = useWrite("agents.createKey");
  const revoke = useWrite("agents.revokeKey");
  return (
    <section aria-labelledby="agent-keys" className="stack">
      <h2 id="agent-keys">API keys</h2>
      <p className="muted">API keys let other programs act as this agent. Runs don't need one.</p>
      {keys.error === null ? null : <Problem error={keys.error} />}
      <Credentials
        noun="key"
        credentials={keys.data ?? []}
        create={create}
        onCreate={async (name) => (await create.runAndWait({ agentId, name })).token}
        revoke={revoke}
        onRevoke={(keyId) => revoke.runAndWait({ agentId, keyId })}
        loss="Programs using this key stop working immediately. A live run continues."
      />
    </section>
  );
};
