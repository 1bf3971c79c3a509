import { useState } from "react";
import { Link, useParams } from "wouter";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { approvalTitle, approvalTypeWords } from "../../parts/approval-words.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { useDraft } from "../../parts/drafts.ts";
import { ErrorView } from "../../parts/error-view.tsx";
import { Form, Problem, SelectField, TextArea, TextField } from "../../parts/field.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useNames } from "../../parts/names.ts";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { useHere } from "../../shell/company.tsx";
import { Page } from "../../shell/page.tsx";
import { Payload } from "./payload.tsx";

type Approval = AnswerOf<"approvals.get">;

/** The request, earlier comments on it, who may decide it, and the decision. */
export const ApprovalScreen = () => {
  const { approval: approvalId = "" } = useParams<{ approval: string }>();
  const approval = useRead("approvals.get", { approvalId });
  const here = useHere();
  const crumbs = [{ label: "Approvals", to: here("/approvals") }];
  if (approval.isPending)
    return (
      <Page title="Approval" crumbs={crumbs}>
        <Skeleton />
      </Page>
    );
  if (approval.isError)
    return (
      <Page title="Approval" crumbs={crumbs}>
        <ErrorView error={approval.error} retry={() => void approval.refetch()} />
      </Page>
    );
  const title = approvalTitle(approval.data);
  return (
    <Page title={approvalTypeWords[approval.data.type]} crumbs={crumbs}>
      <div className="approval">
        <div className="stack">
          <h2 className="approval-title">{title}</h2>
          <Facts approval={approval.data} />
        </div>
        <Payload payload={approval.data.payload} title={title} proposed={approval.data.proposedVariables} />
        <Earlier approval={approval.data} />
        <LinkedIssues approvalId={approval.data.id} />
        {approval.data.status === "pending" ? (
          // A typed text belongs to the payload that was read: another payload begins anew.
          <Decision key={approval.data.payloadRevision} approval={approval.data} />
        ) : null}
        <Comments approval={approval.data} />
      </div>
    </Page>
  );
};

const Facts = ({ approval }: { readonly approval: Approval }) => {
  const nameOf = useNames();
  const asker = nameOf(approval.requestedByAgentId ?? approval.requestedByUserId);
  return (
    <div className="row-wrap">
      <Status of="other" status={approval.status} />
      <Actor {...asker} />
      <span className="muted">
        asked <Time at={approval.createdAt} />
      </span>
      {approval.decidedAt === null ? null : (
        <span className="muted">
          · decided <Time at={approval.decidedAt} /> by{" "}
          {nameOf(approval.decidedByAgentId ?? approval.decidedByUserId).name}
          {approval.decisionNote === null ? "" : `: ${approval.decisionNote}`}
        </span>
      )}
    </div>
  );
};

/** Earlier rounds: what was asked for then, and what was said to it. */
const Earlier = ({ approval }: { readonly approval: Approval }) => {
  const earlier = approval.history.slice(0, -1);
  if (earlier.length === 0) return null;
  return (
    <section aria-labelledby="approval-earlier" className="stack">
      <h2 id="approval-earlier">Earlier rounds</h2>
      {earlier.map((round) => (
        <details key={round.payloadRevision} className="approval-round">
          <summary>
            Round {round.payloadRevision}: {round.decisionNote ?? "no note"}
          </summary>
          <Payload payload={round.payload} proposed={[]} />
        </details>
      ))}
    </section>
  );
};

const LinkedIssues = ({ approvalId }: { readonly approvalId: string }) => {
  const here = useHere();
  const { data: issues = [] } = useRead("approvals.issues", { approvalId });
  if (issues.length === 0) return null;
  return (
    <section aria-labelledby="approval-issues" className="stack">
      <h2 id="approval-issues">Issues</h2>
      <ul className="plain-list stack">
        {issues.map(({ id, identifier, title, status }) => (
          <li key={id} className="row">
            <Status of="issue" status={status} bare />
            <Link href={here(`/issues/${identifier}`)}>
              {identifier} {title}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Comments = ({ approval }: { readonly approval: Approval }) => {
  const approvalId = approval.id;
  const nameOf = useNames();
  const [body, setBody] = useState("");
  const { data } = useRead("approvals.comments", { approvalId });
  const comment = useWrite("approvals.comment", { onDone: () => setBody("") });
  if (data === undefined) return null;
  return (
    <section aria-labelledby="approval-comments" className="stack">
      <h2 id="approval-comments">Comments</h2>
      {data.items.length === 0 ? <p className="faint">Nobody has commented yet.</p> : null}
      {data.items.map((each) => (
        <div key={each.id}>
          <div className="row">
            <Actor {...nameOf(each.authorAgentId ?? each.authorUserId)} />
            <Time at={each.createdAt} />
          </div>
          <p className="approval-text">{each.body}</p>
        </div>
      ))}
      {approval.callerMay.comment.allowed ? (
        <Form label="Comment" error={comment.error} onSubmit={() => comment.run({ approvalId, body })}>
          <TextArea
            label="Comment on the approval"
            bare
            name="body"
            rows={2}
            placeholder="Write a comment"
            value={body}
            onChange={setBody}
          />
          <div className="form-actions">
            <Button type="submit" busy={comment.busy} disabled={body.trim() === ""}>
              Comment
            </Button>
          </div>
        </Form>
      ) : null}
    </section>
  );
};

const Decision = ({ approval }: { readonly approval: Approval }) => {
  const approvalId = approval.id;
  const { payloadRevision } = approval;
  const authority = useRead("approvals.authority", { approvalId });
  const say = useToasts();
  const [decisionNote, setNote] = useDraft(`decision of ${approvalId} ${payloadRevision}`);
  const [chosenOwner, setOwner] = useState("");
  const [offListReason, setReason] = useState("");
  const onDone = (word: string) => () => {
    setNote("");
    say.done(`The approval is ${word}.`);
  };
  const approve = useWrite("approvals.approve", { onDone: onDone("approved") });
  const reject = useWrite("approvals.reject", { onDone: onDone("rejected") });
  const revise = useWrite("approvals.requestRevision", { onDone: onDone("sent back for changes") });
  if (authority.data === undefined)
    return authority.error === null ? <Skeleton rows={2} /> : <Problem error={authority.error} />;
  if (!authority.data.allowed)
    return (
      <p className="approval-closed">
        <Icon name="ban" /> You may not decide this. {authority.data.refusal?.reason}
      </p>
    );
  const decided = {
    approvalId,
    payloadRevision,
    ...(decisionNote.trim() === "" ? {} : { decisionNote }),
  };
  const candidates = Array.isArray(approval.payload.candidateOwners)
    ? approval.payload.candidateOwners.map(String)
    : [];
  const isOffList = chosenOwner !== "" && candidates.length > 0 && !candidates.includes(chosenOwner);
  const { approveRequiresChosenOwner: needsOwner, approveRefusal } = authority.data;
  return (
    <section className="approval-decision" aria-label="Decide">
      {approveRefusal === null ? null : (
        <p className="approval-closed">
          <Icon name="ban" /> It cannot be approved as it is: {approveRefusal.reason}
        </p>
      )}
      <Form
        label="Decide"
        error={approve.error ?? reject.error ?? revise.error}
        onSubmit={() =>
          approve.run({
            ...decided,
            ...(needsOwner ? { chosenOwner } : {}),
            ...(isOffList ? { offListReason } : {}),
          })
        }
      >
        {needsOwner && candidates.length > 0 ? (
          <SelectField
            label="Owner"
            name="chosenOwner"
            required
            options={[
              { value: "", label: "Choose an owner" },
              ...candidates.map((value) => ({ value, label: value })),
            ]}
            value={chosenOwner}
            onChange={setOwner}
          />
        ) : needsOwner ? (
          <TextField label="Owner" name="chosenOwner" required value={chosenOwner} onChange={setOwner} />
        ) : null}
        {isOffList ? (
          <TextField
            label="Why none of the candidates"
            name="offListReason"
            required
            value={offListReason}
            onChange={setReason}
          />
        ) : null}
        <TextArea
          label="Note"
          name="decisionNote"
          hint="Who asked is woken and reads it."
          value={decisionNote}
          onChange={setNote}
        />
        <div className="form-actions">
          <Button kind="danger" busy={reject.busy} onClick={() => reject.run(decided)}>
            Reject
          </Button>
          <Button busy={revise.busy} onClick={() => revise.run(decided)}>
            Ask for changes
          </Button>
          <Button type="submit" kind="main" busy={approve.busy} disabled={approveRefusal !== null}>
            Approve
          </Button>
        </div>
      </Form>
    </section>
  );
};
