import { expirySentences } from "../../../../core/issues/interactions/expiry-sentences.ts";
import type { Card as Asked } from "../../../../core/issues/interactions/payload.ts";
import type { Interaction } from "../../live/records.ts";
import { Actor } from "../../parts/avatar.tsx";
import { Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useNames } from "../../shell/names.ts";
import { ConfirmationCard } from "./card-confirmation.tsx";
import { QuestionsCard } from "./card-questions.tsx";
import { TasksCard } from "./card-tasks.tsx";

const titles: Readonly<Record<Interaction["kind"], string>> = {
  suggest_tasks: "Suggested tasks",
  ask_user_questions: "Questions",
  request_confirmation: "Confirmation",
};

/** A card, an agent's question to the board in a thread: choose, answer or confirm; afterwards, how it ended. */
export const Card = ({ card }: { readonly card: Interaction }) => {
  const nameOf = useNames();
  const title = card.title ?? titles[card.kind];
  return (
    <article className="issue-card" aria-label={`Card: ${title}`}>
      <header className="row-wrap">
        <Actor {...nameOf(card.createdByAgentId ?? card.createdByUserId)} />
        <span className="faint">
          <Time at={card.createdAt} />
        </span>
        <span className="grow" />
        <Status of="other" status={card.status} />
      </header>
      <h4>{title}</h4>
      {card.summary === null ? null : <p className="muted issue-text">{card.summary}</p>}
      <Body card={card} />
      <Outcome card={card} />
    </article>
  );
};

const Body = ({ card }: { readonly card: Interaction }) => {
  // The service checked the payload against its kind when the card was made.
  const { kind, payload } = { kind: card.kind, payload: card.payload as unknown } as Asked;
  switch (kind) {
    case "suggest_tasks":
      return <TasksCard card={card} payload={payload} />;
    case "ask_user_questions":
      return <QuestionsCard card={card} payload={payload} />;
    case "request_confirmation":
      return <ConfirmationCard card={card} payload={payload} />;
  }
};

const outcomes: Readonly<Record<string, string>> = {
  ...expirySentences,
  withdrawn: "Its author has withdrawn the card.",
  cancelled: "The card was withdrawn.",
};

/** The end of the card: by whom, when, and why. */
const Outcome = ({ card: { status, result, resolvedAt, ...card } }: { readonly card: Interaction }) => {
  const nameOf = useNames();
  if (status === "pending") return null;
  const outcome = outcomes[String(result?.outcome ?? result?.expirationReason)];
  const reason = result?.reason ?? result?.rejectionReason ?? null;
  const by = card.resolvedByAgentId ?? card.resolvedByUserId;
  return (
    <div className="stack">
      {outcome === undefined ? null : <p>{outcome}</p>}
      {reason === null ? null : <blockquote className="issue-reason">{String(reason)}</blockquote>}
      {by === null ? null : (
        <p className="faint">
          By {nameOf(by).name}
          {resolvedAt === null ? null : (
            <>
              , <Time at={resolvedAt} />
            </>
          )}
        </p>
      )}
    </div>
  );
};
