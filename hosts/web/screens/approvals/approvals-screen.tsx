import { Link } from "wouter";
import {
  approvalStatuses,
  type StoredApprovalStatus,
} from "../../../../core/model/approvals/approval-status.ts";
import { type RowOf, usePages } from "../../live/calls.ts";
import { approvalTitle, approvalTypeLabels } from "../../nouns/approvals/approval-labels.ts";
import { Actor } from "../../nouns/avatar.tsx";
import { useCompany, useHere } from "../../nouns/companies/company.tsx";
import { useNames } from "../../nouns/names.ts";
import { displayOf, Status } from "../../nouns/status.tsx";
import { useAddressFilter } from "../../widgets/address-filter.ts";
import { LinkButton } from "../../widgets/button.tsx";
import { Empty } from "../../widgets/empty.tsx";
import { FilterChoice } from "../../widgets/filter-menu.tsx";
import { Page } from "../../widgets/page.tsx";
import { Pages } from "../../widgets/pages.tsx";
import { type Column, Table } from "../../widgets/table.tsx";
import { Time } from "../../widgets/time.tsx";

type Approval = RowOf<"approvals.list">;

const types = Object.keys(approvalTypeLabels) as Approval["type"][];
const statuses = approvalStatuses.filter((each): each is StoredApprovalStatus => each !== "resubmitted");

/** The requests of agents to the board, decided or not, newest first; the inbox holds only those that wait. */
export const ApprovalsScreen = () => {
  const { id: companyId } = useCompany();
  const [status, setStatus] = useAddressFilter("status", statuses);
  const [type, setType] = useAddressFilter("type", types);
  const isNarrowed = status.length > 0 || type.length > 0;
  const approvals = usePages("approvals.list", {
    companyId,
    ...(status.length === 0 ? {} : { status }),
    ...(type.length === 0 ? {} : { type }),
  });
  return (
    <Page title="Approvals">
      <search className="filters">
        <FilterChoice
          label="Filter by status"
          all="Any status"
          several="statuses"
          options={statuses.map((value) => {
            const { label, icon } = displayOf("other", value);
            return { value, label, icon };
          })}
          chosen={status}
          onChange={setStatus}
        />
        <FilterChoice
          label="Filter by type"
          all="Any type"
          several="types"
          options={types.map((value) => ({ value, label: approvalTypeLabels[value] }))}
          chosen={type}
          onChange={setType}
        />
      </search>
      <Pages of={approvals} empty={<NoApproval isNarrowed={isNarrowed} />}>
        <ApprovalTable approvals={approvals.rows} />
      </Pages>
    </Page>
  );
};

const NoApproval = ({ isNarrowed }: { readonly isNarrowed: boolean }) => {
  const here = useHere();
  return isNarrowed ? (
    <Empty
      icon="list-filter"
      title="No approvals match your filters"
      action={<LinkButton to={here("/approvals")}>Clear filters</LinkButton>}
    />
  ) : (
    <Empty
      icon="shield-check"
      title="No approvals yet"
      action={<LinkButton to={here("/agents")}>View agents</LinkButton>}
    >
      Agents ask for approval to hire, follow a strategy or decide ownership. Open requests are in your inbox;
      decided ones stay here.
    </Empty>
  );
};

const ApprovalTable = ({ approvals }: { readonly approvals: readonly Approval[] }) => {
  const here = useHere();
  const nameOf = useNames();
  const columns: readonly Column<Approval>[] = [
    { key: "status", title: "Status", cell: ({ status }) => <Status of="other" status={status} /> },
    {
      key: "what",
      title: "Request",
      grows: true,
      cell: (approval) => (
        <>
          <Link href={here(`/approvals/${approval.id}`)} className="table-title">
            {approvalTitle(approval)}
          </Link>
          <span className="narrow-only faint">{approvalTypeLabels[approval.type]}</span>
        </>
      ),
    },
    { key: "type", title: "Type", wideOnly: true, cell: ({ type }) => approvalTypeLabels[type] },
    {
      key: "asker",
      title: "Requested by",
      wideOnly: true,
      cell: ({ requestedByAgentId, requestedByUserId }) => (
        <Actor {...nameOf(requestedByAgentId ?? requestedByUserId)} />
      ),
    },
    {
      key: "decider",
      title: "Decided by",
      wideOnly: true,
      cell: ({ decidedAt, decidedByAgentId, decidedByUserId }) =>
        decidedAt === null ? (
          <span className="faint">–</span>
        ) : (
          <Actor {...nameOf(decidedByAgentId ?? decidedByUserId)} />
        ),
    },
    {
      key: "when",
      title: "When",
      cell: ({ decidedAt, createdAt }) => <Time at={decidedAt ?? createdAt} />,
    },
  ];
  return <Table label="Approvals" columns={columns} rows={approvals} rowKey={({ id }) => id} />;
};
