import type { ReactNode } from "react";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { CodeBlock } from "../../nouns/code-block.tsx";
import { Button } from "../../widgets/button.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { sizeText } from "../../widgets/size-text.ts";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";
import { withCode } from "../../widgets/with-code.tsx";

type Protection = AnswerOf<"system.backups">;

/** A backup is no event: while one is requested, the section reads its state again. */
const readEveryMs = 3_000;

/** Whether there is a backup, when the next one is taken, and what to do where none are. */
export const Backups = () => {
  const protection = useRead(
    "system.backups",
    {},
    {
      refetchInterval: ({ state }) => (state.data?.requestedAt == null ? false : readEveryMs),
    },
  );
  const backUp = useWrite("system.backUp");
  if (protection.isPending) return <Skeleton rows={3} />;
  if (protection.isError)
    return <ErrorView error={protection.error} retry={() => void protection.refetch()} />;
  const { isScheduled, requestedAt, problem } = protection.data;
  return (
    <section className="instance-section" aria-labelledby="instance-backups">
      <header className="row">
        <h2 id="instance-backups">Backups</h2>
        <span className="grow" />
        {isScheduled ? (
          <Button
            small
            icon="download"
            busy={backUp.busy || requestedAt !== null}
            onClick={() => backUp.run({})}
          >
            Back up now
          </Button>
        ) : null}
      </header>
      {backUp.error === null ? null : <Problem error={backUp.error} />}
      {problem === null ? null : (
        <p className="problem">
          <Icon name="circle-alert" />
          <span>{withCode(problem)}</span>
        </p>
      )}
      {requestedAt === null ? null : (
        <p className="row" role="status">
          <Icon name="hourglass" />
          <span>
            Backup requested <Time at={requestedAt} />. It starts within a minute.
          </span>
        </p>
      )}
      {isScheduled ? <Scheduled now={protection.data} /> : <HowToBegin now={protection.data} />}
    </section>
  );
};

const Last = ({ last }: Pick<Protection, "last">) =>
  last === null ? (
    "None yet"
  ) : (
    <>
      <Time at={last.at} />, {sizeText(last.bytes)}
    </>
  );

const Scheduled = ({ now: { last, kept, dueAt, to, isEncrypted } }: { readonly now: Protection }) => (
  <dl className="instance-facts">
    <Fact label="Last backup">
      <Last last={last} />
    </Fact>
    <Fact label="Next backup">{dueAt === null ? "Within a minute" : <Time at={dueAt} as="full" />}</Fact>
    <Fact label="Backups kept">{kept}</Fact>
    <Fact label="Destination">
      <span className="mono">{to}</span>
    </Fact>
    <Fact label="Encryption">
      {isEncrypted
        ? "Encrypted, includes the master key"
        : "Not encrypted, without the master key. Keep a copy of the key elsewhere."}
    </Fact>
  </dl>
);

const example = `SERVICE_BACKUP_TO=/mnt/backups
SERVICE_BACKUP_PASSPHRASE_FILE=/root/backup-passphrase`;

const HowToBegin = ({ now: { last } }: { readonly now: Protection }) => (
  <>
    <p>
      <strong>No backups are scheduled.</strong> If this machine or its disk fails, you lose every company,
      issue, file and secret
      {last === null ? "." : " changed since the last backup."}
    </p>
    {last === null ? null : (
      <p className="muted">
        Last backup by command: <Last last={last} />
      </p>
    )}
    <ol className="instance-steps">
      <li>Choose a folder on another disk, or a bucket such as s3://bucket/prefix.</li>
      <li>
        Add these settings to the service. The passphrase file encrypts the backups and includes the master
        key in them; keep a copy of the passphrase elsewhere.
        <CodeBlock text={example} language="" />
      </li>
      <li>Restart the service. It backs up every midnight (UTC) and keeps 7 days, 4 weeks and 6 months.</li>
    </ol>
    <p className="muted">
      To back up once, run <code>boardroom backup --to /mnt/backups</code> on the service's machine. If you
      back up in another way, set <code>SERVICE_BACKUP_REMINDER=false</code> to stop reminders in the inbox.
    </p>
  </>
);

const Fact = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div>
    <dt className="muted">{label}</dt>
    <dd>{children}</dd>
  </div>
);
