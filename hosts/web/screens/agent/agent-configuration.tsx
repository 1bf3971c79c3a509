import { useState } from "react";
import { usePages, useWrite } from "../../live/calls.ts";
import type { Agent } from "../../live/records.ts";
import { Button } from "../../parts/button.tsx";
import { Diff } from "../../parts/diff.tsx";
import { Form, TextArea } from "../../parts/field.tsx";
import { useNames } from "../../parts/names.ts";
import { Time } from "../../parts/time.tsx";
import { TimerNote } from "../../parts/timer-note.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { SecretOffers } from "./secret-offers.tsx";

const asText = (value: unknown): string => JSON.stringify(value, null, 2);

/** A text that should be an object; null where it is none. */
const objectOf = (text: string): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};

/** A key that is gone has to be deleted by name, because objects are merged. */
const patchOf = (
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> => ({
  ...Object.fromEntries(Object.keys(before).map((key) => [key, null])),
  ...after,
});

interface Props {
  readonly agent: Agent;
  readonly mayChange: boolean;
}

/** The agent's configuration as JSON, with every earlier one and what differed. */
export const AgentConfiguration = ({ agent, mayChange }: Props) => {
  const [editing, setEditing] = useState(false);
  return (
    <section aria-labelledby="agent-config" className="stack">
      <div className="row">
        <h2 id="agent-config" className="grow">
          Configuration
        </h2>
        {mayChange && !editing ? (
          <Button icon="pencil" onClick={() => setEditing(true)}>
            Edit
          </Button>
        ) : null}
      </div>
      {editing ? (
        <EditConfiguration agent={agent} onClose={() => setEditing(false)} />
      ) : (
        <pre className="agent-json">
          {asText({
            adapterType: agent.adapterType,
            adapterConfig: agent.adapterConfig,
            runtimeConfig: agent.runtimeConfig,
          })}
        </pre>
      )}
      {mayChange && !editing ? <SecretOffers agent={agent} /> : null}
      <Revisions agent={agent} mayChange={mayChange} />
    </section>
  );
};

const EditConfiguration = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const [begun] = useState(agent);
  const [adapter, setAdapter] = useState(asText(agent.adapterConfig));
  const [runtime, setRuntime] = useState(asText(agent.runtimeConfig));
  const save = useWrite("agents.update", { onDone: onClose });
  const adapterConfig = objectOf(adapter);
  const runtimeConfig = objectOf(runtime);
  const isOutdated =
    agent.updatedAt !== begun.updatedAt && asText(agent.adapterConfig) !== asText(begun.adapterConfig);
  return (
    <Form
      label="Change the configuration"
      error={save.error}
      onSubmit={() => {
        if (adapterConfig === null || runtimeConfig === null) return;
        save.run({
          agentId: agent.id,
          adapterConfig: patchOf(begun.adapterConfig, adapterConfig) as never,
          runtimeConfig: patchOf(begun.runtimeConfig, runtimeConfig) as never,
        });
      }}
    >
      {isOutdated ? (
        <p className="agent-warning" role="status">
          Somebody has changed the configuration since you began. Saving replaces what they wrote.
        </p>
      ) : null}
      <TextArea
        label="adapterConfig"
        name="adapterConfig"
        hint={adapterConfig === null ? "This is no JSON object." : undefined}
        className="input mono"
        rows={10}
        value={adapter}
        onChange={setAdapter}
      />
      <TextArea
        label="runtimeConfig"
        name="runtimeConfig"
        hint={runtimeConfig === null ? "This is no JSON object." : undefined}
        className="input mono"
        rows={6}
        value={runtime}
        onChange={setRuntime}
      />
      <TimerNote
        heartbeat={(runtimeConfig as Agent["runtimeConfig"] | null)?.heartbeat ?? {}}
        companyId={agent.companyId}
        agentId={agent.id}
      />
      <div className="form-actions">
        <Button onClick={onClose}>Close</Button>
        <Button
          type="submit"
          kind="main"
          busy={save.busy}
          disabled={adapterConfig === null || runtimeConfig === null}
        >
          Save
        </Button>
      </div>
    </Form>
  );
};

const Revisions = ({ agent, mayChange }: Props) => {
  const nameOf = useNames();
  const say = useToasts();
  const revisions = usePages("agents.configRevisions", { agentId: agent.id, limit: 20 });
  const rollback = useWrite("agents.rollback", { onRefused: say.refused });
  const rollBackTo = (revisionId: string) => {
    const present = revisions.rows[0]?.id;
    rollback.run(
      { agentId: agent.id, revisionId },
      {
        onSuccess: () =>
          say.done(
            "The configuration is as it was then.",
            present === undefined
              ? undefined
              : () => rollback.run({ agentId: agent.id, revisionId: present }),
          ),
      },
    );
  };
  if (revisions.rows.length < 2) return null;
  return (
    <details>
      <summary>Earlier configurations</summary>
      <div className="stack">
        {revisions.rows.map((revision, at) => (
          <details key={revision.id} className="agent-revision">
            <summary>
              <Time at={revision.createdAt} /> by{" "}
              {nameOf(revision.createdByAgentId ?? revision.createdByUserId).name}:{" "}
              {revision.changedKeys.join(", ") || revision.source}
            </summary>
            <Diff before={asText(revision.beforeConfig ?? {})} after={asText(revision.afterConfig)} />
            {mayChange && at > 0 ? (
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
