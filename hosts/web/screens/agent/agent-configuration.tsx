import { useState } from "react";
import { BoardroomError } from "../../../library/client-error.ts";
import { usePages, useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { EnvironmentTest } from "../../nouns/agents/environment-test.tsx";
import { useMayHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { Button } from "../../widgets/button.tsx";
import { ConfirmDialog } from "../../widgets/dialog.tsx";
import { Diff } from "../../widgets/diff.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";
import { AgentMcpServers } from "./agent-mcp-servers.tsx";
import { AgentSkills } from "./agent-skills.tsx";
import { EditAgent } from "./edit-agent.tsx";
import { SecretOffers } from "./secret-offers.tsx";
import { ShownConfiguration } from "./shown-configuration.tsx";

const asText = (value: unknown): string => JSON.stringify(value, null, 2);

interface Props {
  readonly agent: Agent;
  readonly mayChange: boolean;
}

/** The tab of all that the agent's next run starts with: adapter, instructions, environment, skills and MCP servers. */
export const AgentConfiguration = ({ agent }: { readonly agent: Agent }) => {
  const mayTest = useMayHere("testEnvironment");
  const { callerMay: may } = agent;
  return (
    <InOrder>
      <Configuration agent={agent} mayChange={may.update.allowed} />
      {mayTest ? (
        <EnvironmentTest
          companyId={agent.companyId}
          adapterType={agent.adapterType}
          adapterConfig={agent.adapterConfig}
          agentId={agent.id}
        />
      ) : null}
      <AgentSkills agentId={agent.id} mayChange={may.syncSkills.allowed} />
      <AgentMcpServers agentId={agent.id} />
    </InOrder>
  );
};

/** The agent's configuration in words, with every earlier one and what differed. */
const Configuration = ({ agent, mayChange }: Props) => {
  const [editing, setEditing] = useState(false);
  return (
    <section aria-labelledby="agent-config" className="stack">
      <div className="row">
        <h2 id="agent-config" className="grow">
          Configuration
        </h2>
        {mayChange ? (
          <Button icon="pencil" onClick={() => setEditing(true)}>
            Edit
          </Button>
        ) : null}
      </div>
      <ShownConfiguration agent={agent} />
      {editing ? <EditAgent agent={agent} onClose={() => setEditing(false)} /> : null}
      {mayChange ? <SecretOffers agent={agent} /> : null}
      <Revisions agent={agent} />
    </section>
  );
};

interface Asked {
  readonly revisionId: string;
  readonly secrets: readonly string[];
}

/** The variables that a rollback must name because it leads their secrets to another host; empty for other refusals. */
const secretsToName = (error: Error): readonly string[] => {
  const { secrets } = (error instanceof BoardroomError ? (error.details ?? {}) : {}) as {
    readonly secrets?: readonly string[];
  };
  return secrets ?? [];
};

const Revisions = ({ agent }: Pick<Props, "agent">) => {
  const nameOf = useNames();
  const say = useToasts();
  const revisions = usePages("agents.configRevisions", { agentId: agent.id, limit: 20 });
  const [asked, setAsked] = useState<Asked | null>(null);
  const rollback = useWrite("agents.rollback", {
    onRefused: (error, { revisionId }) => {
      const secrets = secretsToName(error);
      if (secrets.length === 0) say.refused(error);
      else setAsked({ revisionId, secrets });
    },
  });
  const rollBackTo = (revisionId: string, secrets: readonly string[] = []) => {
    const present = revisions.rows[0]?.id;
    setAsked(null);
    rollback.run(
      { agentId: agent.id, revisionId, secrets: [...secrets] },
      {
        onSuccess: () =>
          say.done(
            "Configuration rolled back.",
            present === undefined ? undefined : () => rollBackTo(present),
          ),
      },
    );
  };
  if (revisions.rows.length < 2) return null;
  return (
    <details>
      <summary>Configuration history</summary>
      <div className="stack">
        {asked === null ? null : (
          <ConfirmDialog
            title="Send stored secrets to another host?"
            verb="Roll back"
            onConfirm={() => rollBackTo(asked.revisionId, asked.secrets)}
            onClose={() => setAsked(null)}
          >
            That configuration leads to a host that the current one doesn’t. The agent’s program receives
            these secrets and could send them there: {asked.secrets.join(", ")}.
          </ConfirmDialog>
        )}
        {revisions.rows.map((revision, at) => (
          <details key={revision.id} className="agent-revision">
            <summary>
              <Time at={revision.createdAt} /> by{" "}
              {nameOf(revision.createdByAgentId ?? revision.createdByUserId).name}:{" "}
              {revision.changedKeys.join(", ") || revision.source}
            </summary>
            <Diff before={asText(revision.beforeConfig ?? {})} after={asText(revision.afterConfig)} />
            {agent.callerMay.rollback.allowed && at > 0 ? (
              <Button small busy={rollback.busy} onClick={() => rollBackTo(revision.id)}>
                Roll back to this
              </Button>
            ) : null}
          </details>
        ))}
      </div>
    </details>
  );
};
