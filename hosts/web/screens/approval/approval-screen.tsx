import { useParams } from "wouter";
import { useRead } from "../../live/calls.ts";
import { ApprovalBody } from "../../nouns/approvals/approval-body.tsx";
import { approvalTitle, approvalTypeLabels } from "../../nouns/approvals/approval-labels.ts";
import { useHere } from "../../nouns/companies/company.tsx";
import { useOwnCompany } from "../../nouns/companies/own-company.ts";
import { Page } from "../../widgets/page.tsx";
import { Unread } from "../../widgets/unread.tsx";

/** The request, earlier comments on it, who may decide it, and the decision. */
export const ApprovalScreen = () => {
  const { approval: approvalId = "" } = useParams<{ approval: string }>();
  const approval = useRead("approvals.get", { approvalId });
  useOwnCompany(approval.data);
  const here = useHere();
  const crumbs = [{ label: "Approvals", to: here("/approvals") }];
  if (approval.isPending || approval.isError)
    return (
      <Page title="Approval" crumbs={crumbs}>
        <Unread read={approval} />
      </Page>
    );
  return (
    <Page title={approvalTypeLabels[approval.data.type]} crumbs={crumbs}>
      <div className="approval">
        <h2 className="approval-title">{approvalTitle(approval.data)}</h2>
        <ApprovalBody approval={approval.data} />
      </div>
    </Page>
  );
};
