import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { entryPath } from "../../../../core/model/inbox/entry-path.ts";
import { useRead } from "../../live/calls.ts";
import type { Company } from "../../live/records.ts";
import { ApprovalBody } from "../../nouns/approvals/approval-body.tsx";
import { CompanyShown } from "../../nouns/companies/company.tsx";
import { ShownInteraction } from "../../nouns/interactions/shown-interaction.tsx";
import { NamesOfCompany } from "../../nouns/names-of-company.tsx";
import { IconButton } from "../../widgets/button.tsx";
import { ErrorView } from "../../widgets/error-view.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { useKeys } from "../../widgets/keys.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";
import { Time } from "../../widgets/time.tsx";
import { AboutIssue } from "./about-issue.tsx";
import type { Entry } from "./entry.ts";
import { displays, titleOf } from "./entry-display.ts";
import { OtherActions } from "./other-actions.tsx";
import { PutAside } from "./put-aside.tsx";
import { ReviewIssue } from "./review-issue.tsx";

interface EntryDetailProps {
  readonly entry: Entry;
  /** null: the entry belongs to the whole instance. */
  readonly company: Company | null;
  readonly isDismissed: boolean;
  readonly onClose: () => void;
}

/** An entry, whole, with the facts of the decision and its buttons. */
export const EntryDetail = ({ entry, company, isDismissed, onClose }: EntryDetailProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
  <section className="inbox-detail" aria-label={titleOf(entry)} tabIndex={0} data-scrolls>
    <CompanyShown value={company}>
      <InOrder>
        <Head entry={entry} company={company} isDismissed={isDismissed} onClose={onClose} />
        {company === null ? (
          <OtherActions entry={entry} />
        ) : (
          <NamesOfCompany>
            <Body entry={entry} />
          </NamesOfCompany>
        )}
      </InOrder>
    </CompanyShown>
  </section>
);

const Head = ({ entry, company, isDismissed, onClose }: EntryDetailProps) => {
  const prefix = company?.issuePrefix;
  const path = entryPath(entry, prefix);
  const { issue, agent } = entry;
  const [, go] = useLocation();
  useKeys(path === null ? [] : [{ keys: "o", does: "Open", run: () => go(path) }]);
  const { icon, tone } = displays[entry.kind];
  return (
    <header className="inbox-head">
      <div className="row inbox-head-title">
        <span className="inbox-back">
          <IconButton icon="arrow-left" label="Back to the list" onClick={onClose} />
        </span>
        <span className={`inbox-icon ${tone ?? ""}`}>
          <Icon name={icon} />
        </span>
        <h2 tabIndex={-1}>{titleOf(entry)}</h2>
        {path === null ? null : (
          <Link href={path} className="button small" title="O">
            <span>Open</span>
          </Link>
        )}
        <PutAside entry={entry} isDismissed={isDismissed} />
      </div>
      <p>{entry.reason}</p>
      <p className="faint">
        {entry.companyName ?? "This instance"}
        {agent === null || prefix === undefined ? null : (
          <>
            {" · "}
            <Link href={`/${prefix}/agents/${agent.id}`} className="in-text">
              {agent.name}
            </Link>
          </>
        )}
        {issue === null || prefix === undefined ? null : (
          <>
            {" · "}
            <Link href={`/${prefix}/issues/${issue.identifier}`} className="in-text">
              {issue.identifier} {issue.title}
            </Link>
          </>
        )}
        {" · "}
        <Time at={entry.waitingSince} />
      </p>
    </header>
  );
};

const Body = ({ entry }: { readonly entry: Entry }) => {
  switch (entry.kind) {
    case "approval":
      return <AboutApproval approvalId={entry.subject.id} />;
    case "permission":
    case "confirmation":
    case "questions":
    case "suggested_tasks":
      return (
        <OfIssue entry={entry}>
          <AskedInteraction entry={entry} />
        </OfIssue>
      );
    case "review":
      return (
        <OfIssue entry={entry}>
          <ReviewIssue entry={entry} />
        </OfIssue>
      );
    default:
      return (
        <OfIssue entry={entry}>
          <OtherActions entry={entry} />
        </OfIssue>
      );
  }
};

/** The decision, and below it the issue that it is about. */
const OfIssue = ({ entry: { issue }, children }: { readonly entry: Entry; readonly children: ReactNode }) => (
  <InOrder>
    {children}
    {issue === null ? null : <AboutIssue issueId={issue.id} />}
  </InOrder>
);

const AboutApproval = ({ approvalId }: { readonly approvalId: string }) => {
  const approval = useRead("approvals.get", { approvalId });
  if (approval.isPending) return <Skeleton />;
  if (approval.isError) return <ErrorView error={approval.error} retry={() => void approval.refetch()} />;
  return (
    <div className="approval inbox-approval">
      <ApprovalBody approval={approval.data} />
    </div>
  );
};

/** The question itself, to be answered here. */
const AskedInteraction = ({ entry: { issue, subject } }: { readonly entry: Entry }) => {
  const asked = useRead("interactions.get", { issueId: issue?.id ?? "", interactionId: subject.id });
  if (asked.isPending) return <Skeleton />;
  if (asked.isError) return <ErrorView error={asked.error} retry={() => void asked.refetch()} />;
  return <ShownInteraction interaction={asked.data} heading="h3" />;
};
