import { useState } from "react";
import { Link } from "wouter";
import { visibleText } from "../../../../core/model/shared/visible-text.ts";
import { useRead, useWrite } from "../../live/calls.ts";
import type { Approval } from "../../live/records.ts";
import { Button } from "../../widgets/button.tsx";
import { Form, TextArea } from "../../widgets/field.tsx";
import { InOrder } from "../../widgets/in-order.tsx";
import { Time } from "../../widgets/time.tsx";
import { Actor } from "../avatar.tsx";
import { useHere } from "../companies/company.tsx";
import { useNames } from "../names.ts";
import { Status } from "../status.tsx";
import { ApprovalDecision } from "./approval-decision.tsx";
import { approvalTitle } from "./approval-labels.ts";
import { Payload } from "./payload.tsx";
import { PayloadChanges } from "./payload-changes.tsx";

/** The request in the order in which it is read, what has changed in it, earlier rounds, and the decision. */
export const ApprovalBody = ({ approval }: { readonly approval: Approval }) => {
  const { id, type, payload, payloadRevision, history, status, proposedVariables } = approval;
  const before = history.at(-2);
  return (
    <InOrder>
      <Facts approval={approval} />
      {before === undefined ? null : (
        <PayloadChanges before={before.payload} after={payload} asked={before.decisionNote} />
      )}
      <Payload type={type} payload={payload} title={approvalTitle(approval)} proposed={proposedVariables} />
      <Earlier approval={approval} />
      <LinkedIssues approvalId={id} />
      {status === "pending" ? (
        // A typed text belongs to the payload that was read: another payload begins anew.
        <ApprovalDecision key={payloadRevision} approval={approval} />
      ) : null}
      <Comments approval={approval} />
    </InOrder>
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
          {approval.decisionNote === null ? "" : `: ${visibleText(approval.decisionNote)}`}
        </span>
      )}
    </div>
  );
};

/** Earlier rounds: what was asked for then, and what was said to it. */
const Earlier = ({ approval }: { readonly approval: Approval }) => {
  const earlier = approval.history.slice(0, -1).reverse();
  if (earlier.length === 0) return null;
  return (
    <section aria-labelledby="approval-earlier" className="stack">
      <h3 id="approval-earlier">Earlier rounds</h3>
      {earlier.map((round) => (
        <details key={round.payloadRevision} className="approval-round">
          <summary>
            Round {round.payloadRevision}: {visibleText(round.decisionNote ?? "no note")}
          </summary>
          <Payload type={approval.type} payload={round.payload} proposed={[]} />
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
      <h3 id="approval-issues">Issues</h3>
      <ul className="plain-list stack">
        {issues.map(({ id, identifier, title, status }) => (
          <li key={id} className="row">
            <Status of="issue" status={status} bare />
            <Link href={here(`/issues/${identifier}`)}>
              {identifier} {visibleText(title)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Comments = ({ approval }: { readonly approval: Approval }) => {
  const approvalId = approval.id;
  const { data } = useRead("approvals.comments", { approvalId });
  const nameOf = useNames();
  const [body, setBody] = useState("");
  const comment = useWrite("approvals.comment", { onDone: () => setBody("") });
  if (data === undefined) return null;
  const comments = data.items;
  return (
    <section aria-labelledby="approval-comments" className="stack">
      <h3 id="approval-comments">Comments</h3>
      {comments.length === 0 ? <p className="faint">No comments yet</p> : null}
      {comments.map((each) => (
        <div key={each.id}>
          <div className="row">
            <Actor {...nameOf(each.authorAgentId ?? each.authorUserId)} />
            <Time at={each.createdAt} />
          </div>
          <p className="approval-text">{visibleText(each.body)}</p>
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
