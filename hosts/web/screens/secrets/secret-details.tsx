import { Link } from "wouter";
import { type AnswerOf, usePages, useRead, useWrite } from "../../live/calls.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { Status } from "../../nouns/status.tsx";
import { Button } from "../../widgets/button.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { Fact } from "../../widgets/fact.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { Time } from "../../widgets/time.tsx";
import { useToasts } from "../../widgets/toasts.tsx";

type Secret = AnswerOf<"secrets.list">[number];

/** The users of a secret, its versions, and the runs that asked for it. */
export const SecretDetails = ({
  secret,
  storedIn,
  mayChange,
  onEdit,
  onClose,
}: {
  readonly secret: Secret;
  /** The name of its vault, or of its provider. */
  readonly storedIn: string;
  readonly mayChange: boolean;
  readonly onEdit: () => void;
  readonly onClose: () => void;
}) => (
  <Dialog title={secret.name} onClose={onClose} wide>
    {secret.description === null ? null : <p className="secrets-notes">{secret.description}</p>}
    <dl className="secrets-facts">
      <Fact name="Key">
        <code>{secret.key}</code>
      </Fact>
      <Fact name="Stored in">{storedIn}</Fact>
      {secret.externalRef === null ? null : (
        <Fact name="Linked to">
          <code>{secret.externalRef}</code>
        </Fact>
      )}
      {secret.providerVersionRef === null ? null : (
        <Fact name="The provider's version">
          <code>{secret.providerVersionRef}</code>
        </Fact>
      )}
      {secret.providerMetadata === null ? null : (
        <Fact name="Provider metadata">
          <pre>{JSON.stringify(secret.providerMetadata, null, 2)}</pre>
        </Fact>
      )}
    </dl>
    <Users secretId={secret.id} />
    <Versions secretId={secret.id} mayChange={mayChange} />
    <Accesses secretId={secret.id} />
    <div className="form-actions">
      {mayChange ? (
        <Button icon="pencil" onClick={onEdit}>
          Edit
        </Button>
      ) : null}
      <Button onClick={onClose}>Close</Button>
    </div>
  </Dialog>
);

const Users = ({ secretId }: { readonly secretId: string }) => {
  const { data, error } = useRead("secrets.usage", { secretId });
  const here = useHere();
  return (
    <section aria-label="Used by">
      <h3>Used by</h3>
      {error === null ? null : <Problem error={error} />}
      {data === undefined ? null : isUnused(data) ? (
        <p className="muted">Not used by any agent, repository or MCP server</p>
      ) : (
        <ul className="secrets-list">
          {data.bindings.map(({ agentId, agentName, configPath, version }) => (
            <li key={`${agentId} ${configPath}`} className="row-wrap">
              <Link href={here(`/agents/${agentId}?tab=access`)}>{agentName}</Link>
              <code>{configPath}</code>
              <span className="muted">{version === "latest" ? "latest version" : `version ${version}`}</span>
            </li>
          ))}
          {data.repositories.map(({ id, projectId, url }) => (
            <li key={id} className="row-wrap">
              <Link href={here(`/projects/${projectId}`)}>{url}</Link>
              <span className="muted">repository</span>
            </li>
          ))}
          {data.mcpServers.map(({ id, name }) => (
            <li key={id} className="row-wrap">
              <Link href={here("/settings#mcp-servers")}>{name}</Link>
              <span className="muted">MCP server</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};

const isUnused = ({ bindings, repositories, mcpServers }: AnswerOf<"secrets.usage">): boolean =>
  bindings.length + repositories.length + mcpServers.length === 0;

const Versions = ({ secretId, mayChange }: { readonly secretId: string; readonly mayChange: boolean }) => {
  const { rows, more, error } = usePages("secrets.versions", { secretId });
  const nameOf = useNames();
  const say = useToasts();
  const change = useWrite("secrets.updateVersion", { onRefused: say.refused });
  return (
    <section aria-label="Versions">
      <h3>Versions</h3>
      {error === null ? null : <Problem error={error} />}
      <ul className="secrets-list">
        {rows.map(({ version, status, createdAt, createdByAgentId, createdByUserId }) => (
          <li key={version} className="secrets-version">
            <span>{version}</span>
            <Status of="other" status={status} />
            <span className="muted grow">
              <Time at={createdAt} /> by {nameOf(createdByAgentId ?? createdByUserId).name}
            </span>
            {mayChange ? (
              <Button
                small
                busy={change.busy}
                onClick={() =>
                  change.run({
                    secretId,
                    secretVersion: String(version),
                    status: status === "disabled" ? "active" : "disabled",
                  })
                }
              >
                {status === "disabled" ? "Enable" : "Disable"}
              </Button>
            ) : null}
          </li>
        ))}
      </ul>
      {more === null ? null : (
        <Button small onClick={more}>
          Show more
        </Button>
      )}
    </section>
  );
};

const Accesses = ({ secretId }: { readonly secretId: string }) => {
  const { rows, isSuccess, error } = usePages("secrets.accessEvents", { secretId, limit: 20 });
  const nameOf = useNames();
  const here = useHere();
  return (
    <section aria-label="Access log">
      <h3>Access log</h3>
      {error === null ? null : <Problem error={error} />}
      {rows.length === 0 ? (
        isSuccess ? (
          <p className="muted">Not used yet</p>
        ) : null
      ) : (
        <ul className="secrets-list">
          {rows.map((event) => (
            <li key={event.id} className="row-wrap">
              {event.outcome === "success" ? (
                <span className="status green">
                  <Icon name="circle-check" />
                  Used
                </span>
              ) : (
                <Status of="other" status="failed" />
              )}
              <Link href={here(`/runs/${event.heartbeatRunId}`)}>Run of {nameOf(event.consumerId).name}</Link>
              <code className="muted">{event.configPath}</code>
              <Time at={event.createdAt} />
              {event.errorCode === null ? null : <span className="muted">{event.errorCode}</span>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
